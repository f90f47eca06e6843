package hallway

import (
	"math"
	"time"

	"sojourn"
	"sojourn/demos/demo"
	"sojourn/gpu"
)

// Flight, in metres, seconds and radians.
const (
	flySpeedDefault = 30.0
	walkSpeed       = 9.0
	eyeHeight       = 1.7
	turnMetres      = 24 // how far before an end the flight turns round
)

// flight moves the camera: by itself up and down the corridor, or as the
// player says.
type flight struct {
	pos        [3]float64
	yaw, pitch float64 // yaw 0 looks along +Z
	forward    float64 // 1 or -1
	speed      float64
	length     float64
	manual     bool
	time       float64
}

func newFlight(length, speed float64) flight {
	if speed == 0 {
		speed = flySpeedDefault
	}
	return flight{pos: [3]float64{0, eyeHeight, 2}, forward: 1, speed: speed, length: length}
}

func (f *flight) step(in demo.Input, dt time.Duration) {
	if in.ToggleFly {
		f.manual = !f.manual
	}
	if in.Move != [3]float32{} {
		f.manual = true
	}
	s := dt.Seconds()
	f.time += s
	f.yaw += float64(in.LookX)
	f.pitch = min(max(f.pitch-float64(in.LookY), -1.4), 1.4)
	if f.manual {
		f.walk(in, s)
		return
	}
	f.pos[2] += f.forward * f.speed * s
	if f.forward > 0 && f.pos[2] > f.length-turnMetres {
		f.forward = -1
	}
	if f.forward < 0 && f.pos[2] < turnMetres {
		f.forward = 1
	}
	want := 0.0
	if f.forward < 0 {
		want = math.Pi
	}
	f.yaw += (want - f.yaw) * min(1, 4*s)
	f.pos[0] = 0.5 * math.Sin(f.time*0.7)
	f.pos[1] = eyeHeight + 0.08*math.Sin(f.time*1.9)
}

func (f *flight) walk(in demo.Input, s float64) {
	sin, cos := math.Sincos(f.yaw)
	right, up, ahead := float64(in.Move[0]), float64(in.Move[1]), float64(in.Move[2])
	f.pos[0] += (sin*ahead - cos*right) * walkSpeed * s
	f.pos[1] += up * walkSpeed * s
	f.pos[2] += (cos*ahead + sin*right) * walkSpeed * s
	f.pos[0] = min(max(f.pos[0], -2.6), 2.6)
	f.pos[1] = min(max(f.pos[1], 0.3), 3.7)
	f.pos[2] = min(max(f.pos[2], 0.5), f.length-0.5)
	if math.Abs(cos) > 0.3 {
		f.forward = math.Copysign(1, cos)
	}
}

// look points the camera.
func (f *flight) look(c *gpu.Camera) {
	sinYaw, cosYaw := math.Sincos(f.yaw)
	sinPitch, cosPitch := math.Sincos(f.pitch)
	eye := [3]float32{float32(f.pos[0]), float32(f.pos[1]), float32(f.pos[2])}
	sojourn.Look(c, eye, [3]float32{
		eye[0] + float32(sinYaw*cosPitch), eye[1] + float32(sinPitch), eye[2] + float32(cosYaw*cosPitch),
	})
}
