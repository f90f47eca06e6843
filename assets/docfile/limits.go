package docfile

import "sojourn/assets"

// Limits on documents; larger ones are refused with [assets.ErrTooLarge].
const (
	MaterialBytesMax  = 1 << 20
	ParticlesBytesMax = 1 << 20
	SceneBytesMax     = 256 << 20
	ModelBytesMax     = 256 << 20

	SceneEntitiesMax = 1 << 20
	SceneEffectsMax  = 1 << 16
	ZoneKeepMax      = 64
	ModelNodesMax    = 1 << 18
	ModelPartsMax    = 1 << 18

	EntityIDBytesMax = 256
	NodeNameBytesMax = 1024
)

// Ranges of values.
const (
	// CoordinateMax bounds positions, scales and bounds, in metres.
	CoordinateMax = 1e12
	// EmissiveMax bounds a channel of emitted light.
	EmissiveMax = 65504
	// NormalScaleMax bounds a normal map's strength on either side of zero.
	NormalScaleMax = 100
	// GainMax bounds a sound's gain.
	GainMax = 64
	// RadiusMin and RadiusMax bound a sound's reach, in metres.
	RadiusMin = 1e-3
	RadiusMax = 1e6

	// GraceSecondsMax bounds a zone's grace.
	GraceSecondsMax = 3600
	// ParticlesMax bounds how many particles one source has at a time, and
	// ParticleLifeMin and ParticleLifeMax how long each lasts, in seconds.
	ParticlesMax    = 4096
	ParticleLifeMin = 1e-3
	ParticleLifeMax = 600
	// ParticleMotionMax bounds speeds, accelerations, sizes and distances of
	// particles, in metres and seconds.
	ParticleMotionMax = 1e4

	// rotationSlack is how far a rotation's length may be from one.
	rotationSlack = 0.01
)

// Defaults of a sound in a scene.
const (
	GainDefault   = 1
	RadiusDefault = 10 // metres
)

// DefaultParticles is the source of a document that names only a texture: a
// slow puff.
func DefaultParticles() assets.Particles {
	return assets.Particles{
		Rate: 8, LifeSeconds: 2, SizeMetres: [2]float32{0.25, 0.5},
		Color:    [2][4]float32{{1, 1, 1, 1}, {1, 1, 1, 0}},
		Velocity: [3]float32{0, 0.5, 0}, Spread: 0.1,
	}
}
