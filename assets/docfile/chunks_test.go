package docfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sojourn/assets"
)

const (
	largeEntities = 4000
	longID        = "%0100d"
)

// largeScene packs into several chunks.
func largeScene() *assets.Scene {
	s := &assets.Scene{}
	for i := range largeEntities {
		s.Entities = append(s.Entities, assets.SceneEntity{ID: fmt.Sprintf(longID, i), Model: "m", At: assets.IdentityTransform()})
	}
	return s
}

func TestYieldEndsDecode(t *testing.T) {
	packed := must(EncodeScene(largeScene()))
	var source strings.Builder
	for i := range largeEntities {
		fmt.Fprintf(&source, `,{"id": "`+longID+`", "model": "m"}`, i)
	}
	text := []byte(`{"entities": [` + source.String()[1:] + `]}`)
	model := sampleModel()
	for range 4_000 {
		model.Nodes = append(model.Nodes, model.Nodes[0])
	}
	nodes := must(EncodeModel(model))
	stop := errors.New("stop")
	for name, c := range map[string]struct {
		bytes  int
		decode func(yield func() error) error
	}{
		"packed scene": {len(packed), func(yield func() error) error { _, err := new(SceneDecoder).Decode("s", packed, yield); return err }},
		"JSON scene":   {len(text), func(yield func() error) error { _, err := new(SceneDecoder).Decode("s", text, yield); return err }},
		"model":        {len(nodes), func(yield func() error) error { _, err := DecodeModelChunks("m", nodes, yield); return err }},
	} {
		calls := 0
		err := c.decode(func() error { calls++; return nil })
		if want := (c.bytes + assets.ChunkBytesMax - 1) / assets.ChunkBytesMax; err != nil || calls < 2 || calls < want-1 || calls > want {
			t.Errorf("%s: %d yields for %d bytes, %v", name, calls, c.bytes, err)
		}
		left := calls
		if err := c.decode(func() error {
			if left--; left == 0 {
				return stop
			}
			return nil
		}); !errors.Is(err, stop) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
