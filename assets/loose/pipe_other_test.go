//go:build !unix

package loose

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
