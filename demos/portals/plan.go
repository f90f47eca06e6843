package portals

import (
	"errors"
	"fmt"

	"sojourn/assets"
)

// Stops is how many the route has: nine plain ones and a dense one.
const Stops = plainStops + 1

// The world, along Z.
const (
	// CellsDefault is the number of cells, and CellMetres the length of each.
	CellsDefault = 20_000
	CellMetres   = 16
	// CellsMin keeps the stops out of each other's reach.
	CellsMin = 10 * stopSpacingMin
	CellsMax = 100_000 // beyond, a float32 no longer tells centimetres apart

	stopSpacingMin = 8
	stopCells      = 3 // that have something in them, around the middle one
	plainStops     = 9
	stopCount      = plainStops + 1 // and the dense one
	denseCell      = 2              // pinned: whatever the number of cells
)

// ErrCells is wrapped when the number of cells is out of range.
var ErrCells = errors.New("bad number of cells")

// scale says how much stands at the stops: at the first plain one, and how much
// more at each further one.
type scale struct {
	props, propsMore   int
	fields, fieldsMore int
	denseProps         int
	denseFields        int
	sharedProps        int
	edge               int // of the largest textures, in texels
	quads              int // along the edge of the largest meshes
}

// fullScale is the demo's: some 90 MB decoded, of which no frame's budget takes
// more than eight.
func fullScale() scale {
	return scale{
		props: 12, propsMore: 4, fields: 8, fieldsMore: 8, denseProps: 72, denseFields: 240,
		sharedProps: 12, edge: 256, quads: 48,
	}
}

// stop is a place that the route goes to. Its content does not depend on where
// it lies.
type stop struct {
	index  int
	name   string
	props  int   // of its own; each stands there twice
	fields int   // placements of the shared fields of stones
	cell   int32 // the middle one
}

func (s *stop) dense() bool { return s.index == plainStops }

// stem is that of a document or asset of the stop.
func (s *stop) stem(rest string) string { return "stops/" + s.name + "/" + rest }

func (s *stop) cellStem(i int) string  { return s.stem(fmt.Sprintf("cell%d", i)) }
func (s *stop) propStem(i int) string  { return s.stem(fmt.Sprintf("prop%03d", i)) }
func (s *stop) soundStem(i int) string { return s.stem(fmt.Sprintf("sound%d", i)) }
func sharedStem(i int) string          { return fmt.Sprintf("shared/prop%02d", i) }
func fieldStem(i int) string           { return fmt.Sprintf("shared/field%d", i) }

// placements is how many entities the stop's documents place, without its
// grounds and sounds.
func (s *stop) placements() int { return 2*s.props + s.fields }

// primitives is how many things of its own a stop has to bind: what a field
// places is many.
func (s *stop) primitives() int {
	n := stopCells + s.fields*fieldStones
	for i := range s.props {
		n += 2 * partsOf(i)
	}
	return n
}

// middle is the middle of the stop along the world.
func (s *stop) middle() float32 { return (float32(s.cell) + 0.5) * CellMetres }

// entitiesMax is room for the two densest stops: one leaves while one comes.
func (p *plan) entitiesMax() int {
	n := 0
	for i := range p.stops {
		n = max(n, p.stops[i].primitives())
	}
	return 2*n + 1024
}

// The fields: models of many of the shared props.
const (
	fields      = 4
	fieldStones = 45
	fieldMetres = 6 // across
)

const (
	groundStem = "shared/ground"
	grainStem  = "shared/grain"
	humStem    = "shared/hum"
	wilderness = "wilderness"
)

// plan is where the stops are, and what each of them needs.
type plan struct {
	seed  uint64
	scale scale
	cells int32
	stops [stopCount]stop
}

func newPlan(seed uint64, sc scale, cells int) (*plan, error) {
	if cells < CellsMin || cells > CellsMax {
		return nil, fmt.Errorf("%w: %d, want %d to %d", ErrCells, cells, CellsMin, CellsMax)
	}
	p := &plan{seed: seed, scale: sc, cells: int32(cells)}
	for i := range plainStops {
		p.stops[i] = stop{
			index: i, name: fmt.Sprint(i + 1), props: sc.props + i*sc.propsMore, fields: sc.fields + i*sc.fieldsMore,
			cell: int32((i + 1) * cells / stopCount),
		}
	}
	p.stops[plainStops] = stop{index: plainStops, name: "dense", props: sc.denseProps, fields: sc.denseFields, cell: denseCell}
	return p, nil
}

