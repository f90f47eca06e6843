//go:build !headless

package window

import (
	"os"
	"sync/atomic"
	"testing"
)

// onMain takes what a test must run on the main goroutine: Ebitengine's loop.
var onMain = make(chan func())

// unused is whether the loop did not run yet: it runs once a process.
var unused atomic.Bool

func TestMain(m *testing.M) {
	unused.Store(true)
	code := make(chan int, 1)
	go func() { code <- m.Run() }()
	for {
		select {
		case f := <-onMain:
			f()
		case c := <-code:
			os.Exit(c)
		}
	}
}
