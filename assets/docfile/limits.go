package docfile

// Limits on documents; larger ones are refused with [assets.ErrTooLarge].
const (
	MaterialBytesMax = 1 << 20
	SceneBytesMax    = 256 << 20
	ModelBytesMax    = 256 << 20

	SceneEntitiesMax = 1 << 20
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

	// rotationSlack is how far a rotation's length may be from one.
	rotationSlack = 0.01
)

// Defaults of a sound in a scene.
const (
	GainDefault   = 1
	RadiusDefault = 10 // metres
)
