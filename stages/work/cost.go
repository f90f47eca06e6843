package work

// Dimension is one thing a frame's budget limits besides wall time.
type Dimension uint8

// The dimensions of a [Budget].
const (
	// Admissions counts decoded results taken over from workers.
	Admissions Dimension = iota
	// AdoptedBytes counts the CPU bytes of those results.
	AdoptedBytes
	// EntityOps counts entity creations and structural changes.
	EntityOps
	// UploadBytes counts bytes sent to the device.
	UploadBytes
	// DeviceCreates counts images and geometry made on the device.
	DeviceCreates
	// DeviceTouches counts writes into images: a device is made to take each at
	// once, with a draw of one texel that nobody sees.
	DeviceTouches
	// Retirements counts logical owner releases.
	Retirements
	// DeviceFrees counts images and geometry destroyed on the device.
	DeviceFrees
	// Transitions counts textures that change their finest resident mip.
	Transitions

	// Dimensions is the number of dimensions.
	Dimensions
)

var dimensionNames = [Dimensions]string{
	"admissions", "adopted bytes", "entity operations", "upload bytes", "device creates", "device touches", "retirements", "device frees", "mip transitions",
}

// String is the dimension's name in diagnostics.
func (d Dimension) String() string {
	if d < Dimensions {
		return dimensionNames[d]
	}
	return "dimension-?"
}

// Cost is what one operation takes, known before it runs. Zero where an
// operation does not touch a dimension.
type Cost [Dimensions]int64

// Of is a cost in one dimension.
func Of(d Dimension, n int64) Cost {
	var c Cost
	c[d] = n
	return c
}

// And is c with n more in dimension d.
func (c Cost) And(d Dimension, n int64) Cost {
	c[d] += n
	return c
}
