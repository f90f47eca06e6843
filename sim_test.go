package sojourn_test

import (
	"fmt"
	"math/rand"
	"runtime"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/ecs/components"
	"sojourn/ecs/systems"
	"sojourn/ecs/systems/scene"
	"sojourn/sojourntest"
	"sojourn/stages/work"
)

// TestSimulation does at random what games do, one command after the other,
// and checks the accounts after every frame. The clock is virtual and one
// worker decodes, so that a seed replays: go test -run TestSimulation -seed N.
func TestSimulation(t *testing.T) {
	seeds := []int64{1, 2, 3, 4, 5, 6, 7, 8}
	steps := 400
	switch {
	case testing.Short():
		seeds, steps = seeds[:2], 150
	case raceDetector:
		seeds = seeds[:3]
	}
	if *seed != 0 {
		seeds = []int64{*seed}
	}
	for _, s := range seeds {
		t.Run(fmt.Sprintf("seed %d", s), func(t *testing.T) { simulate(t, s, steps) })
	}
}

const (
	simCrates = 6
	simScenes = 6
)

func simContent() (c *sojourntest.Content, entries []string) {
	c = sojourntest.NewContent()
	for i := range simCrates {
		stem := fmt.Sprintf("c%d", i)
		c.Texture(stem, 8<<i)
		c.Material(stem, stem, fmt.Sprintf("c%d", (i+1)%simCrates))
		c.Mesh(stem, 1+600*i) // all together more than the device may have
		c.Model(stem, sojourntest.Part{Mesh: stem, Material: stem},
			sojourntest.Part{Mesh: fmt.Sprintf("c%d", (i+2)%simCrates), Material: "c0"})
		c.Sound(stem, 100+i*2000)
		c.Particles(stem, stem)
	}
	for i := range simScenes {
		doc := assets.Scene{}
		for j := range 1 + 3*i {
			doc.Entities = append(doc.Entities, sojourntest.Placed(fmt.Sprint(j), fmt.Sprintf("c%d", (i*j+j)%simCrates), float32(j), 0, -4))
		}
		doc.Entities = append(doc.Entities, sojourntest.Sounding("hum", fmt.Sprintf("c%d", i)))
		if i%2 == 0 {
			doc.Skybox = fmt.Sprintf("c%d", i)
		} else {
			doc.Effects = sojourntest.Effects(fmt.Sprintf("c%d", i), fmt.Sprintf("c%d", (i+1)%simCrates), 0, 0, -4)
		}
		c.SceneOf(fmt.Sprintf("s%d", i), doc)
	}
	_ = c.List(func(name string, _ int64) bool {
		entries = append(entries, name)
		return true
	})
	return c, entries
}

// scarce is a device with too little room.
func scarce(c *sojourn.Config) {
	c.Residency.GPUGeometryMB, c.Residency.Texture.GPUBudgetMB = 1, 1
}

type sim struct {
	*sojourntest.Rig
	t       *testing.T
	rng     *rand.Rand
	entries []string
	held    string // entry at a gate, or empty
	loose   map[*sojourn.World][]ecs.Entity
	layers  map[*sojourn.World][]ecs.Entity
	sources map[*sojourn.World]ecs.Entity
	log     []string
}

func simulate(t *testing.T, seed int64, steps int) {
	c, entries := simContent()
	m := &sim{
		Rig: sojourntest.Open(t, c, sojourntest.Options{KeepAliveMB: 1, Change: scarce}), t: t, rng: rand.New(rand.NewSource(seed)), entries: entries,
		loose: map[*sojourn.World][]ecs.Entity{}, layers: map[*sojourn.World][]ecs.Entity{},
		sources: map[*sojourn.World]ecs.Entity{},
	}
	m.grid(m.World("first"))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d; the last commands: %q", seed, m.log[max(0, len(m.log)-12):])
		}
	}()
	for step := range steps {
		for range 1 + m.rng.Intn(3) {
			m.command()
		}
		m.Frame()
		m.await() // so that nothing moves while it is counted
		m.check(step)
		if t.Failed() {
			t.FailNow()
		}
	}
	m.letGo()
	m.Device.Stall(0)
	for _, w := range m.Session.Worlds() {
		w.ECS().Batch().RemoveEntities(ecs.All(ecs.ComponentID[components.StreamGrid](w.ECS())))
		w.UnloadAll()
		if e, ok := m.sources[w]; ok {
			w.ECS().RemoveEntity(e)
		}
		for _, e := range m.loose[w] {
			w.ECS().RemoveEntity(e)
		}
	}
	if err := m.Session.Meter().SetBudget(work.High()); err != nil {
		t.Fatal(err)
	}
	m.Settle()
	m.Frames(10)
	m.check(steps)
	m.checkOver()
	m.CheckEmpty()
}

