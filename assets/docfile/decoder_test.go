package docfile

import (
	"fmt"
	"reflect"
	"testing"

	"sojourn/assets"
)

// A decoder gives scene after scene as if each were its first, faulty ones
// between them, and allocates less for them than the first does.
func TestSceneDecoderServesSceneAfterScene(t *testing.T) {
	scene := func(name string, entities int) (s assets.Scene, b []byte) {
		for i := range entities {
			s.Entities = append(s.Entities, assets.SceneEntity{
				ID: fmt.Sprint("e", i), At: assets.IdentityTransform(), Model: fmt.Sprint(name, i%5),
			})
		}
		b, err := EncodeScene(&s)
		if err != nil {
			t.Fatal(err)
		}
		return s, b
	}
	var d SceneDecoder
	for i, entities := range []int{40, 7, sceneScratchMax + 1, 0, 40} {
		want, b := scene(fmt.Sprint("s", i, "-"), entities)
		if got, err := d.Decode("s.scene", b, noYield); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("scene %d: error %v, %d entities, want %d as they were encoded", i, err, len(got.Entities), entities)
		}
		if _, err := d.Decode("s.scene", b[:len(b)-1], noYield); err == nil {
			t.Error("half a scene was decoded")
		}
	}
	_, b := scene("s", 60)
	decode := func(d *SceneDecoder) {
		if _, err := d.Decode("s.scene", b, noYield); err != nil {
			t.Fatal(err)
		}
	}
	again := testing.AllocsPerRun(20, func() { decode(&d) })
	first := testing.AllocsPerRun(20, func() { decode(new(SceneDecoder)) })
	if again >= first {
		t.Errorf("%v allocations for another scene, %v for the first", again, first)
	}
}
