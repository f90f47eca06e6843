//go:build !linux

package main

func mipReadComparisons() []comparison { return nil }
