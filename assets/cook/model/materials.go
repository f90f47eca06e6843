package model

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/qmuntal/gltf"

	"sojourn/assets"
	"sojourn/assets/docfile"
)

// cookedMaterial is a material that was emitted.
type cookedMaterial struct {
	stem string
	uv   uvMap
}

// materials cooks the materials that primitives use, each once.
type materials struct {
	d        *document
	parts    *parts
	textures *textures
	done     map[int]cookedMaterial
}

// of gives the material of a primitive; no index is the default material.
func (m *materials) of(index *int) (cookedMaterial, error) {
	if index == nil {
		return cookedMaterial{uv: plainUV()}, nil
	}
	if c, ok := m.done[*index]; ok {
		return c, nil
	}
	src, err := pick("material", m.d.Materials, *index)
	if err != nil {
		return cookedMaterial{}, err
	}
	if len(m.done) >= materialsMax {
		return cookedMaterial{}, tooLargef("more than %d materials are used", materialsMax)
	}
	c, err := m.cook(src, *index)
	if err != nil {
		return cookedMaterial{}, fmt.Errorf("material %d: %w", *index, err)
	}
	m.done[*index] = c
	return c, nil
}

func (m *materials) cook(src *gltf.Material, index int) (cookedMaterial, error) {
	b := builder{materials: m, src: src, name: materialName(src, index), uv: plainUV()}
	if err := b.factors(); err != nil {
		return cookedMaterial{}, err
	}
	if err := b.maps(); err != nil {
		return cookedMaterial{}, err
	}
	data, err := docfile.EncodeMaterial(&b.out)
	if err != nil {
		return cookedMaterial{}, err
	}
	stem := m.parts.name("material-" + portable(src.Name, index))
	return cookedMaterial{stem, b.uv}, m.parts.put(assets.KindMaterial, stem, ".material", data, false)
}

func materialName(src *gltf.Material, index int) string {
	if src.Name != "" {
		return fmt.Sprintf("material %d %s", index, shown(src.Name))
	}
	return fmt.Sprintf("material %d", index)
}

// builder turns one material into the engine's.
type builder struct {
	*materials
	src  *gltf.Material
	name string // for warnings
	out  assets.Material
	uv   uvMap
	// uvTaken tells that a texture has decided what uv is.
	uvTaken bool
}

// clamped holds a factor to its range, with a warning when it was outside.
func (b *builder) clamped(what string, v, low, high float64) float32 {
	if v < low || v > high {
		b.d.in.Warn("%s: %s %g was clamped to %g..%g", b.name, what, v, low, high)
	}
	return float32(min(max(v, low), high))
}

func (b *builder) factors() error {
	out, src := &b.out, b.src
	*out = assets.Material{
		BaseColor: [4]float32{1, 1, 1, 1}, Metallic: 1, Roughness: 1, NormalScale: 1, Occlusion: 1,
		DoubleSided: src.DoubleSided, Blend: src.AlphaMode == gltf.AlphaBlend,
	}
	if pbr := src.PBRMetallicRoughness; pbr != nil {
		for i, v := range pbr.BaseColorFactorOrDefault() {
			out.BaseColor[i] = b.clamped("baseColorFactor", v, 0, 1)
		}
		out.Metallic = b.clamped("metallicFactor", pbr.MetallicFactorOrDefault(), 0, 1)
		out.Roughness = b.clamped("roughnessFactor", pbr.RoughnessFactorOrDefault(), 0, 1)
	}
	strength := 1.0
	if raw, ok := src.Extensions[extEmissiveStrength].(json.RawMessage); ok {
		e := struct{ EmissiveStrength float64 }{1}
		if err := json.Unmarshal(raw, &e); err != nil {
			return corruptf("%s: %w", extEmissiveStrength, err)
		}
		strength = e.EmissiveStrength
	}
	for i, v := range src.EmissiveFactor {
		v *= strength
		if math.IsNaN(v) { // zero times an overflow
			v = 0
		}
		out.Emissive[i] = b.clamped("emissive", v, 0, docfile.EmissiveMax)
	}
	if src.AlphaMode == gltf.AlphaMask {
		out.AlphaCutoff = b.clamped("alphaCutoff", src.AlphaCutoffOrDefault(), 0, 1)
	}
	_, out.Unlit = src.Extensions[extUnlit]
	return nil
}

