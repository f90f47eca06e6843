// Command cook turns folders of source files into one pack.
//
//	cook -o out.zip DIR...
//
// It exits with 0 when everything was cooked, with 1 when the pack was written
// but some files could not be cooked, and with 2 when it was called wrongly or
// the pack could not be written. See docs/cooking.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"sojourn/assets/cook"
	"sojourn/assets/pack"
)

// Exit codes.
const (
	exitFine   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// execute is the program without its process.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cmd := command(stdout, stderr)
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, cook.ErrFailed):
		return exitFailed
	}
	fmt.Fprintln(stderr, "cook:", err)
	return exitUsage
}

func command(stdout, stderr io.Writer) *cobra.Command {
	var o cook.Options
	var verbose, watch bool
	var list string
	cmd := &cobra.Command{
		Use:   "cook -o PACK DIR...",
		Short: "Cook folders of source files into one pack",
		Long: "Cook folders of source files into one pack.\n\n" +
			"Unchanged files are copied from the pack that is already there.\n" +
			"Exit status: 0 fine, 1 some files failed, 2 wrong usage or the pack can't be written.",
		SilenceErrors: true, SilenceUsage: true,
		DisableFlagsInUseLine: true,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case list != "" && len(args) > 0:
				return errors.New("--list takes no folders")
			case list == "" && o.Out == "":
				return errors.New("say where to: -o PACK")
			case list == "" && len(args) == 0:
				return errors.New("say what to cook: DIR...")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if list != "" {
				return printList(stdout, list)
			}
			o.Dirs = args
			if watch {
				return watchAndTell(cmd.Context(), o, verbose, stdout, stderr)
			}
			return cookAndTell(cmd.Context(), o, verbose, stdout, stderr)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Out, "out", "o", "", "the pack to write")
	f.BoolVar(&o.Lenient, "lenient", false, "exit with 0 although some files failed")
	f.IntVarP(&o.Jobs, "jobs", "j", 0, "files cooked at once (0: one a processor)")
	f.BoolVarP(&verbose, "verbose", "v", false, "a line for each file")
	f.BoolVar(&watch, "watch", false, "go on cooking what is saved, until interrupted")
	f.StringVar(&list, "list", "", "list the entries of a pack instead")
	return cmd
}

func cookAndTell(ctx context.Context, o cook.Options, verbose bool, stdout, stderr io.Writer) error {
	show := newDisplay(stderr, verbose)
	o.Progress, o.Log = show.step, show.log
	rep, err := cook.Run(ctx, o)
	show.end()
	tell(o, rep, err, stdout, stderr)
	return err
}

// tell says what one run came to.
func tell(o cook.Options, rep cook.Report, err error, stdout, stderr io.Writer) {
	for _, w := range rep.Warnings {
		fmt.Fprintln(stderr, "warning:", w)
	}
	for _, f := range rep.Failed {
		fmt.Fprintln(stderr, f.Error())
	}
	if err == nil || errors.Is(err, cook.ErrFailed) {
		fmt.Fprintf(stdout, "%s: %d entries, %d bytes; %d files: %d reused, %d failed; %d bytes cooked\n",
			o.Out, rep.Entries, rep.PackBytes, rep.Files, rep.Reused, len(rep.Failed), rep.CookedBytes)
	}
}

func printList(stdout io.Writer, path string) error {
	p, err := pack.Open(path)
	if err != nil {
		return err
	}
	defer p.Close()
	return p.List(func(name string, _ int64) bool {
		if i, ok := p.Stat(name); ok {
			method := "zstd"
			if i.Raw {
				method = "raw"
			}
			_, err = fmt.Fprintf(stdout, "%12d %12d %-4s %08x %s\n", i.SizeBytes, i.EncodedBytes, method, i.CRC32, name)
		}
		return err == nil
	})
}
