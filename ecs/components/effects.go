package components

import (
	"time"

	"sojourn/assets"
	"sojourn/gpu"
)

// Decal shows a picture on a square of edge one in its entity's X and Y, which
// is lit as a surface and seen from both sides.
type Decal struct{ Picture }

// PendingDecal marks a decal whose picture is not joined yet.
type PendingDecal struct{}

// ParticleSource gives off the particles that a document describes, at its
// entity's place. The document says which texture they have.
type ParticleSource struct {
	document assets.Handle

	// Texture is the document's, zero until that is in memory.
	Texture assets.Handle
	// Joined is the device's copy of the texture. Where that failed, particles
	// are plain squares in their own colours.
	Joined gpu.TextureRef
	// Quads is how many particles there are at most; 0 until the document is in
	// memory.
	Quads int32
	// ReachMetres is how far from its place a particle can come.
	ReachMetres float32
}

// NewParticleSource names the document; scene.Spawner records it in the
// ledger.
func NewParticleSource(document assets.Handle) ParticleSource {
	return ParticleSource{document: document}
}

// Document is the particle document's handle.
func (p *ParticleSource) Document() assets.Handle { return p.document }

// PendingParticles marks a source whose document or texture is awaited.
type PendingParticles struct{}

// Zone is a box of edge one around its entity's place. While a [StreamSource]
// is in it, it keeps in memory what it names, its sound is heard, and its
// look-up table and fog are the world's. Effects end as the source leaves;
// memory is given back when its grace is over. What it names is recorded in
// the ledger by scene.Spawner.
type Zone struct {
	sound, lookUp assets.Handle // zero: none

	Gain float32 // of the sound
	// Fog replaces the camera's where FogEndMetres is not zero.
	FogColor                     [3]float32
	FogStartMetres, FogEndMetres float32
	HysteresisMetres             float32 // how far outside has left
	GraceTime                    time.Duration

	State  ZoneState
	LeftAt time.Duration // by the session's clock, in grace
}

// ZoneState says whether something is in a zone.
type ZoneState uint8

// The states of a zone.
const (
	ZoneEmpty    ZoneState = iota
	ZoneOccupied           // a source is in it
	ZoneGrace              // empty, and still in memory
)

// NewZone names a zone's sound and look-up table, either of which may be zero.
func NewZone(sound, lookUp assets.Handle) Zone { return Zone{sound: sound, lookUp: lookUp} }

// Sound is the handle of what is heard in the zone, or zero.
func (z *Zone) Sound() assets.Handle { return z.sound }

// LookUp is the handle of the texture that grades the picture, or zero.
func (z *Zone) LookUp() assets.Handle { return z.lookUp }

// PendingZone marks an occupied zone that does not hold all it names.
type PendingZone struct{}
