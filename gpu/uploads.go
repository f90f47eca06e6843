package gpu

import (
	"time"

	"sojourn/assets"
	"sojourn/stages/work"
	"sojourn/trace"
)

// Uploads pumps a [Geometry] and a [Textures] that share the frame's upload
// bytes and alternates, frame by frame, who goes first: something of one kind
// that is uploaded again every frame cannot keep the other kind off the
// device.
type Uploads struct {
	geometry     *Geometry
	textures     *Textures
	frame        int64
	textureFirst bool
}

// NewUploads joins two tables.
func NewUploads(g *Geometry, t *Textures) *Uploads {
	return &Uploads{geometry: g, textures: t, frame: -1}
}

// Pump pumps both. Pumps that share one of the meter's frames share its order.
func (u *Uploads) Pump(m *work.Meter) {
	if f := m.Facts().Frame; f != u.frame {
		u.frame = f
		u.textureFirst = !u.textureFirst
	}
	if u.textureFirst {
		u.textures.Pump(m)
		u.geometry.Pump(m)
		return
	}
	u.geometry.Pump(m)
	u.textures.Pump(m)
}

// Pending is the number of uploads both have outstanding.
func (u *Uploads) Pending() int { return u.geometry.Pending() + u.textures.Pending() }

// Line is device work that waits.
type Line struct {
	Waiting int
	Bytes   int64         // as far as known
	Oldest  time.Duration // how long the oldest has, by the meter's clock at the last pump
}

// failed is how the trace calls what went wrong.
func failed(err error) string {
	if err == nil {
		return ""
	}
	return "failed"
}

// tellUpload records one step of an upload. It asks the store for the key, so
// call it where the track is on.
func tellUpload(t trace.Track, s phaseStore, name string, began time.Duration, h assets.Handle, bytes int64, err error) {
	key, _ := s.KeyOf(h) // generated meshes have none
	t.Span("upload", name, began, trace.Args{Bytes: bytes, Key: key.Stem, Detail: failed(err)})
}
