//go:build !headless

package ebitengine

func beforeLoop() {}
