//go:build !unix

package mapped

import "os"

func mapFile(*os.File, int) ([]byte, error) { return nil, ErrUnsupported }

func unmapFile([]byte) error { return nil }

func prefetch([]byte) {}
