//go:build headless

package main

import (
	"github.com/spf13/cobra"

	"sojourn/demos/demo"
)

// run is always headless in a build without Ebitengine.
func run(c *cobra.Command, row demo.Row, o *options) error { return runHeadless(c, row, o) }

const headlessBuild = true
