// Package assets is the store: which decoded assets are in memory, who holds
// them, what they cost, and how they come and go.
//
// Many consumers ask for the same file at once, on the game goroutine, while
// it may be half decoded, evicted or replaced on disk. The store answers with
// counts. Each use retains, each end releases; at zero the payload is freed
// at once or parked under the keep-alive budget.
//
// # Two ways to misuse a handle
//
// Keeping a handle does not keep the asset: only a retain does. A payload
// read without one may be freed while it is read. And a retain kept in a
// component that the world removes is lost: keep retains in a ledger, a
// [Scope] or a [Retained], never in component data.
//
// # Goroutines
//
// Every method of [Store] may be called from any goroutine unless its comment
// says otherwise. Decoders run on the store's workers. No consumer code ever
// runs on a worker: completions are queued, and [Store.Drain] hands them to
// the game goroutine.
//
// # How long bytes stay valid
//
// Bytes inside a payload are valid while a retain on that payload is held.
// They may lie in a file mapping; a file truncated by another program then
// faults on access, so long copies of mapped bytes go through [Guard].
//
// The store knows keys and counts. It does not know scenes, layers, worlds,
// the ECS, the device, or any file format: decoders are registered per kind
// ([KindSpec]) and bytes come from a [Source].
package assets
