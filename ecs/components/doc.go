// Package components holds what entities carry: plain data without behaviour
// and without pointers.
//
// A residency consumer is a component here plus one row in package systems.
// Keys of assets inside a component are unexported: they change through the
// consumer's setter, which keeps the ledger of retains in step. What is still
// to be done for an entity is a marker component (Pending...), so that finding
// it costs what is pending and not what exists.
package components
