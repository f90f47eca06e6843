package main

import (
	"fmt"
	"os"
	"strings"
)

// anonymousBytes is the memory of this process that no file stands behind.
func anonymousBytes() (float64, error) {
	b, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return 0, fmt.Errorf("anonymous memory: %w", err)
	}
	var kib float64
	_, rest, _ := strings.Cut(string(b), "\nAnonymous:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0, fmt.Errorf("anonymous memory: the kernel does not tell: %w", err)
	}
	return kib * 1024, nil
}
