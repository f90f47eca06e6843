//go:build headless

package main

func main() {}