func (m *sim) note(format string, args ...any) { m.log = append(m.log, fmt.Sprintf(format, args...)) }

func (m *sim) letGo() {
	m.Content.LetGo(m.held)
	m.held = ""
}

// await waits until the worker has nothing to do, or stands at the gate.
func (m *sim) await() {
	for {
		if !m.Session.Store().Busy() || m.held != "" && m.Content.Held(m.held) > 0 {
			return
		}
		runtime.Gosched()
	}
}

func pick[T any](rng *rand.Rand, s []T) (x T, ok bool) {
	if len(s) == 0 {
		return x, false
	}
	return s[rng.Intn(len(s))], true
}

// command does one thing to a random world.
func (m *sim) command() {
	w, ok := pick(m.rng, m.Session.Worlds())
	if !ok {
		m.note("new world")
		m.grid(m.World("again"))
		return
	}
	switch k := m.rng.Intn(100); {
	case k < 20:
		m.spawn(w)
	case k < 32:
		m.despawn(w)
	case k < 36:
		m.walk(w)
	case k < 54:
		m.load(w)
	case k < 74:
		m.commandLayer(w)
	case k < 82:
		m.fault()
	default:
		m.world(w, k)
	}
}

func (m *sim) load(w *sojourn.World) {
	r := scene.Request{
		Stem:   fmt.Sprintf("s%d", m.rng.Intn(simScenes+1)),
		Policy: components.PresentPolicy(m.rng.Intn(4)), Replace: m.rng.Intn(4) == 0,
		Priority: int32(m.rng.Intn(3)), Deadline: time.Duration(m.rng.Intn(500)) * time.Millisecond,
	}
	e := load(m.t, w, r)
	m.note("load %+v as %v in %s", r, e, w.Name())
	m.layers[w] = append(m.layers[w], e)
}

func (m *sim) commandLayer(w *sojourn.World) {
	list := m.layers[w]
	e, ok := pick(m.rng, list)
	if !ok {
		return
	}
	if m.rng.Intn(3) == 0 {
		m.note("show %v in %s: %v", e, w.Name(), w.Show(e))
		return
	}
	m.note("unload %v in %s: %v", e, w.Name(), w.Unload(e))
	if len(list) > 12 {
		w.UnloadAll()
		m.layers[w] = list[:0]
	}
}

// fault makes the next openings of an entry fail, or changes the gate, or the
// device.
func (m *sim) fault() {
	entry, _ := pick(m.rng, m.entries)
	switch m.rng.Intn(6) {
	case 0:
		m.letGo()
		m.note("gate at %s", entry)
		m.held = entry
		m.Content.Hold(entry)
	case 1:
		m.note("gate opens")
		m.letGo()
	case 2:
		n := m.rng.Intn(4)
		m.note("device stalls %d", n)
		m.Device.Stall(n)
	case 3:
		m.note("device fails or loses")
		m.Device.LoseUploads(m.rng.Intn(6))
		m.Device.FailUpload(m.rng.Intn(2))
		m.Device.FailCreate(m.rng.Intn(2))
	default:
		kind := assetstest.FaultKind(1 + m.rng.Intn(int(assetstest.FaultPanic)))
		f := assetstest.Fault{Kind: kind, At: int64(m.rng.Intn(60))}
		m.note("fault %+v at %s", f, entry)
		m.Content.Script(entry, f, f)
	}
}

