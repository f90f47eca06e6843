package ktx2

import "math/bits"

const (
	formatUnorm = 37 // VK_FORMAT_R8G8B8A8_UNORM
	formatSRGB  = 43 // VK_FORMAT_R8G8B8A8_SRGB

	texelBytes = 4
	// levelAlignBytes is lcm(texel block size, 4), as the format demands of
	// levels without supercompression.
	levelAlignBytes = 4

	headerBytes     = 80
	levelEntryBytes = 24

	// dfdBytesMax and keyValueBytesMax bound what is read of foreign files.
	dfdBytesMax      = 1 << 10
	keyValueBytesMax = 64 << 10
)

// Offsets of the header's fields.
const (
	atFormat       = 12
	atTypeSize     = 16
	atWidth        = 20
	atHeight       = 24
	atDepth        = 28
	atLayers       = 32
	atFaces        = 36
	atLevels       = 40
	atScheme       = 44
	atDFDOffset    = 48
	atDFDBytes     = 52
	atKeyValOffset = 56
	atKeyValBytes  = 60
	atGlobalOffset = 64
	atGlobalBytes  = 72
)

// Values of the data format descriptor.
const (
	dfdBlockHeadBytes = 24
	dfdSampleBytes    = 16
	dfdSamples        = 4
	dfdBlockBytes     = dfdBlockHeadBytes + dfdSamples*dfdSampleBytes
	dfdTotalBytes     = 4 + dfdBlockBytes

	dfdVersion           = 2 // Khronos Data Format 1.3
	dfdModelRGBSDA       = 1
	dfdPrimariesBT709    = 1
	dfdTransferLinear    = 1
	dfdTransferSRGB      = 2
	dfdFlagPremultiplied = 1
	dfdChannelMask       = 0x0F
	dfdChannelLinear     = 0x10 // this channel is linear whatever the transfer function
)

// dfdChannels are the channel numbers of R, G, B and A.
var dfdChannels = [dfdSamples]byte{0, 1, 2, 15}

const (
	keyAlpha       = "sojournAlpha"
	keyOrientation = "KTXorientation"
	keyWriter      = "KTXwriter"

	orientationTopDown = "rd" // x to the right, y down
)

const identifier = "\xABKTX 20\xBB\r\n\x1A\n"

// LevelCount is the number of levels of the full mip chain of an image of
// width x height texels. It is 0 if either is less than one.
func LevelCount(width, height int) int {
	if width < 1 || height < 1 {
		return 0
	}
	return bits.Len(uint(max(width, height)))
}

// LevelSize is the width and height in texels of one level of an image;
// level 0 is the image itself.
func LevelSize(width, height, level int) (w, h int) {
	return max(1, width>>level), max(1, height>>level)
}
