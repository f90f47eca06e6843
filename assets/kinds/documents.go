package kinds

import (
	"unsafe"

	"sojourn/assets"
	"sojourn/assets/docfile"
)

func material() assets.KindSpec {
	return document(assets.KindMaterial, docfile.MaterialBytesMax, decodeMaterial, materialFootprint, once(materialNeeds),
		".material", ".material.json")
}

func model() assets.KindSpec {
	return document(assets.KindModel, docfile.ModelBytesMax, docfile.DecodeModelChunks, modelFootprint, once(modelNeeds), ".model")
}

func scene() assets.KindSpec {
	return document(assets.KindScene, docfile.SceneBytesMax, sceneDecoder(), sceneFootprint, once(sceneNeeds),
		".scene", ".scene.json")
}

func particles() assets.KindSpec {
	return document(assets.KindParticle, docfile.ParticlesBytesMax, decodeParticles, particlesFootprint, once(particlesNeeds),
		".particle", ".particle.json")
}

// documentGrowth is how many times its file a document takes once decoded, in
// round figures, for admission.
const documentGrowth = 4

// document is a kind whose payload is a Go value made from the whole entry.
// The entry's bytes are freed before the decode returns.
func document[T any](
	kind assets.Kind, bytesMax int64, decode func(name string, b []byte, yield func() error) (T, error),
	size func(*T) assets.Footprint, needs func(*T, func(assets.Key)), suffixes ...string,
) assets.KindSpec {
	return assets.NewKindSpec(assets.KindOptions[T]{
		Kind: kind, Name: kind.String(), Suffixes: suffixes,
		Decode: func(l *assets.Load, out *T) error {
			if err := checkSize(l, bytesMax); err != nil {
				return err
			}
			b, err := l.ReadAll()
			if err != nil {
				return err
			}
			defer b.Free()
			*out, err = decode(l.EntryName, b.Slice(), l.Yield)
			return err
		},
		StagingBytes: func(sizeBytes int64) int64 { return documentGrowth * sizeBytes },

		Free:  func(v *T) { *v = *new(T) },
		Size:  size,
		Needs: needs,
	})
}

// decodeMaterial takes a small document in one go.
func decodeMaterial(name string, b []byte, _ func() error) (assets.Material, error) {
	return docfile.DecodeMaterial(name, b)
}

// decodeParticles takes a small document in one go.
func decodeParticles(name string, b []byte, _ func() error) (assets.Particles, error) {
	return docfile.DecodeParticles(name, b)
}

func particlesFootprint(p *assets.Particles) assets.Footprint {
	return assets.Footprint{OwnedBytes: int64(unsafe.Sizeof(*p)) + int64(len(p.Texture))}
}

func materialFootprint(m *assets.Material) assets.Footprint {
	n := int64(unsafe.Sizeof(*m))
	for _, stem := range m.Maps {
		n += int64(len(stem))
	}
	return assets.Footprint{OwnedBytes: n}
}

// Stems are shared between the nodes, parts and entities of a document, so
// they are left out; names and ids are not shared.
func modelFootprint(m *assets.Model) assets.Footprint {
	nodes := estimate(m.Nodes, func(n *assets.ModelNode) int { return len(n.Name) })
	return assets.Footprint{OwnedBytes: int64(unsafe.Sizeof(*m)) + nodes + estimate(m.Parts, nil)}
}

func sceneFootprint(s *assets.Scene) assets.Footprint {
	entities := estimate(s.Entities, func(e *assets.SceneEntity) int { return len(e.ID) })
	effects := estimate(s.Effects, func(e *assets.SceneEffect) int {
		n := len(e.ID)
		if e.Zone != nil {
			n += int(unsafe.Sizeof(*e.Zone)) + cap(e.Zone.Keep)*int(unsafe.Sizeof(assets.Key{}))
		}
		return n
	})
	return assets.Footprint{OwnedBytes: int64(unsafe.Sizeof(*s)) + entities + effects + estimate(s.Uses, nil) + int64(len(s.Skybox))}
}

// estimateItemsMax is how many items are looked at: sizes are asked for under
// the store's lock.
const estimateItemsMax = 1024

// estimate is what a slice takes, with text bytes per item, from its first
// items.
func estimate[T any](items []T, text func(*T) int) int64 {
	var zero T
	total := int64(cap(items)) * int64(unsafe.Sizeof(zero))
	seen := min(len(items), estimateItemsMax)
	if text == nil || seen == 0 {
		return total
	}
	textBytes := 0
	for i := range seen {
		textBytes += text(&items[i])
	}
	return total + int64(textBytes)*int64(len(items))/int64(seen)
}