// world changes budgets and worlds.
func (m *sim) world(w *sojourn.World, k int) {
	switch {
	case k < 86:
		b := work.High()
		b.Name = "random"
		for d := range b.Max {
			b.Max[d] = 1 + m.rng.Int63n(40)
		}
		b.Max[work.AdoptedBytes], b.Max[work.UploadBytes] = 1+m.rng.Int63n(100_000), 1+m.rng.Int63n(100_000)
		m.note("budget %v", b.Max)
		if err := m.Session.Meter().SetBudget(b); err != nil {
			m.t.Fatal(err)
		}
	case k < 90:
		m.travel(w)
	case k < 92:
		n := m.rng.Int63n(200_000)
		m.note("keep alive %d", n)
		m.Session.Store().SetKeepAlive(n)
	case k < 94:
		m.note("unload all of %s", w.Name())
		w.UnloadAll()
	case k < 96 && len(m.Session.Worlds()) < 3:
		m.note("new world")
		m.grid(m.World(fmt.Sprint(m.rng.Intn(100))))
	case k < 98:
		m.note("draw %s", w.Name())
		m.Session.SetActive(w)
	default:
		m.note("close %s", w.Name())
		if err := w.Close(); err != nil {
			m.t.Error(err)
		}
		delete(m.loose, w)
		delete(m.layers, w)
		delete(m.sources, w)
	}
}

// travel goes somewhere by a hard edge, or gives it up.
func (m *sim) travel(w *sojourn.World) {
	if v := w.Reveal(); v.Pending && m.rng.Intn(3) == 0 {
		m.note("cancel generation %d in %s", v.Generation, w.Name())
		if err := w.CancelTravel(v.Generation); err != nil {
			m.t.Error(err)
		}
		return
	}
	d := sojourn.Destination{Cause: "portal", Pos: [3]float32{0, 0, float32(m.rng.Intn(500))}, RadiusMetres: float32(m.rng.Intn(60))}
	for range m.rng.Intn(3) {
		d.Layers = append(d.Layers, scene.Request{
			Stem: fmt.Sprintf("s%d", m.rng.Intn(simScenes+1)), Policy: components.PresentPolicy(m.rng.Intn(2)),
		})
	}
	generation, err := w.Travel(d)
	if err != nil {
		m.t.Error(err)
	}
	m.note("travel to %v within %v in %s: generation %d", d.Pos[2], d.RadiusMetres, w.Name(), generation)
}

// grid gives a world cells to travel through.
func (m *sim) grid(w *sojourn.World) {
	systems.Grid(w.ECS(), components.StreamGrid{Columns: 50, CellMetres: 10, Axis: 2}, func(i int32) (string, [3]float32) {
		return fmt.Sprintf("s%d", i%(simScenes+1)), [3]float32{0, 0, float32(i) * 10}
	})
}

// checkOver: a route that ended leaves nothing under way.
func (m *sim) checkOver() {
	b, r := m.Session.Backlog(), m.Session.Residency()
	for l := range b {
		if b[l].Waiting > 0 {
			m.t.Errorf("invariant 27: %d wait: %s", b[l].Waiting, sojourn.Line(l))
		}
	}
	if r.Voices > 0 || m.Session.Store().OpenTickets() > 0 {
		m.t.Errorf("invariant 27: %d voices, %d tickets", r.Voices, m.Session.Store().OpenTickets())
	}
}

// checkTravel: what is of another generation than the world's, and what a
// reveal waits for, is neither drawn nor heard.
func (m *sim) checkTravel(step int, w *sojourn.World) {
	v := w.Reveal()
	if f := w.LastFrame(); v.Pending && m.Session.Active() == w && len(f.Items)+len(f.Sprites) > 0 {
		m.t.Errorf("step %d: invariant 24: %d items and %d sprites are drawn before the reveal", step, len(f.Items), len(f.Sprites))
	}
	member, layer := ecs.ComponentID[components.Member](w.ECS()), ecs.ComponentID[components.Layer](w.ECS())
	shown := ecs.All(member).Without(ecs.ComponentID[components.Withheld](w.ECS()))
	sound := ecs.ComponentID[components.SoundSource](w.ECS())
	q := w.ECS().Query(ecs.All(member))
	for q.Next() {
		l := (*components.Member)(q.Get(member)).Layer
		if !w.ECS().Alive(l) {
			continue
		}
		old := (*components.Layer)(w.ECS().Get(l, layer)).Generation != v.Generation
		if old && shown.Matches(ptr(w.ECS().Mask(q.Entity()))) {
			m.t.Errorf("step %d: invariant 23: %v of a former generation is not withheld", step, q.Entity())
		}
		if q.Has(sound) && (*components.SoundSource)(q.Get(sound)).Voice != 0 && (old || v.Pending) {
			m.t.Errorf("step %d: invariant 23: %v is heard", step, q.Entity())
		}
	}
}

