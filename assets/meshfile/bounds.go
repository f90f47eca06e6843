package meshfile

import (
	"math"

	"sojourn/assets"
)

// BoundsOf is the box around the vertices and the sphere around the box's
// middle that holds them all. Of no vertices it is zero. Positions must be
// finite.
func BoundsOf(v []assets.Vertex) assets.Bounds {
	if len(v) == 0 {
		return assets.Bounds{}
	}
	b := assets.Bounds{Min: v[0].Pos, Max: v[0].Pos}
	for i := range v {
		for axis, x := range v[i].Pos {
			b.Min[axis] = min(b.Min[axis], x)
			b.Max[axis] = max(b.Max[axis], x)
		}
	}
	for axis := range 3 {
		b.Center[axis] = float32((float64(b.Min[axis]) + float64(b.Max[axis])) / 2)
	}
	farthest := 0.0
	for i := range v {
		farthest = max(farthest, squareDistance(&v[i].Pos, &b.Center))
	}
	b.Radius = roundUp(math.Sqrt(farthest))
	return b
}

func squareDistance(a, b *[3]float32) float64 {
	sum := 0.0
	for axis := range 3 {
		d := float64(a[axis]) - float64(b[axis])
		sum += d * d
	}
	return sum
}

// roundUp gives the next float32 that is not below x, so that the sphere never
// cuts off the vertex that made it.
func roundUp(x float64) float32 {
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}
