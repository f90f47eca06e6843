package cook

import (
	"bytes"
	"context"
	"encoding/binary"
	"image/color"
	"path/filepath"
	"strings"
	"testing"
)

// triangle is a model with one triangle in a buffer file, and one texture.
func triangle() tree {
	var buffer bytes.Buffer
	for _, v := range []float32{0, 0, 0, 1, 0, 0, 0, 1, 0} {
		binary.Write(&buffer, binary.LittleEndian, v)
	}
	return tree{
		"models/tri.bin": buffer.String(),
		"models/tri.gltf": `{"asset":{"version":"2.0"},
			"buffers":[{"uri":"tri.bin","byteLength":36}],
			"bufferViews":[{"buffer":0,"byteLength":36}],
			"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
			"images":[{"uri":"../textures/skin.png"}],"textures":[{"source":0}],
			"materials":[{"name":"skin","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
			"meshes":[{"name":"body","primitives":[{"attributes":{"POSITION":0},"material":0}]}],
			"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0}`,
		"textures/skin.png": pngFile(4, 4, color.NRGBA{9, 8, 7, 255}),
	}
}

// waveFile is a second of silence at 8 kHz.
func waveFile() string {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x80\x3e\x00\x00")
	b = append(b, make([]byte, 16000)...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return string(b)
}

func TestModelsDependOnWhatTheyRead(t *testing.T) {
	dir := folder(t, triangle())
	out := filepath.Join(t.TempDir(), "x.zip")
	o := Options{Out: out, Dirs: []string{dir}}
	rep := mustRun(t, o)
	got := entries(t, out)
	parts := map[string]int{}
	for name := range got {
		if strings.HasPrefix(name, "models/tri") {
			parts[filepath.Ext(name)]++
		}
	}
	if parts[".model"] != 1 || parts[".mesh"] != 1 || parts[".material"] != 1 || parts[".bin"] != 1 || rep.Reused != 0 {
		t.Errorf("%v of %d entries, %+v", parts, len(got), rep)
	}
	if rep := mustRun(t, o); rep.Reused != 3 || rep.CookedBytes != 0 {
		t.Errorf("unchanged: %+v", rep)
	}
	// The buffer grows by bytes nobody reads: the model is cooked again too.
	tree{"models/tri.bin": triangle()["models/tri.bin"] + "more"}.write(t, dir)
	if rep := mustRun(t, o); rep.Reused != 1 || fileBytes(t, out) != cold(t, dir) {
		t.Errorf("buffer changed: %+v", rep)
	}
}

func TestSoundsAreCooked(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.zip")
	dir := folder(t, tree{"s/beep.wav": waveFile(), "s/empty.ogg": "", "s/noise.mp3": "no sound at all"})
	rep, _ := Run(context.Background(), Options{Out: out, Dirs: []string{dir}})
	if got := entries(t, out); got["s/beep.pcm"] == "" || len(rep.Failed) != 2 {
		t.Errorf("%d entries, %v", len(got), rep.Failed)
	}
}
