package systems

import (
	"math"
	"math/bits"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"sojourn/assets"
	"sojourn/gpu"
)

// A particle is a function of its document, its number, its source's place and
// the world's time: nothing is stepped, so that a source that was withheld, or
// came in later, looks as if it had always been there, and equal times give
// equal frames. Number k is born at k/rate seconds; numbers begin before zero,
// so that a source never starts empty.

// emitter gives off one source's particles at one time.
type emitter struct {
	doc    *assets.Particles
	seed   uint64
	place  mgl32.Mat4
	right  [3]float32 // of the camera, unit length
	up     [3]float32
	second float64
}

func newEmitter(doc *assets.Particles, world *gpu.Mat4, view *mgl32.Mat4, now time.Duration) emitter {
	place := uint64(math.Float32bits(world[12])) ^ uint64(math.Float32bits(world[13]))<<21 ^ uint64(math.Float32bits(world[14]))<<42
	return emitter{
		doc: doc, seed: mixed(uint64(doc.Seed)<<32 ^ place), place: mgl32.Mat4(*world), second: now.Seconds(),
		right: [3]float32{view[0], view[4], view[8]}, up: [3]float32{view[1], view[5], view[9]},
	}
}

// emit appends a quad for each particle that lives.
func (m *emitter) emit(dst []gpu.Quad) []gpu.Quad {
	rate, life := float64(m.doc.Rate), float64(m.doc.LifeSeconds)
	if rate <= 0 {
		return dst
	}
	first, last := int64(math.Floor((m.second-life)*rate))+1, int64(math.Floor(m.second*rate))
	for k := max(first, last-int64(m.doc.CountMax())+1); k <= last; k++ {
		dst = append(dst, m.quad(k, float32(m.second-float64(k)/rate)))
	}
	return dst
}

// quad is particle k at an age in seconds.
func (m *emitter) quad(k int64, age float32) gpu.Quad {
	d := m.doc
	random := m.seed ^ mixed(uint64(k))
	var born, speed mgl32.Vec3
	for i := range 3 {
		random = mixed(random)
		born[i] = d.Radius * signed(uint32(random))
		speed[i] = d.Velocity[i] + d.Spread*signed(uint32(random>>32))
	}
	at := m.place.Mul4x1(born.Vec4(1)).Vec3()
	speed = m.place.Mat3().Mul3x1(speed)
	part := min(max(age/d.LifeSeconds, 0), 1)
	half := 0.5 * (d.SizeMetres[0] + part*(d.SizeMetres[1]-d.SizeMetres[0]))
	var q gpu.Quad
	for i := range 3 {
		q.Center[i] = at[i] + age*(speed[i]+0.5*age*d.Acceleration[i])
		q.Right[i], q.Up[i] = half*m.right[i], half*m.up[i]
	}
	for i := range 4 {
		q.Color[i] = d.Color[0][i] + part*(d.Color[1][i]-d.Color[0][i])
	}
	return q
}

// mixed scatters a number.
func mixed(x uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)
	return hi ^ lo
}

// signed is -1 to 1.
func signed(x uint32) float32 { return float32(int32(x)) / (1 << 31) }

// reachOf is how far from its source a particle can come, at scale one.
func reachOf(d *assets.Particles) float32 {
	length := func(v [3]float32) float32 { return mgl32.Vec3(v).Len() }
	life := d.LifeSeconds
	const corner = 1.7320508 // of a cube, by its half edge
	return corner*d.Radius + life*(length(d.Velocity)+corner*d.Spread+0.5*life*length(d.Acceleration)) +
		max(d.SizeMetres[0], d.SizeMetres[1])
}