func (b *builder) maps() error {
	src := b.src
	color := useOpaque
	if src.AlphaMode != gltf.AlphaOpaque {
		color = useColor
	}
	var rough *gltf.TextureInfo
	if pbr := src.PBRMetallicRoughness; pbr != nil {
		rough = pbr.MetallicRoughnessTexture
		if x := pbr.BaseColorTexture; x != nil {
			if err := b.set(assets.MapBaseColor, color, x.Index, x.TexCoord, x.Extensions); err != nil {
				return err
			}
		}
	}
	if x := src.NormalTexture; x != nil && x.Index != nil {
		b.out.NormalScale = b.clamped("normal scale", x.ScaleOrDefault(), -docfile.NormalScaleMax, docfile.NormalScaleMax)
		if err := b.set(assets.MapNormal, useNormal, *x.Index, x.TexCoord, x.Extensions); err != nil {
			return err
		}
	}
	if err := b.orm(rough, src.OcclusionTexture); err != nil {
		return err
	}
	if x := src.EmissiveTexture; x != nil {
		return b.set(assets.MapEmissive, useOpaque, x.Index, x.TexCoord, x.Extensions)
	}
	return nil
}

// set fills one map slot.
func (b *builder) set(slot assets.MapSlot, u use, texture, set int, ext gltf.Extensions) error {
	image, ok, err := b.look(slot.String(), texture, set, ext)
	if err != nil || !ok {
		return err
	}
	b.out.Maps[slot], err = b.textures.stem(textureKey{u, image, -1})
	return err
}

// orm fills the map of occlusion, roughness and metalness out of two textures.
func (b *builder) orm(rough *gltf.TextureInfo, occlusion *gltf.OcclusionTexture) error {
	key := textureKey{useORM, -1, -1}
	if rough != nil {
		image, ok, err := b.look("metallicRoughness", rough.Index, rough.TexCoord, rough.Extensions)
		if err != nil {
			return err
		}
		if ok {
			key.image = image
		}
	}
	if occlusion != nil && occlusion.Index != nil {
		image, ok, err := b.look("occlusion", *occlusion.Index, occlusion.TexCoord, occlusion.Extensions)
		if err != nil {
			return err
		}
		if ok {
			key.packWith = image
			b.out.Occlusion = b.clamped("occlusion strength", occlusion.StrengthOrDefault(), 0, 1)
		}
	}
	if key.image < 0 && key.packWith < 0 {
		return nil
	}
	var err error
	b.out.Maps[assets.MapORM], err = b.textures.stem(key)
	return err
}

// look resolves a texture reference to its image. It is not ok, after a
// warning, when the texture wants other coordinates than the material's first.
func (b *builder) look(what string, texture, set int, ext gltf.Extensions) (image int, ok bool, err error) {
	uv, err := uvMapOf(set, ext)
	if err != nil {
		return 0, false, err
	}
	if b.uvTaken && uv != b.uv {
		b.d.in.Warn("%s: the %s texture has other texture coordinates than the first and was left out", b.name, what)
		return 0, false, nil
	}
	image, err = b.textures.source(texture)
	if err != nil {
		return 0, false, err
	}
	b.warnOfSampler(texture)
	b.uv, b.uvTaken = uv, true
	return image, true, nil
}

// warnOfSampler reports wrapping that textures of the engine don't have.
func (b *builder) warnOfSampler(texture int) {
	at := b.d.Textures[texture].Sampler
	if at == nil || *at < 0 || *at >= len(b.d.Samplers) {
		return
	}
	if s := b.d.Samplers[*at]; s.WrapS != gltf.WrapRepeat || s.WrapT != gltf.WrapRepeat {
		b.d.in.Warn("%s: texture %d asks for wrapping other than repeat, which is ignored", b.name, texture)
	}
}
