// Package loose reads entries from plain files: from a folder on disk
// ([Dir]), as during development and for mods, or from any [io/fs.FS] ([FS]),
// such as an embedded one.
package loose
