package sound

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func addFiles(f *testing.F, patterns ...string) {
	for _, pattern := range patterns {
		files, err := filepath.Glob("testdata/" + pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
}

const fuzzBytesMax = 64 << 10

func FuzzImportWAV(f *testing.F) {
	addFiles(f, "a14/*.wav")
	f.Add(riff(format(3, 1, 8000, 64, 8), chunk("data", []float64{1, 2})))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) <= fuzzBytesMax {
			runBytes(t, "x.wav", data)
		}
	})
}

// FuzzImportOGG puts the checksums right first, as nothing would get past them.
func FuzzImportOGG(f *testing.F) {
	addFiles(f, "a15/*.ogg", "mono.ogg")
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > fuzzBytesMax {
			return
		}
		data = bytes.Clone(data)
		sealPages(data)
		runBytes(t, "x.ogg", data)
	})
}

func FuzzImportMP3(f *testing.F) {
	addFiles(f, "mp3/*.mp3")
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) <= fuzzBytesMax {
			runBytes(t, "x.mp3", data)
		}
	})
}
