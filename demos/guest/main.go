package main

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/loose"
	"sojourn/gpu/headless"
	"sojourn/stages"
)

//go:embed content
var content embed.FS

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run spawns banners and lamps, waits until they are bound, lets them go and
// checks that nothing is left.
func run(out io.Writer) (err error) {
	files, err := fs.Sub(content, "content")
	if err != nil {
		return err
	}
	rack := NewRack(2)
	session, err := sojourn.Open(sojourn.Options{
		Sources: []assets.Source{loose.FS("embedded", files)},
		Device:  headless.New(headless.Options{}),
		Kinds:   []assets.KindSpec{PaletteKind()},
		Rows:    []stages.Row{BannersRow(), LampsRow(rack)},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	world, err := session.NewWorld(sojourn.WorldOptions{Name: "guest"})
	if err != nil {
		return err
	}

	banners := generic.NewMap1[Banner](world.ECS())
	var hung []ecs.Entity
	for _, stem := range []string{"palettes/autumn", "palettes/winter", "palettes/broken", "palettes/none"} {
		hung = append(hung, banners.NewWith(&Banner{Stem: stem}))
	}
	lamps := NewLamps(world.ECS(), session.Store())
	lit := make([]ecs.Entity, 3)
	for i := range lit {
		lit[i] = world.ECS().NewEntity()
		if err := lamps.Set(lit[i], "palettes/winter"); err != nil {
			return err
		}
	}
	if err := settle(session); err != nil {
		return err
	}
	for _, e := range hung {
		fmt.Fprintln(out, describe(banners.Get(e)))
	}
	for i, e := range lit {
		c := lamps.Circuit(e)
		fmt.Fprintf(out, "lamp %d: circuit %d, color %x\n", i, c, rack.Color(c))
	}

	// One lamp goes, and the one that found the rack full takes its circuit.
	world.ECS().RemoveEntity(lit[0])
	if err := settle(session); err != nil {
		return err
	}
	fmt.Fprintf(out, "lamp 0 went; lamp 2: circuit %d\n", lamps.Circuit(lit[2]))

	for _, e := range append(hung, lit[1:]...) {
		world.ECS().RemoveEntity(e)
	}
	if err := settle(session); err != nil {
		return err
	}
	st := session.Store().Stats()
	fmt.Fprintf(out, "all went: %d holds, %d retains, %d circuits, %d decodes on the tick\n",
		world.Set().Ledger.Live(), st.Retains-st.Releases, rack.Lit(), st.DecodesOnTick)
	return nil
}

func describe(b *Banner) string {
	if b.Err != nil {
		return fmt.Sprintf("banner %s: %v", b.Stem, b.Err)
	}
	return fmt.Sprintf("banner %s: color %x", b.Stem, b.Color)
}

// settleFramesMax is ten seconds' worth of frames.
const settleFramesMax = 600

// settle runs frames until nothing is under way.
func settle(s *sojourn.Session) error {
	frames := time.NewTicker(time.Second / 60)
	defer frames.Stop()
	for range settleFramesMax {
		s.Tick(time.Second / 60)
		if err := s.Present(nil); err != nil {
			return err
		}
		if s.Idle() {
			return nil
		}
		<-frames.C
	}
	return fmt.Errorf("still busy after %d frames", settleFramesMax)
}
