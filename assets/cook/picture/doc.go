// Package picture turns image files into cooked textures: it decodes PNG,
// JPEG and WebP to straight-alpha RGBA, builds the mip chain in linear light,
// multiplies colour by alpha once, and writes KTX2.
//
// It is made for files from anywhere. Dimensions are read from the header and
// held against [assets.TextureEdgeMax] and [PixelsMax] before any pixel memory
// is taken, damaged data gives an error and never part of a picture, and what
// a format's decoder complains of is said in the same few words for every
// format: "empty", "truncated", "checksum", "limit".
//
// Every function may be called from any goroutine.
package picture
