package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"sojourn/demos/demo"
	"sojourn/journal"
	"sojourn/stages/work"
	"sojourn/trace"
)

// records are a run's trace and its lifecycle log, as far as flags ask for
// them. Zero, there are none.
type records struct {
	clock     work.Clock // of both and of the session, so that their times agree
	trace     *trace.Recorder
	traceFile *os.File
	journal   *journal.Log
	logFile   *os.File
}

// openRecords makes the files first: a path that cannot be written is told
// before the run, not after it.
func openRecords(tracePath, logPath string) (r records, err error) {
	if tracePath == "" && logPath == "" {
		return records{}, nil
	}
	r.clock = work.NewSystemClock()
	if tracePath != "" {
		if r.traceFile, err = os.Create(tracePath); err != nil {
			return records{}, fmt.Errorf("trace: %w", err)
		}
		r.trace = trace.New(trace.Options{Clock: r.clock})
	}
	if logPath != "" {
		if r.logFile, err = os.Create(logPath); err != nil {
			return records{}, errors.Join(fmt.Errorf("lifecycle log: %w", err), r.close(io.Discard))
		}
		r.journal = journal.New(r.logFile, journal.Options{Clock: r.clock})
	}
	return r, nil
}

// put gives them to a demo.
func (r *records) put(e *demo.Env) {
	e.Trace, e.Journal = r.trace, r.journal
	if r.clock != nil {
		e.WithClock = r.clock
	}
}

// close ends the log and writes the trace, once the session is closed, and
// says on out where they are.
func (r *records) close(out io.Writer) error {
	var errs []error
	if r.logFile != nil {
		errs = append(errs, r.journal.Close(), r.logFile.Close())
		fmt.Fprintf(out, "lifecycle log: %s\n", r.logFile.Name())
	}
	if r.traceFile != nil {
		errs = append(errs, r.trace.WriteJSON(r.traceFile), r.traceFile.Close())
		fmt.Fprintf(out, "trace: %s, %d events", r.traceFile.Name(), r.trace.Len())
		if n := r.trace.Dropped(); n > 0 {
			fmt.Fprintf(out, ", the last: %d older ones had no room", n)
		}
		fmt.Fprintln(out)
	}
	return errors.Join(errs...)
}
