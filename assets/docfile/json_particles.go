package docfile

import "sojourn/assets"

// ParseParticlesJSON reads a particle source's document strictly. name begins
// the error's text, followed by line and column. See the package for the shape.
func ParseParticlesJSON(name string, b []byte) (assets.Particles, error) {
	r, err := newStrictReader(name, b, ParticlesBytesMax)
	if err != nil {
		return assets.Particles{}, err
	}
	p := DefaultParticles()
	begins, ends := false, false
	err = r.object("a particle source", func(key string) (bool, error) {
		begins, ends = begins || key == "color", ends || key == "end_color"
		return particlesField(r, &p, key)
	})
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return assets.Particles{}, err
	}
	if begins && !ends { // it fades
		p.Color[1] = p.Color[0]
		p.Color[1][3] = 0
	}
	if err := checkParticles(&p); err != nil {
		return assets.Particles{}, r.wrap(0, err)
	}
	return p, nil
}

func particlesField(r *strictReader, p *assets.Particles, key string) (known bool, err error) {
	const far = ParticleMotionMax
	switch key {
	case "texture":
		p.Texture, err = r.stem(key)
	case "rate":
		p.Rate, err = r.number(key, 0, ParticlesMax/ParticleLifeMin)
	case "life":
		p.LifeSeconds, err = r.number(key, ParticleLifeMin, ParticleLifeMax)
	case "size":
		err = r.numbers(key, p.SizeMetres[:], 0, far)
	case "color":
		err = r.numbers(key, p.Color[0][:], 0, EmissiveMax)
	case "end_color":
		err = r.numbers(key, p.Color[1][:], 0, EmissiveMax)
	case "velocity":
		err = r.numbers(key, p.Velocity[:], -far, far)
	case "spread":
		p.Spread, err = r.number(key, 0, far)
	case "acceleration":
		err = r.numbers(key, p.Acceleration[:], -far, far)
	case "radius":
		p.Radius, err = r.number(key, 0, far)
	case "seed":
		var seed float32
		if seed, err = r.number(key, 0, 1<<24); err == nil && seed != float32(uint32(seed)) {
			err = r.fail(r.at, "seed is %g, want a whole number", seed)
		}
		p.Seed = uint32(seed)
	default:
		return false, nil
	}
	return true, err
}
