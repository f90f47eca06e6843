//go:build !linux

package main

import "errors"

func anonymousBytes() (float64, error) {
	return 0, errors.New("anonymous memory is measured on Linux only")
}
