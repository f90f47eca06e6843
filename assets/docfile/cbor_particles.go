package docfile

import "sojourn/assets"

const kindParticles = "particles"

type wireParticles struct {
	_            struct{} `cbor:",toarray"`
	Texture      uint32   // stem
	Rate         float32
	Life         float32
	Size         [2]float32
	Birth        vec4 // colours
	End          vec4
	Velocity     vec3
	Spread       float32
	Acceleration vec3
	Radius       float32
	Seed         uint32
}

// EncodeParticles packs a particle source. The result is the caller's; equal
// sources give equal bytes. What [DecodeParticles] would refuse is refused
// here.
func EncodeParticles(p *assets.Particles) ([]byte, error) {
	if err := checkParticles(p); err != nil {
		return nil, err
	}
	w := newWireWriter()
	item := wireParticles{
		Texture: w.stems.add(p.Texture), Rate: p.Rate, Life: p.LifeSeconds, Size: p.SizeMetres,
		Birth: vec4Of(p.Color[0]), End: vec4Of(p.Color[1]), Velocity: vec3Of(p.Velocity), Spread: p.Spread,
		Acceleration: vec3Of(p.Acceleration), Radius: p.Radius, Seed: p.Seed,
	}
	if err := w.put(&item); err != nil {
		return nil, err
	}
	return w.finish(header{Kind: kindParticles, Items: 1})
}

// DecodeParticles reads a particle source in either form: JSON where the name
// ends in ".json" or the text starts with '{', packed otherwise.
func DecodeParticles(name string, b []byte) (assets.Particles, error) {
	if isJSON(name, b) {
		return ParseParticlesJSON(name, b)
	}
	var p assets.Particles
	r, h, err := newWireReader(name, kindParticles, b, ParticlesBytesMax, noYield, nil)
	if err != nil {
		return p, err
	}
	if h.Items != 1 || h.Nodes != 0 || h.Skybox != 0 {
		return p, r.fail("the header's counts are wrong")
	}
	var item wireParticles
	if err := r.next(&item); err != nil {
		return p, err
	}
	p = assets.Particles{
		Rate: item.Rate, LifeSeconds: item.Life, SizeMetres: item.Size,
		Color:    [2][4]float32{item.Birth.floats(), item.End.floats()},
		Velocity: item.Velocity.floats(), Spread: item.Spread,
		Acceleration: item.Acceleration.floats(), Radius: item.Radius, Seed: item.Seed,
	}
	if p.Texture, err = r.stem(item.Texture); err != nil {
		return assets.Particles{}, err
	}
	if err := r.end(); err != nil {
		return assets.Particles{}, err
	}
	if err := checkParticles(&p); err != nil {
		return assets.Particles{}, r.named(err)
	}
	return p, nil
}