// order is a round of the route: each plain stop far from the last, the dense
// one at the end.
func order() [stopCount]int { return [stopCount]int{0, 4, 8, 3, 7, 2, 6, 1, 5, plainStops} }

// namer gives the document of a cell. Between the stops there is wilderness.
func (p *plan) namer(i int32) (stem string, origin [3]float32) {
	origin = [3]float32{0, 0, float32(i) * CellMetres}
	for k := range p.stops {
		s := &p.stops[k]
		if at := i - s.cell + stopCells/2; at >= 0 && at < stopCells {
			return s.cellStem(int(at)), origin
		}
	}
	return wilderness, origin
}

// prop is a model with its own material and texture, of one mesh or two.
type prop struct {
	stem   string
	number uint64 // of all props: the seed of its looks
	parts  int
	edge   int
	quads  int
	grainy bool // has the shared normal map, too
}

// ownProp is a stop's own; the detail varies from one to the next.
func (p *plan) ownProp(s *stop, i int) prop {
	detail := uint(i % 3)
	return prop{
		stem: s.propStem(i), number: uint64(1000*(s.index+1) + i), parts: partsOf(i),
		edge: max(8, p.scale.edge>>(detail/2)), quads: max(4, p.scale.quads>>detail), grainy: i%2 == 1,
	}
}

func partsOf(i int) int { return 1 + i%2 }

func (p *plan) sharedProp(i int) prop {
	return prop{stem: sharedStem(i), number: uint64(i), parts: 1, edge: max(8, p.scale.edge/4), quads: 4}
}

func (o *prop) meshStem(part int) string { return fmt.Sprintf("%s#mesh%d", o.stem, part) }
func (o *prop) textureStem() string      { return o.stem + "#texture" }

// keys are what the prop needs as long as it is there. Its model is read while
// it is placed, and then let go.
func (o *prop) keys(yield func(assets.Key)) {
	yield(assets.Key{Stem: o.stem, Kind: assets.KindMaterial})
	yield(assets.Key{Stem: o.textureStem(), Kind: assets.KindTexture})
	for part := range o.parts {
		yield(assets.Key{Stem: o.meshStem(part), Kind: assets.KindMesh})
	}
}

// shared are the keys that every stop needs.
func (p *plan) shared(yield func(assets.Key)) {
	for i := range p.scale.sharedProps {
		o := p.sharedProp(i)
		o.keys(yield)
	}
	yield(assets.Key{Stem: grainStem, Kind: assets.KindTexture})
	yield(assets.Key{Stem: humStem, Kind: assets.KindSound})
	yield(assets.Key{Stem: groundStem, Kind: assets.KindMesh})
	effectKeys(yield)
}

// own are the keys that only this stop needs.
func (p *plan) own(s *stop, yield func(assets.Key)) {
	for i := range stopCells {
		yield(assets.Key{Stem: s.soundStem(i), Kind: assets.KindSound})
	}
	yield(assets.Key{Stem: s.stem("ground"), Kind: assets.KindMaterial})
	s.effectKeys(yield)
	for i := range s.props {
		o := p.ownProp(s, i)
		o.keys(yield)
	}
}

// required is every key that must be in memory when a stop is revealed: what it
// shows and sounds. Documents are read to place it, and then let go.
func (p *plan) required(s *stop) (keys []assets.Key) {
	collect := func(k assets.Key) { keys = append(keys, k) }
	p.shared(collect)
	p.own(s, collect)
	return keys
}

// all is every key that some stop requires.
func (p *plan) all() (keys []assets.Key) {
	collect := func(k assets.Key) { keys = append(keys, k) }
	p.shared(collect)
	for i := range p.stops {
		p.own(&p.stops[i], collect)
	}
	return keys
}
