package systems_test

import (
	"fmt"
	"time"

	"sojourn"
	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/gpu/headless"
	"sojourn/sojourntest"
)

// A field of a million cells, 16 m each, loaded 100 m around a player and
// further where they run.
func ExampleGrid() {
	content := sojourntest.NewContent()
	content.Crate("tree")
	for row := range 30 {
		for column := range 30 {
			content.Scene(fmt.Sprintf("forest/%d-%d", column, row), "tree")
		}
	}
	session, err := sojourn.Open(sojourn.Options{
		Sources: []assets.Source{content}, Device: headless.New(headless.Options{}),
	})
	if err != nil {
		panic(err)
	}
	world, err := session.NewWorld(sojourn.WorldOptions{Name: "forest"})
	if err != nil {
		panic(err)
	}
	const columns, cellMetres = 1000, 16
	systems.Grid(world.ECS(), components.StreamGrid{
		Columns: columns, Rows: 1000, CellMetres: cellMetres, RowAxis: 2, // X and Z
		GraceTime: 2 * time.Second,
	}, func(i int32) (string, [3]float32) {
		column, row := i%columns, i/columns
		return fmt.Sprintf("forest/%d-%d", column, row), [3]float32{float32(column) * cellMetres, 0, float32(row) * cellMetres}
	})
	sources := systems.NewSources(world.ECS())
	player := sources.Add(components.StreamSource{
		Pos: [3]float32{200, 0, 200}, AheadMetres: 100, BehindMetres: 100, SideMetres: 100,
		HysteresisMetres: 8, LookAheadTime: time.Second, LookAheadMetresMax: 60, Forward: 1,
	})
	for world.Counts().Presented < 13*13 {
		sources.Move(player, [3]float32{200, 0, 200}, 1) // each tick, with where the player is
		session.Tick(time.Second / 60)
		if err := session.Present(nil); err != nil {
			panic(err)
		}
	}
	fmt.Println(world.Set().Cells.Live, "cells")
	fmt.Println("closed:", session.Close())
	// Output:
	// 169 cells
	// closed: <nil>
}
