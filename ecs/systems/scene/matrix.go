package scene

import (
	"github.com/go-gl/mathgl/mgl32"

	"sojourn/assets"
	"sojourn/gpu"
)

func mul(a, b gpu.Mat4) gpu.Mat4 { return gpu.Mat4(mgl32.Mat4(a).Mul4(mgl32.Mat4(b))) }

// Matrix is a document's placement as a matrix, moved by origin.
func Matrix(t assets.Transform, origin [3]float32) gpu.Mat4 {
	q := mgl32.Quat{W: t.Rot[3], V: mgl32.Vec3{t.Rot[0], t.Rot[1], t.Rot[2]}}
	if q.Len() == 0 {
		q = mgl32.QuatIdent()
	}
	m := mgl32.Translate3D(t.Pos[0]+origin[0], t.Pos[1]+origin[1], t.Pos[2]+origin[2]).
		Mul4(q.Normalize().Mat4()).
		Mul4(mgl32.Scale3D(t.Scale[0], t.Scale[1], t.Scale[2]))
	return gpu.Mat4(m)
}
