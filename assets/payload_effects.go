package assets

import "math"

// EffectKind says what a [SceneEffect] is.
type EffectKind uint8

// The effects of a scene.
const (
	EffectParticles EffectKind = iota // Asset is a particle document
	EffectDecal                       // Asset is a texture, on a square of edge one, in X and Y
	EffectProbe                       // Asset is a texture, Radius its reach
	EffectLookUp                      // Asset is a texture; the place means nothing
	EffectZone                        // a box of edge one around the place; Zone says what for

	// EffectKinds is the number of kinds.
	EffectKinds
)

var effectKindNames = [EffectKinds]string{"particles", "decal", "probe", "look_up", "zone"}

// String is the kind's key in documents.
func (k EffectKind) String() string {
	if k < EffectKinds {
		return effectKindNames[k]
	}
	return "effect-?"
}

// SceneEffect is a placement in a scene document of something that is neither
// model nor sound.
type SceneEffect struct {
	ID     string // unique within its scene, entities included
	Kind   EffectKind
	At     Transform
	Asset  string  // stem; empty for a zone
	Radius float32 // of a probe, metres
	Zone   *SceneZone
}

// SceneZone is what a zone does while a streaming source is in it, and what it
// keeps in memory meanwhile.
type SceneZone struct {
	Sound  string  // heard everywhere in it; empty: none
	Gain   float32 // of Sound
	LookUp string  // texture that grades the picture; empty: none
	// Fog replaces the camera's where FogEnd is not zero; metres.
	FogColor         [3]float32
	FogStart, FogEnd float32
	// Hysteresis is how far outside a source counts as having left, metres.
	Hysteresis float32
	// GraceSeconds is how long everything stays in memory after it left.
	GraceSeconds float32
	Keep         []Key // further assets to keep in memory
}

// Particles is a parsed particle document: a source that gives off squares of
// one texture. Where each of them is at a time is a function of the document,
// its number and the time alone.
type Particles struct {
	Texture      string        // stem
	Rate         float32       // born in a second
	LifeSeconds  float32       // of each
	SizeMetres   [2]float32    // edge, at birth and at the end
	Color        [2][4]float32 // at birth and at the end; linear, straight alpha
	Velocity     [3]float32    // metres a second, in the source's own axes
	Spread       float32       // up to as much more along each axis, metres a second
	Acceleration [3]float32    // in world axes
	Radius       float32       // born up to as far from the source along each axis, metres
	Seed         uint32
}

// CountMax is how many there are at most at any time.
func (p *Particles) CountMax() int {
	return int(math.Ceil(float64(p.Rate)*float64(p.LifeSeconds))) + 1
}
