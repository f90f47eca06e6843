// Package kinds holds the decoders of the engine's own asset kinds: which
// entry an asset comes from, how its bytes become a payload, what the payload
// costs, and which other assets it needs.
//
// Textures keep only their directory and their guaranteed tail; finer levels
// are read by range when the device wants them. Meshes, sounds, fonts and
// blobs show the source's mapping where there is one. Documents are small and
// are decoded into Go values.
package kinds
