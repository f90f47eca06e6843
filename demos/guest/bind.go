package main

import (
	"github.com/mlange-42/arche/ecs"

	"sojourn/ecs/systems"
	"sojourn/stages"
)

// Banner is a component that shows the first color of a palette.
type Banner struct {
	Stem  string   // of the palette it wants
	Color [3]uint8 // once it is there
	Err   error    // why it cannot be had
}

// BannersRow gives each Banner its palette.
func BannersRow() stages.Row {
	return systems.Bind(systems.BindOptions[Banner, Palette]{
		Name: "banners",
		Kind: KindPalette,
		Stem: func(b *Banner) string { return b.Stem },
		Bind: func(_ ecs.Entity, b *Banner, p *Palette) { b.Color = p.Colors[0].RGB },
		Failed: func(_ ecs.Entity, b *Banner, err error) {
			b.Err = err
		},
	})
}
