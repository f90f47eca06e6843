// Package assetstest helps to test code that loads assets: a source in memory
// that counts, fails on request and holds reads at a gate; a small text kind;
// and a check that a store holds nothing.
//
// A gate turns a race into a plain test: hold an entry, start its load, wait
// until a read is held, do what is to happen meanwhile, let the read go.
package assetstest
