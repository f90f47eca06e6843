// Package systems holds the rows of the built-in stage table, one file for
// each residency consumer, the systems that publish a world to the device, and
// [Bind], which makes a guest's consumer of any component in about ten lines.
//
// Cells of a world too large to load come and go by place: [Grid] adds a field
// of them, [Sources] moves what they are loaded around, and [CellsRow] keeps
// the windows loaded. It looks at the cells that enter or leave a window, and
// at no others, so that a grid may have millions.
package systems
