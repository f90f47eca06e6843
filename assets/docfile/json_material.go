package docfile

import "sojourn/assets"

// ParseMaterialJSON reads a material's source form strictly. name begins the
// error's text, followed by line and column. See the package for the shape.
func ParseMaterialJSON(name string, b []byte) (assets.Material, error) {
	r, err := newStrictReader(name, b, MaterialBytesMax)
	if err != nil {
		return assets.Material{}, err
	}
	m := DefaultMaterial()
	err = r.object("a material", func(key string) (bool, error) { return materialField(r, &m, key) })
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return assets.Material{}, err
	}
	return m, nil
}

func materialField(r *strictReader, m *assets.Material, key string) (known bool, err error) {
	switch key {
	case "base_color":
		err = r.numbers(key, m.BaseColor[:], 0, 1)
	case "emissive":
		err = r.numbers(key, m.Emissive[:], 0, EmissiveMax)
	case "metallic":
		m.Metallic, err = r.number(key, 0, 1)
	case "roughness":
		m.Roughness, err = r.number(key, 0, 1)
	case "normal_scale":
		m.NormalScale, err = r.number(key, -NormalScaleMax, NormalScaleMax)
	case "occlusion":
		m.Occlusion, err = r.number(key, 0, 1)
	case "alpha_cutoff":
		m.AlphaCutoff, err = r.number(key, 0, 1)
	case "blend":
		m.Blend, err = r.boolean(key)
	case "double_sided":
		m.DoubleSided, err = r.boolean(key)
	case "unlit":
		m.Unlit, err = r.boolean(key)
	case "maps":
		err = r.object("maps", func(slot string) (bool, error) { return materialMap(r, m, slot) })
	default:
		return false, nil
	}
	return true, err
}

func materialMap(r *strictReader, m *assets.Material, name string) (known bool, err error) {
	for slot := range assets.MapSlots {
		if slot.String() == name {
			m.Maps[slot], err = r.stem("map " + name)
			return true, err
		}
	}
	return false, nil
}
