package resources

import (
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/assets/kinds"
	"sojourn/audio"
	"sojourn/gpu"
	"sojourn/gpu/headless"
)

type first struct{ n int }
type second struct{ n int }
type third struct{}

// bench is a world with a ledger that writes down what it releases.
type bench struct {
	world    ecs.World
	ledger   *Ledger
	a, b     HoldClass
	one, two ecs.ID
	released []release
}

type release struct {
	entity ecs.Entity
	class  string
	value  uint64
}

func newBench() *bench {
	b := &bench{world: ecs.NewWorld(16), ledger: NewLedger(4)}
	b.one, b.two = ecs.ComponentID[first](&b.world), ecs.ComponentID[second](&b.world)
	note := func(class string) ReleaseFunc {
		return func(e ecs.Entity, v uint64) { b.released = append(b.released, release{e, class, v}) }
	}
	b.a, b.b = b.ledger.AddClass("a", note("a")), b.ledger.AddClass("b", note("b"))
	return b
}

func (b *bench) take() []release {
	r := b.released
	b.released = nil
	return r
}

// engine is what a set needs.
type engine struct {
	store *assets.Store
	Options
}

func newEngine(t *testing.T) *engine {
	t.Helper()
	store, err := assets.Open(assets.Options{
		Kinds: kinds.Builtin(), Sources: []assets.Source{assetstest.NewSource("memory")}, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	device := headless.New(headless.Options{})
	mixer, err := audio.New(store, audio.NewManual(), audio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	retire := gpu.NewRetirement(device)
	e := &engine{store: store, Options: Options{
		Store: store, Mixer: mixer,
		Geometry: gpu.NewGeometry(device, store, retire, gpu.GeometryOptions{}),
		Textures: gpu.NewTextures(device, store, retire, gpu.TextureOptions{}),
	}}
	t.Cleanup(func() {
		if err := mixer.Close(); err != nil {
			t.Error(err)
		}
		e.Textures.Close()
		e.Geometry.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
