package picture

import (
	"math"
	"sync"
)

// light holds the sRGB curve both ways, made at first use and never changed.
type light struct {
	linear  [256]float32   // of an sRGB byte, 0..1
	encoded [1 << 16]uint8 // of linear light in 1/65535
}

var curve = sync.OnceValue(func() *light {
	t := new(light)
	for i := range t.linear {
		t.linear[i] = float32(toLinear(float64(i) / 255))
	}
	for i := range t.encoded {
		t.encoded[i] = uint8(math.Round(255 * toSRGB(float64(i)/65535)))
	}
	return t
})

func toLinear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func toSRGB(v float64) float64 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}

func (t *light) encode(linear float32) uint8 {
	return t.encoded[uint16(min(max(linear, 0), 1)*65535+0.5)]
}
