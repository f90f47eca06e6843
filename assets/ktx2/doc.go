// Package ktx2 writes and reads KTX 2.0 files as the engine cooks them: one
// two-dimensional RGBA image of eight bits a channel with its full chain of
// mips, uncompressed, colour premultiplied by alpha, first row at the top.
//
// The levels of a KTX 2.0 file lie smallest first, so the levels from any one
// to the smallest are one contiguous range. [Parse] reads the directory only;
// pixels are read later, by range.
//
// The format is a subset: what [Parse] accepts is a valid KTX 2.0 file, but
// most KTX 2.0 files (other formats, arrays, cubes, supercompression, straight
// alpha) are refused with an error that says why.
package ktx2
