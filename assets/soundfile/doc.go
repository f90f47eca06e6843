// Package soundfile writes and reads cooked sounds: a header of 64 bytes and
// interleaved 16-bit little-endian samples, which a mapping shows as they are.
//
// The header:
//
//	 0  magic "SJS\n"
//	 4  version
//	 8  rate, in frames per second
//	12  number of channels
//	16  number of frames (uint64)
//	24  offset of the samples, in bytes
//	28  zeros
//
// Nothing may follow the samples.
package soundfile
