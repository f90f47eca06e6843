package docfile

import (
	"bytes"
	"errors"
	"testing"

	"sojourn/assets"
)

// fuzzDecode holds a decoder to its word: sorted errors only, and whatever it
// takes can be packed and read again without a change.
func fuzzDecode[T any](f *testing.F, decode func(string, []byte) (T, error), encode func(*T) ([]byte, error)) {
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := decode("doc", b)
		if err != nil {
			if !errors.Is(err, assets.ErrCorrupt) && !errors.Is(err, assets.ErrTooLarge) {
				t.Fatalf("unsorted error: %v", err)
			}
			if len(err.Error()) > 2000 {
				t.Fatalf("error text of %d bytes", len(err.Error()))
			}
			return
		}
		packed, err := encode(&v)
		if err != nil {
			t.Fatalf("accepted but cannot be packed: %v", err)
		}
		again, err := decode("doc", packed)
		if err != nil {
			t.Fatalf("packed but cannot be read: %v", err)
		}
		if twice, err := encode(&again); err != nil || !bytes.Equal(twice, packed) {
			t.Fatalf("packing again gives other bytes (%v)", err)
		}
	})
}

func addPacked(f *testing.F, kind string) {
	f.Add(samples()[kind])
	for _, c := range hostilePacked() {
		if c.kind == kind && len(c.b) < 1000 {
			f.Add(c.b)
		}
	}
}

func FuzzMaterial(f *testing.F) {
	addPacked(f, kindMaterial)
	for _, c := range badMaterials {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text))
		}
	}
	f.Add([]byte(`{"base_color": [0.5, 0.25, 1, 0.75], "metallic": 1, "blend": true, "maps": {"normal": "a"}}`))
	fuzzDecode(f, DecodeMaterial, EncodeMaterial)
}

func FuzzScene(f *testing.F) {
	addPacked(f, kindScene)
	for _, c := range badEntities {
		f.Add([]byte(badScene(c.text)))
	}
	for _, c := range badEffects {
		f.Add([]byte(badEffectScene(c.text)))
	}
	f.Add([]byte(sampleEffectsJSON))
	f.Add([]byte(badScene(`{"id": "b", "sound": "hum", "gain": 1, "radius": 2, "loop": true, "rot": [0, 0.707, 0, 0.707]}`)))
	fuzzDecode(f, DecodeScene, EncodeScene)
}

func FuzzModel(f *testing.F) {
	addPacked(f, kindModel)
	fuzzDecode(f, DecodeModel, EncodeModel)
}
