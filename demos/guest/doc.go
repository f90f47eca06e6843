// Command guest shows how a game adds an asset kind and two residency
// consumers of its own to Sojourn, from outside its module:
//
//   - palette.go: a kind of asset, with its decoder
//   - bind.go: a consumer in ten lines, by systems.Bind
//   - lamp.go, row.go: a consumer written out in full
//   - main.go: a headless session that runs both
//
// The tests put both consumers through stagestest.Conform.
package main
