package portals

import (
	"math"

	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/ktx2"
)

const (
	gradeStem = "shared/grade"
	sparkStem = "shared/spark"
	stainStem = "shared/stain"

	gradeEdge = 16 // of the squares of a look-up table, in texels
)

// effects are what a stop's middle cell has beside props and sounds: sparks, a
// stain on the ground, the colour of its surroundings in its light, a grade,
// and a zone around the way that has its own.
func (s *stop) effects() []assets.SceneEffect {
	at := func(x, y, z float32) assets.Transform {
		t := assets.IdentityTransform()
		t.Pos = [3]float32{x, y, CellMetres/2 + z}
		return t
	}
	flat := at(0, 0.02, -2)
	flat.Rot = [4]float32{-math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2} // face up
	flat.Scale = [3]float32{3, 3, 1}
	room := at(0, 2, 0)
	room.Scale = [3]float32{24, 8, CellMetres}
	fog := tint(uint64(s.index), 0.15)
	return []assets.SceneEffect{
		{ID: "sparks", Kind: assets.EffectParticles, At: at(0, 0.3, 0), Asset: s.stem("sparks")},
		{ID: "stain", Kind: assets.EffectDecal, At: flat, Asset: stainStem},
		{ID: "around", Kind: assets.EffectProbe, At: at(0, 2, 0), Asset: s.stem("around"), Radius: 4 * CellMetres},
		{ID: "grade", Kind: assets.EffectLookUp, At: at(0, 0, 0), Asset: gradeStem},
		{ID: "room", Kind: assets.EffectZone, At: room, Zone: &assets.SceneZone{
			Sound: humStem, Gain: 0.05, LookUp: s.stem("grade"),
			FogColor: [3]float32{fog[0], fog[1], fog[2]}, FogStart: 18, FogEnd: 50,
			Hysteresis: 2, GraceSeconds: 1, Keep: []assets.Key{{Stem: grainStem, Kind: assets.KindTexture}},
		}},
	}
}

// addEffects adds what the effects of all stops share.
func (p *plan) addEffects(add func(string, func() ([]byte, error))) {
	add(sparkStem+".ktx2", func() ([]byte, error) { return blot(32, [3]float64{1, 0.9, 0.6}, 2) })
	add(stainStem+".ktx2", func() ([]byte, error) { return blot(64, [3]float64{0.1, 0.08, 0.06}, 0.5) })
	add(gradeStem+".ktx2", func() ([]byte, error) { return grade([4]float32{1, 1, 1, 1}) })
}

// addStopEffects adds those of one stop.
func (p *plan) addStopEffects(s *stop, add func(string, func() ([]byte, error))) {
	add(s.stem("sparks")+".particle", func() ([]byte, error) {
		d := docfile.DefaultParticles()
		d.Texture, d.Seed = sparkStem, uint32(s.index)
		d.Rate, d.LifeSeconds, d.Radius = 24, 2.5, 1.2
		d.SizeMetres, d.Acceleration = [2]float32{0.05, 0.2}, [3]float32{0, 0.3, 0}
		c := tint(uint64(s.index), 1)
		d.Color = [2][4]float32{c, {c[0], c[1], c[2], 0}}
		return docfile.EncodeParticles(&d)
	})
	add(s.stem("around")+".ktx2", func() ([]byte, error) { return mottled(32, uint64(s.index)+p.seed<<32) })
	add(s.stem("grade")+".ktx2", func() ([]byte, error) { return grade(tint(uint64(s.index), 1)) })
}

// effectKeys are what the effects that all stops have need.
func effectKeys(yield func(assets.Key)) {
	for _, stem := range []string{sparkStem, stainStem, gradeStem} {
		yield(assets.Key{Stem: stem, Kind: assets.KindTexture})
	}
}

// effectKeys are what only this stop's effects need.
func (s *stop) effectKeys(yield func(assets.Key)) {
	yield(assets.Key{Stem: s.stem("sparks"), Kind: assets.KindParticle})
	yield(assets.Key{Stem: s.stem("around"), Kind: assets.KindTexture})
	yield(assets.Key{Stem: s.stem("grade"), Kind: assets.KindTexture})
}

// blot is the file of a round spot that fades to its rim, the faster the
// harder; premultiplied.
func blot(edge int, c [3]float64, hard float64) ([]byte, error) {
	return levels(edge, edge, func(x, y, w, h int, texel []byte) {
		u, v := 2*(float64(x)+0.5)/float64(w)-1, 2*(float64(y)+0.5)/float64(h)-1
		alpha := math.Pow(max(0, 1-math.Hypot(u, v)), hard)
		for k := range 3 {
			texel[k] = uint8(255 * alpha * c[k])
		}
		texel[3] = uint8(255 * alpha)
	})
}

// grade is the file of a look-up table that leans to a colour.
func grade(c [4]float32) ([]byte, error) {
	const lean = 0.12
	return levels(gradeEdge*gradeEdge, gradeEdge, func(x, y, w, h int, texel []byte) {
		edge := max(h, 1)
		at := [3]int{x % edge, y, x / edge}
		for k := range 3 {
			part := float32(at[k]) / float32(max(edge-1, 1))
			texel[k] = uint8(255 * part * (1 - lean + lean*min(1, c[k])))
		}
		texel[3] = 255
	})
}

// levels is the file of a texture that is made level by level.
func levels(width, height int, fill func(x, y, w, h int, texel []byte)) ([]byte, error) {
	l := ktx2.Levels{Width: width, Height: height, SRGB: true}
	for level := range ktx2.LevelCount(width, height) {
		w, h := ktx2.LevelSize(width, height, level)
		pixels := make([]byte, 4*w*h)
		for i := range w * h {
			fill(i%w, i/w, w, h, pixels[4*i:4*i+4])
		}
		l.Pixels = append(l.Pixels, pixels)
	}
	return ktx2.Encode(&l)
}