func ptr[T any](v T) *T { return &v }

// check compares the store's accounts with what holders there are. Device
// bytes and the meter are the rig's to check.
func (m *sim) check(step int) {
	for _, w := range m.Session.Worlds() {
		if n := w.Set().Ledger.Unseen(); n != 0 {
			m.t.Errorf("step %d: %d entities died unseen", step, n)
		}
		m.checkFrame(step, w)
		m.checkTravel(step, w)
	}
	var snap assets.Snapshot
	total, known := m.count(&snap)
	for range 10_000 {
		// A worker has a retain of its own until it followed what an asset
		// needs. At the gate may be a read that was given up.
		atGate := m.held != "" && m.Content.Held(m.held) > 0
		if total == known || atGate && total == known+1 {
			known = total
			break
		}
		runtime.Gosched()
		total, known = m.count(&snap)
	}
	if total != known {
		m.t.Errorf("step %d: the store counts %d retains; ledgers, scopes, batches, mixer and uploads hold %d", step, total, known)
	}
	mixer := map[assets.Handle]bool{}
	for _, row := range m.Session.Mixer().Snapshot(nil) {
		mixer[row.Sound] = true
	}
	for _, row := range snap.Rows {
		held := 0
		for _, w := range m.holding() {
			w.Holders(row.Handle, func(ecs.Entity) { held++ })
		}
		if mixer[row.Handle] {
			held++
		}
		if row.Refs < held || m.Session.Idle() && m.held == "" && row.Refs != held {
			m.t.Errorf("step %d: %v has %d retains, and %d holders are known", step, row.Key, row.Refs, held)
		}
	}
	if st := snap.Stats; st.OverReleases != 0 || st.Retains-st.Releases != uint64(total) || st.ColdBytes > st.KeepAliveBytesMax {
		m.t.Errorf("step %d: %+v", step, st)
	}
}

// count adds up the retains in the store, and those of the holders there are.
func (m *sim) count(snap *assets.Snapshot) (total, known int) {
	m.Session.Store().Snapshot(snap)
	for _, row := range snap.Rows {
		total += row.Refs
		if row.Refs > 0 {
			why, _ := m.Session.Store().Why(row.Key)
			known += len(why.Scopes) // each scope of the engine's holds an asset once
		}
	}
	for _, b := range snap.Batches {
		known += b.Held
	}
	for _, w := range m.holding() {
		set := w.Set()
		known += set.Ledger.LiveIn(set.Holds.Retain)
	}
	return total, known + len(m.Session.Mixer().Snapshot(nil)) + m.Session.Geometry().Pending() + m.Session.Textures().Stats().Reading
}

// holding are the worlds that may hold something: open ones and closed ones
// that are being let go.
func (m *sim) holding() []*sojourn.World {
	return m.Session.Retiring(append([]*sojourn.World(nil), m.Session.Worlds()...))
}

// checkFrame: nothing withheld is in the frame.
func (m *sim) checkFrame(step int, w *sojourn.World) {
	hidden := map[uint32]bool{}
	q := w.ECS().Query(ecs.All(ecs.ComponentID[components.Withheld](w.ECS())))
	for q.Next() {
		hidden[q.Entity().ID()] = true
	}
	if m.Session.Active() != w {
		return
	}
	for _, item := range w.LastFrame().Items {
		if hidden[item.Serial] {
			m.t.Errorf("step %d: entity %d is withheld, and drawn", step, item.Serial)
		}
	}
	for _, s := range w.LastFrame().Sprites {
		if hidden[s.Serial] {
			m.t.Errorf("step %d: entity %d is withheld, and gives off %d quads", step, s.Serial, s.Count)
		}
	}
}
