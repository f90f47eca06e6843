//go:build !unix

package loose

const openWithoutWaiting = 0
