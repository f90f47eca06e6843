package model

import (
	"image/color"
	"os"
	"path/filepath"
	"testing"
)

var seedColor = color.NRGBA{10, 20, 30, 255}

// FuzzImport wants every input to load or to fail with an error, and what
// loads to decode again with the packages that read it.
func FuzzImport(f *testing.F) {
	for _, pattern := range []string{"testdata/a*/*.gltf", "testdata/a07/root/models/*.gltf"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Add(triangle().text())
	f.Add(triangle().glb())
	ref := object{"index": 0, "extensions": object{extTransform: object{"scale": []any{2, 3}}}}
	full := textured(object{"pbrMetallicRoughness": object{"baseColorTexture": ref, "metallicRoughnessTexture": ref},
		"normalTexture": ref, "occlusionTexture": ref, "emissiveTexture": ref}, flat(2, 2, seedColor))
	f.Add(full.text())
	inside := textured(object{"emissiveTexture": object{"index": 0}})
	inside.doc["images"] = []any{object{"bufferView": inside.view(flat(2, 2, seedColor))}}
	inside.doc["textures"] = []any{object{"source": 0}}
	f.Add(inside.glb())
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<20 {
			return
		}
		load(t, data)
	})
}
