package systems

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/assets/assetstest"
	"sojourn/stages"
	"sojourn/stages/stagestest"
)

const kindNote = assets.NumBuiltinKinds

// sign is a component that wants a text.
type sign struct {
	stem string
	text string
	err  error
}

func noteKinds() []assets.KindSpec {
	return []assets.KindSpec{assetstest.TextKind(kindNote, "note", ".note")}
}

// signs counts what its row did.
type signs struct{ bound, unbound, failed int }

func (c *signs) row() stages.Row {
	return Bind(BindOptions[sign, assetstest.Text]{
		Name: "signs", Kind: kindNote,
		Stem:   func(s *sign) string { return s.stem },
		Bind:   func(_ ecs.Entity, s *sign, text *assetstest.Text) { s.text = text.String(); c.bound++ },
		Unbind: func(ecs.Entity) { c.unbound++ },
		Failed: func(_ ecs.Entity, s *sign, err error) { s.err = err; c.failed++ },
	})
}

func addSign(r *stagestest.Rig, e ecs.Entity, stem string) {
	id := ecs.ComponentID[sign](r.World)
	r.World.Add(e, id)
	(*sign)(r.World.Get(e, id)).stem = stem
}

func spawnSign(r *stagestest.Rig, stem string) ecs.Entity {
	e := r.World.NewEntity()
	addSign(r, e, stem)
	return e
}

func putNote(s *assetstest.Source, i int) (assets.Key, string) {
	key := assets.Key{Stem: fmt.Sprintf("notes/n%d", i), Kind: kindNote}
	return key, put(s, key.Stem+".note", []byte(key.Stem))
}

func TestConform_Bind(t *testing.T) {
	stagestest.Conform(t, stagestest.Consumer{
		Kinds: noteKinds(),
		Rows:  func() []stages.Row { return []stages.Row{new(signs).row()} },
		Put:   putNote,
		Spawn: spawnSign,
		Bound: func(r *stagestest.Rig, e ecs.Entity) bool {
			s := at[sign](r, e)
			return s.stem != "" && s.text == s.stem
		},
		Failed:    func(r *stagestest.Rig, e ecs.Entity) bool { return at[sign](r, e).err != nil },
		Component: ecs.ComponentID[sign],
		Attach:    addSign,
	})
}

func TestBind_UnbindsEachBindOnce(t *testing.T) {
	c := &signs{}
	r := stagestest.NewRig(t, stagestest.RigOptions{Rows: []stages.Row{c.row()}, Kinds: noteKinds()})
	key, _ := putNote(r.Source, 0)
	gone, stripped, waiting := spawnSign(r, key.Stem), spawnSign(r, key.Stem), spawnSign(r, "notes/none")
	r.Settle()
	if c.bound != 2 || c.unbound != 0 || c.failed != 1 {
		t.Fatalf("%+v", *c)
	}
	r.World.RemoveEntity(gone)
	r.World.Remove(stripped, ecs.ComponentID[sign](r.World))
	r.World.RemoveEntity(waiting)
	if c.unbound != 2 {
		t.Errorf("%+v right after removal", *c)
	}
	r.Settle()
	if has[Binding[sign]](r, stripped) || has[PendingBind[sign]](r, stripped) || c.bound != 2 || c.unbound != 2 {
		t.Errorf("%+v, binding left: %v", *c, has[Binding[sign]](r, stripped))
	}
	r.CheckReleased()
}

func TestBind_BadStemFailsAndNamesTheReason(t *testing.T) {
	c := &signs{}
	r := stagestest.NewRig(t, stagestest.RigOptions{Rows: []stages.Row{c.row()}, Kinds: noteKinds()})
	for _, stem := range []string{"", "../secret", "/etc/passwd", `a\b`} {
		e := spawnSign(r, stem)
		r.Settle()
		if err := at[sign](r, e).err; !errors.Is(err, assets.ErrBadStem) {
			t.Errorf("%q: %v", stem, err)
		}
		r.World.RemoveEntity(e)
	}
	r.Settle()
	r.CheckReleased()
	if c.failed != 4 || c.bound != 0 || c.unbound != 0 {
		t.Errorf("%+v", *c)
	}
}

// TestQueue_EndsATurnOnlyAfterEverything: what came while a list was cut short
// is looked at in the same turn as its rest.
func TestQueue_EndsATurnOnlyAfterEverything(t *testing.T) {
	w := ecs.NewWorld(16, 1)
	id := ecs.ComponentID[sign](&w)
	q := NewQueue(&w, []ecs.ID{id})
	first, second := w.NewEntity(id), w.NewEntity(id)
	q.Fill()
	if e, ok := q.Take(); !ok || e != first {
		t.Fatal(e, ok)
	}
	q.Take()
	q.PutBack() // cut short before second
	w.Remove(first, id)
	late := w.NewEntity(id)
	q.Fill()
	var got []ecs.Entity
	for e, ok := q.Take(); ok; e, ok = q.Take() {
		got = append(got, e)
	}
	if fmt.Sprint(got) != fmt.Sprint([]ecs.Entity{second, second, late}) && fmt.Sprint(got) != fmt.Sprint([]ecs.Entity{second, late, second}) {
		t.Errorf("took %v of %v, %v", got, second, late)
	}
	w.RemoveEntity(second)
	w.RemoveEntity(late)
	if q.Fill(); q.next != 0 {
		t.Error("not refilled")
	}
	if e, ok := q.Take(); ok {
		t.Errorf("took %v from an empty world", e)
	}
	if n := testing.AllocsPerRun(50, func() { q.Fill(); q.Take() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
