// Command demo runs the bundled demos: in a window, or headless with a report.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"sojourn/demos/demo"
	"sojourn/demos/hallway"
	"sojourn/demos/portals"
)

// rows are the bundled demos.
func rows() []demo.Row { return []demo.Row{hallway.Row(), portals.Row()} }

func main() {
	root := &cobra.Command{
		Use:           "demo",
		Short:         "Run Sojourn's bundled demos",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(&cobra.Command{
		Use: "list", Short: "Name the demos", Args: cobra.NoArgs,
		Run: func(c *cobra.Command, _ []string) {
			for _, r := range rows() {
				fmt.Fprintf(c.OutOrStdout(), "%-10s %s\n", r.Name, r.About)
			}
		},
	})
	for _, r := range rows() {
		root.AddCommand(command(r))
	}
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}
