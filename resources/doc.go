// Package resources gives typed access to what a world stores once: the
// ledger of holds, the material index, rosters of layers, load slots, cell
// namers and the table of material rows.
//
// Each is an Arche resource of its world, added by [Install]. Nothing here is
// shared between worlds. Game goroutine only.
package resources
