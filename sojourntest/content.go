package sojourntest

import (
	"fmt"
	"slices"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/assets/docfile"
	"sojourn/assets/ktx2"
	"sojourn/assets/meshfile"
	"sojourn/assets/soundfile"
)

// Content is a source in memory with methods that cook into it. What cannot be
// encoded panics: it is the test's mistake.
type Content struct {
	*assetstest.Source
}

// NewContent makes an empty source.
func NewContent() *Content { return &Content{assetstest.NewSource("memory")} }

func must(stem string, b []byte, err error) []byte {
	if err != nil {
		panic(fmt.Sprintf("sojourntest: %s: %v", stem, err))
	}
	return b
}

// Texture puts a square texture with its mips; edge is in texels.
func (c *Content) Texture(stem string, edge int) {
	l := ktx2.Levels{Width: edge, Height: edge, SRGB: true}
	for i := range ktx2.LevelCount(edge, edge) {
		w, h := ktx2.LevelSize(edge, edge, i)
		l.Pixels = append(l.Pixels, slices.Repeat([]byte{byte(40 * i), 90, 120, 255}, w*h))
	}
	b, err := ktx2.Encode(&l)
	c.Set(stem+".ktx2", must(stem, b, err))
}

// Mesh puts a strip of so many triangles, one metre high.
func (c *Content) Mesh(stem string, triangles int) {
	var vertices []assets.Vertex
	var indices []uint32
	for i := range triangles {
		x := float32(i)
		for _, pos := range [3][3]float32{{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}} {
			vertices = append(vertices, assets.Vertex{Pos: pos, Normal: [3]float32{0, 0, 1}, Color: [4]uint8{255, 255, 255, 255}})
		}
		indices = append(indices, uint32(3*i), uint32(3*i+1), uint32(3*i+2))
	}
	b, err := meshfile.Encode(vertices, indices)
	c.Set(stem+".mesh", must(stem, b, err))
}

// Material puts a material with these textures as its maps, base colour first,
// then normal, and so on; an empty stem leaves a map out.
func (c *Content) Material(stem string, maps ...string) {
	m := docfile.DefaultMaterial()
	copy(m.Maps[:], maps)
	b, err := docfile.EncodeMaterial(&m)
	c.Set(stem+".material", must(stem, b, err))
}

// Part is one part of a model: a mesh, and a material or "".
type Part struct{ Mesh, Material string }

// Model puts a model whose parts stand a metre apart.
func (c *Content) Model(stem string, parts ...Part) {
	var m assets.Model
	for i, p := range parts {
		node := assets.ModelNode{Parent: -1, Local: assets.IdentityTransform()}
		node.Local.Pos[0] = float32(i)
		node.World = [16]float32{0: 1, 5: 1, 10: 1, 12: float32(i), 15: 1}
		m.Nodes = append(m.Nodes, node)
		m.Parts = append(m.Parts, assets.ModelPart{Node: int32(i), Mesh: p.Mesh, Material: p.Material})
	}
	m.Bounds = assets.Bounds{
		Max:    [3]float32{float32(len(parts) + 1), 1, 0},
		Center: [3]float32{float32(len(parts)+1) / 2, 0.5, 0}, Radius: float32(len(parts) + 1),
	}
	b, err := docfile.EncodeModel(&m)
	c.Set(stem+".model", must(stem, b, err))
}

// Crate puts a model of one part with a mesh, a material and a texture of its
// own, under stem#mesh, stem#material and stem#texture.
func (c *Content) Crate(stem string) {
	c.Texture(stem+"#texture", 16)
	c.Material(stem+"#material", stem+"#texture")
	c.Mesh(stem+"#mesh", 2)
	c.Model(stem, Part{stem + "#mesh", stem + "#material"})
}

// Sound puts a mono sound at the mixer's rate.
func (c *Content) Sound(stem string, frames int) {
	samples := make([]int16, frames)
	for i := range samples {
		samples[i] = int16(8000 * (1 - 2*(i/50%2)))
	}
	b, err := soundfile.Encode(48000, 1, samples)
	c.Set(stem+".pcm", must(stem, b, err))
}

// Particles puts a source of ten particles a second that live for two, with
// this texture.
func (c *Content) Particles(stem, texture string) {
	p := docfile.DefaultParticles()
	p.Texture, p.Rate, p.LifeSeconds = texture, 10, 2
	b, err := docfile.EncodeParticles(&p)
	c.Set(stem+".particle", must(stem, b, err))
}

// Scene puts a scene with these models in front of a camera at the origin.
func (c *Content) Scene(stem string, models ...string) {
	var s assets.Scene
	for i, model := range models {
		s.Entities = append(s.Entities, Placed(fmt.Sprintf("e%d", i), model, float32(i%7), 0, -5))
	}
	c.SceneOf(stem, s)
}

// SceneOf puts a scene document.
func (c *Content) SceneOf(stem string, s assets.Scene) {
	b, err := docfile.EncodeScene(&s)
	c.Set(stem+".scene", must(stem, b, err))
}

// Placed is an entity of a scene: a model at a place.
func Placed(id, model string, x, y, z float32) assets.SceneEntity {
	e := assets.SceneEntity{ID: id, At: assets.IdentityTransform(), Model: model}
	e.At.Pos = [3]float32{x, y, z}
	return e
}

// Effects are one effect of a scene of each kind, at a place: particles of the
// document particles, the texture for the rest, and a zone of ten metres that
// keeps it, too.
func Effects(particles, texture string, x, y, z float32) []assets.SceneEffect {
	at := assets.IdentityTransform()
	at.Pos = [3]float32{x, y, z}
	wide := at
	wide.Scale = [3]float32{10, 10, 10}
	return []assets.SceneEffect{
		{ID: "particles", Kind: assets.EffectParticles, At: at, Asset: particles},
		{ID: "decal", Kind: assets.EffectDecal, At: at, Asset: texture},
		{ID: "probe", Kind: assets.EffectProbe, At: at, Asset: texture, Radius: 20},
		{ID: "look-up", Kind: assets.EffectLookUp, At: at, Asset: texture},
		{ID: "zone", Kind: assets.EffectZone, At: wide, Zone: &assets.SceneZone{
			LookUp: texture, Hysteresis: 1, GraceSeconds: 0.2, FogEnd: 30,
			Keep: []assets.Key{{Stem: texture, Kind: assets.KindTexture}},
		}},
	}
}

// Sounding is an entity of a scene: a looping sound at the origin.
func Sounding(id, sound string) assets.SceneEntity {
	return assets.SceneEntity{
		ID: id, At: assets.IdentityTransform(), Sound: sound, Gain: 1, Radius: 50, Loop: true,
	}
}
