package portals

import (
	"fmt"
	"strings"
	"testing"

	"sojourn/demos/demo"
)

// sight is what one presented frame showed.
type sight struct {
	leg       int
	stop      *stop
	travel    bool // the front door shows its travel screen
	items     int
	drawn     uint64
	sprites   int
	clear     [3]float32
	fog       [3]float32
	lookUp    bool
	probe     bool
	middle    float32 // of the stop that the camera looks at
	hiddenFor int     // frames of travel screen just before
}

func (tr *trip) sight(before *sight) sight {
	f, r := tr.Portals.device.frame, &tr.route
	_, travel := tr.Travel()
	s := sight{
		leg: r.legs, stop: r.to, travel: travel, sprites: len(f.Sprites), clear: f.Camera.ClearColor, fog: f.Camera.FogColor,
		lookUp: f.LookUp != 0, probe: f.Probe != 0, middle: f.Camera.Pos[2] + 1.4*CellMetres,
	}
	s.drawn, s.items = tr.drawnHash()
	if travel && before != nil {
		s.hiddenFor = before.hiddenFor + 1
	}
	return s
}

// TestEveryFrameShowsAPlaceOrTheTravelScreen: in every mode, each frame from
// the first on is wholly the place that was left, wholly the travel screen, or
// wholly the place that was revealed, in the light and colours it has at rest.
func TestEveryFrameShowsAPlaceOrTheTravelScreen(t *testing.T) {
	for _, name := range Modes() {
		t.Run(name, func(t *testing.T) {
			tr := open(t, func(e *demo.Env) { e.Mode, e.Work, e.Rounds = name, literal(), 2 })
			var seen []sight
			var last *sight
			tr.run(func() {
				seen = append(seen, tr.sight(last))
				last = &seen[len(seen)-1]
			})
			places, edges := 0, 0
			for i, s := range seen {
				if err := tr.check(&s); err != "" {
					t.Fatalf("frame %d, leg %d, %s, after %d hidden: %s", i, s.leg, s.stop.title(), s.hiddenFor, err)
				}
				if s.travel {
					continue
				}
				places++
				if i > 0 && seen[i-1].stop != s.stop || i > 0 && seen[i-1].travel {
					edges++
				}
			}
			if hidden := len(seen) - places; edges < 2*stopCount || name != "naive" && hidden < 2*stopCount {
				t.Errorf("%d frames of places and %d of the travel screen, %d reveals", places, hidden, edges)
			}
		})
	}
}

// check says what is wrong with a frame, by what its stop draws at rest.
func (tr *trip) check(s *sight) string {
	m := &tr.route.measured[s.stop.index]
	var wrong []string
	miss := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	miss(s.fog == s.clear || !s.travel, "fog is %v before %v", s.fog, s.clear)
	miss(s.middle > s.stop.middle()-1 && s.middle < s.stop.middle()+1, "the camera looks at %v, the stop is at %v", s.middle, s.stop.middle())
	if s.travel {
		miss(s.items == 0 && s.sprites == 0, "%d items and %d sprites behind the travel screen", s.items, s.sprites)
		miss(s.clear == tunnelColor, "the colour behind the travel screen is %v", s.clear)
		return strings.Join(wrong, "; ")
	}
	own := tint(uint64(s.stop.index), 0.2)
	miss(s.clear == [3]float32{own[0], own[1], own[2]}, "cleared to %v", s.clear)
	miss(s.items == m.items && s.drawn == m.drawn, "%d items of %d, drawn as %016x, %016x at rest", s.items, m.items, s.drawn, m.drawn)
	miss(s.sprites == 2, "%d groups of sprites", s.sprites)
	miss(s.lookUp && s.probe, "graded %v, in its own light %v", s.lookUp, s.probe)
	return strings.Join(wrong, "; ")
}
