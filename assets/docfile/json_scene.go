package docfile

import "sojourn/assets"

// ParseSceneJSON reads a scene's source form strictly. name begins the error's
// text, followed by line and column. Rotations are scaled to length one. See
// the package for the shape.
func ParseSceneJSON(name string, b []byte) (assets.Scene, error) {
	return parseScene(name, b, noYield, idSet{})
}

func parseScene(name string, b []byte, yield func() error, ids idSet) (assets.Scene, error) {
	r, err := newStrictReader(name, b, SceneBytesMax)
	if err != nil {
		return assets.Scene{}, err
	}
	p := sceneParser{r: r, ids: ids, pace: pace{yield: yield}}
	err = r.object("a scene", p.field)
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return assets.Scene{}, err
	}
	return p.scene, nil
}

type sceneParser struct {
	r     *strictReader
	scene assets.Scene
	ids   idSet
	pace  pace
}

func (p *sceneParser) field(key string) (known bool, err error) {
	switch key {
	case "skybox":
		p.scene.Skybox, err = p.r.stem(key)
	case "entities":
		err = p.r.array(key, p.entity)
	case "effects":
		err = p.r.array(key, p.effect)
	default:
		return false, nil
	}
	return true, err
}

func (p *sceneParser) entity(i int) error {
	r := p.r
	if i >= SceneEntitiesMax {
		return r.wrap(r.at, tooLarge("entities", int64(i)+1, SceneEntitiesMax))
	}
	if err := p.pace.at(r.at); err != nil {
		return err
	}
	e := assets.SceneEntity{At: assets.IdentityTransform()}
	var heard heardKeys
	start := -1
	err := r.object("an entity", func(key string) (bool, error) {
		if start < 0 {
			start = r.at
		}
		return entityField(r, &e, &heard, key)
	})
	if err != nil {
		return err
	}
	if start < 0 {
		start = r.at
	}
	switch {
	case e.Sound != "":
		heard.fill(&e)
	case heard.any():
		return r.fail(start, "only a sound has gain, radius or loop")
	}
	if err := checkEntity(&e); err != nil {
		return r.wrap(start, err)
	}
	if !p.ids.take(e.ID) {
		return r.fail(start, "id %.40q is taken", e.ID)
	}
	normalize(&e.At.Rot)
	p.scene.Entities = append(p.scene.Entities, e)
	return nil
}

// heardKeys notes which of a sound's keys an entity has.
type heardKeys struct{ gain, radius, loop bool }

func (h *heardKeys) any() bool { return h.gain || h.radius || h.loop }

// fill gives a sound's missing keys their defaults.
func (h *heardKeys) fill(e *assets.SceneEntity) {
	if !h.gain {
		e.Gain = GainDefault
	}
	if !h.radius {
		e.Radius = RadiusDefault
	}
}

func entityField(r *strictReader, e *assets.SceneEntity, heard *heardKeys, key string) (known bool, err error) {
	switch key {
	case "id":
		e.ID, err = r.text(key)
	case "model":
		e.Model, err = r.stem(key)
	case "material":
		e.Material, err = r.stem(key)
	case "sound":
		e.Sound, err = r.stem(key)
	case "pos":
		err = r.numbers(key, e.At.Pos[:], -CoordinateMax, CoordinateMax)
	case "rot":
		err = r.numbers(key, e.At.Rot[:], -2, 2)
	case "scale":
		err = r.numbers(key, e.At.Scale[:], -CoordinateMax, CoordinateMax)
	case "gain":
		heard.gain = true
		e.Gain, err = r.number(key, 0, GainMax)
	case "radius":
		heard.radius = true
		e.Radius, err = r.number(key, RadiusMin, RadiusMax)
	case "loop":
		heard.loop = true
		e.Loop, err = r.boolean(key)
	default:
		return false, nil
	}
	return true, err
}

// normalize leaves a rotation of length one exactly as it is.
func normalize(q *[4]float32) {
	n := rotationLength(q)
	if float32(n) == 1 {
		return
	}
	for i := range q {
		q[i] = float32(float64(q[i]) / n)
	}
}
