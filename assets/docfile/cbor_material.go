package docfile

import "sojourn/assets"

const kindMaterial = "material"

type wireMaterial struct {
	_           struct{} `cbor:",toarray"`
	BaseColor   vec4
	Emissive    vec3
	Metallic    float32
	Roughness   float32
	NormalScale float32
	Occlusion   float32
	AlphaCutoff float32
	Blend       bool
	DoubleSided bool
	Unlit       bool
	Maps        map[uint8]uint32 // stem by slot
}

// EncodeMaterial packs a material. The result is the caller's; equal materials
// give equal bytes. What [DecodeMaterial] would refuse is refused here.
func EncodeMaterial(m *assets.Material) ([]byte, error) {
	if err := checkMaterial(m); err != nil {
		return nil, err
	}
	w := newWireWriter()
	item := wireMaterial{
		BaseColor: vec4Of(m.BaseColor), Emissive: vec3Of(m.Emissive),
		Metallic: m.Metallic, Roughness: m.Roughness, NormalScale: m.NormalScale, Occlusion: m.Occlusion,
		AlphaCutoff: m.AlphaCutoff, Blend: m.Blend, DoubleSided: m.DoubleSided, Unlit: m.Unlit,
		Maps: map[uint8]uint32{},
	}
	for slot, stem := range m.Maps {
		if stem != "" {
			item.Maps[uint8(slot)] = w.stems.add(stem)
		}
	}
	if err := w.put(&item); err != nil {
		return nil, err
	}
	return w.finish(header{Kind: kindMaterial, Items: 1})
}

// DecodeMaterial reads a material in either form: JSON where the name ends in
// ".json" or the text starts with '{', packed otherwise.
func DecodeMaterial(name string, b []byte) (assets.Material, error) {
	if isJSON(name, b) {
		return ParseMaterialJSON(name, b)
	}
	var m assets.Material
	r, h, err := newWireReader(name, kindMaterial, b, MaterialBytesMax, noYield, nil)
	if err != nil {
		return m, err
	}
	if h.Items != 1 || h.Nodes != 0 || h.Skybox != 0 {
		return m, r.fail("the header's counts are wrong")
	}
	var item wireMaterial
	if err := r.next(&item); err != nil {
		return m, err
	}
	m = assets.Material{
		BaseColor: item.BaseColor.floats(), Emissive: item.Emissive.floats(),
		Metallic: item.Metallic, Roughness: item.Roughness, NormalScale: item.NormalScale, Occlusion: item.Occlusion,
		AlphaCutoff: item.AlphaCutoff, Blend: item.Blend, DoubleSided: item.DoubleSided, Unlit: item.Unlit,
	}
	for slot, number := range item.Maps {
		if slot >= uint8(assets.MapSlots) {
			return assets.Material{}, r.fail("map slot %d of %d", slot, assets.MapSlots)
		}
		if m.Maps[slot], err = r.stem(number); err != nil {
			return assets.Material{}, err
		}
	}
	if err := r.end(); err != nil {
		return assets.Material{}, err
	}
	if err := checkMaterial(&m); err != nil {
		return assets.Material{}, r.named(err)
	}
	return m, nil
}
