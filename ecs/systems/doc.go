// Package systems holds the rows of the built-in stage table, one file for
// each residency consumer, the systems that publish a world to the device, and
// [Bind], which makes a guest's consumer of any component in about ten lines.
package systems
