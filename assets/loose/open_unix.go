//go:build unix

package loose

import "golang.org/x/sys/unix"

// openWithoutWaiting makes opening a pipe return at once, so that it can be
// refused, instead of waiting for a writer.
const openWithoutWaiting = unix.O_NONBLOCK
