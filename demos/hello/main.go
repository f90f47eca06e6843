//go:build !headless

// Command hello is the README's example: open a pack, spawn, draw.
package main

import (
	"log"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/pack"
	"sojourn/gpu/ebitengine"
)

type game struct{ session *sojourn.Session }

func (g game) Update() error              { g.session.Tick(time.Second / 60); return nil }
func (g game) Draw(screen *ebiten.Image)  { _ = g.session.Present(screen) }
func (g game) Layout(w, h int) (int, int) { return w, h }

func main() {
	art, err := pack.Open("art.zip")
	check(err)
	session, err := sojourn.Open(sojourn.Options{
		Sources: []assets.Source{art},
		Device:  ebitengine.New(ebitengine.Options{Adaptive: true}),
	})
	check(err)
	world, err := session.NewWorld(sojourn.WorldOptions{Name: "hello"})
	check(err)
	_, err = sojourn.Spawn(world, "props/crate", sojourn.At(0, 0, -3))
	check(err)
	check(ebiten.RunGame(game{session}))
	check(session.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
