package sojourn_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/cook"
	"sojourn/assets/pack"
	"sojourn/assets/watch"
)

// putPack writes a pack beside its place and renames it.
func putPack(t *testing.T, path string, files map[string][]byte) {
	t.Helper()
	w, err := pack.Create(path, pack.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := w.Add(name, files[name], filepath.Ext(name) != ".material"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

func openPack(t *testing.T, path string) *pack.Pack {
	t.Helper()
	p, err := pack.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// packLive is a session over one watched pack.
func packLive(t *testing.T, files map[string][]byte, change func(*sojourn.Options)) (*live, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "game.zip")
	putPack(t, path, files)
	return openLive(t, []string{path}, []assets.Source{openPack(t, path)}, change), path
}

// A pack that was made anew: entries with other content are reloaded, others
// stay and go on being read, the old file is let go of, and one with the same
// content is no change at all.
func TestReload_RecookedPack(t *testing.T) {
	files := box(t, 3)
	files["skin.ktx2"] = textureOf(t, 256, 1)
	l, path := packLive(t, files, nil)
	l.spawnBox()
	l.await("the box is drawn", func() bool { return l.drawn(3)() && l.shows(files["skin.ktx2"])() })
	store := l.s.Store()
	epoch, decodes := store.Epoch(), store.Stats().Decodes

	for range 3 {
		putPack(t, path, files)
		for range 6 {
			l.frame()
		}
	}
	if v := l.s.Reloads(); store.Epoch() != epoch || v.Batches != 0 || v.Packs != 0 {
		t.Errorf("identical packs: epoch %d, was %d; %+v", store.Epoch(), epoch, v)
	}

	for i := range 3 {
		n := 5 + i
		files["box#side.mesh"] = meshOf(t, n)
		putPack(t, path, files)
		l.await(fmt.Sprintf("%d triangles", n), l.drawn(n))
	}
	if got := store.Stats().Decodes - decodes; got != 3 {
		t.Errorf("%d decodes for one mesh changed three times", got)
	}
	if !l.shows(files["skin.ktx2"])() {
		t.Error("the texture is gone")
	}
	l.await("old packs are closed", func() bool { return l.s.Reloads().Retired == 0 })
	if v := l.s.Reloads(); v.Packs != 3 || v.Failed != 0 {
		t.Errorf("%+v", v)
	}

	// The texture was decoded from a pack that is closed by now: its mips are
	// read from the new one.
	h := l.handle(assets.KindTexture, "skin")
	reads := store.NewReads("test", 1)
	defer reads.Close()
	if err := reads.Submit(h, 0, 100, 0, 1); err != nil {
		t.Fatal(err)
	}
	var got []byte
	l.await("the range", func() bool {
		reads.Drain(func(d assets.ReadDone) {
			if d.Err != nil {
				t.Error(d.Err)
			}
			got = bytes.Clone(d.Bytes.Slice())
			d.Bytes.Free()
		})
		return got != nil
	})
	if !bytes.Equal(got, files["skin.ktx2"][:100]) {
		t.Error("other bytes were read")
	}
}

// A damaged pack changes nothing; the next good one is taken up.
func TestReload_DamagedPackLeavesTheOldOne(t *testing.T) {
	files := box(t, 3)
	l, path := packLive(t, files, nil)
	l.spawnBox()
	l.await("the box is drawn", l.drawn(3))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path+".tmp~", whole[:len(whole)-30])
	if err := os.Rename(path+".tmp~", path); err != nil {
		t.Fatal(err)
	}
	l.await("it was refused", func() bool { return l.s.Reloads().Failed == 1 })
	if err := l.s.Reloads().LastErr; !errors.Is(err, assets.ErrCorrupt) || !bytes.Contains([]byte(err.Error()), []byte(path)) {
		t.Errorf("refused with %v", err)
	}
	l.frame()
	if !l.drawn(3)() {
		t.Error("it is not drawn any more")
	}
	files["box#side.mesh"] = meshOf(t, 4)
	putPack(t, path, files)
	l.await("the good one", l.drawn(4))
}

// What is not cooked yet is pending: nobody polls, a ticket waits, and the
// wake comes with the pack that has it. It holds for a pack that is not there
// at all, too.
func TestReload_PendingUntilCooked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.zip")
	l := openLive(t, []string{path}, nil, func(o *sojourn.Options) { o.Cooking = true })
	l.spawnBox()
	store := l.s.Store()
	state := func(kind assets.Kind, stem string, want assets.State) func() bool {
		return func() bool { return store.State(l.handle(kind, stem)) == want }
	}
	l.await("the model is pending", state(assets.KindModel, "box", assets.StatePending))
	ticket := store.OpenTicket(assets.TicketOptions{Owner: "test"})
	defer store.CloseTicket(ticket)
	if err := store.Require(ticket, l.handle(assets.KindModel, "box"), assets.PhaseDecoded); err != nil {
		t.Fatal(err)
	}
	store.Seal(ticket)
	failures := store.Stats().FailedCount
	for range 100 {
		l.frame()
	}
	if got := store.Stats().FailedCount; got != failures {
		t.Errorf("probed %d times more without a reason", got-failures)
	}
	if st := store.Poll(ticket); st.Ready || st.Failed != 0 {
		t.Errorf("the ticket does not wait: %+v", st)
	}

	all := box(t, 3)
	some := map[string][]byte{"box.model": all["box.model"], "paint.material": all["paint.material"]}
	putPack(t, path, some)
	l.await("the model came", func() bool { return store.Poll(ticket).Ready })
	l.await("its mesh is pending", state(assets.KindMesh, "box#side", assets.StatePending))
	if n := len(l.dev.items); n != 0 {
		t.Errorf("%d items drawn", n)
	}
	putPack(t, path, all)
	l.await("all of it", func() bool { return l.drawn(3)() && l.shows(all["skin.ktx2"])() })

	store.SetCooking(false)
	if _, err := sojourn.Spawn(l.w, "nothing", sojourn.At(0, 0, -5)); err != nil {
		t.Fatal(err)
	}
	l.await("without a cook it is missing", state(assets.KindModel, "nothing", assets.StateMissing))
}

// A layer whose document is not cooked yet waits in line.
func TestReload_LayerWaitsForItsDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.zip")
	putPack(t, path, box(t, 3))
	l := openLive(t, []string{path}, []assets.Source{openPack(t, path)}, func(o *sojourn.Options) { o.Cooking = true })
	if _, err := l.w.Load(sceneRequest("rooms/hall")); err != nil {
		t.Fatal(err)
	}
	l.await("it is pending", func() bool {
		return l.s.Store().State(l.handle(assets.KindScene, "rooms/hall")) == assets.StatePending
	})
	for range 20 {
		l.frame()
	}
	files := box(t, 3)
	files["rooms/hall.scene"] = sceneOf(t, "box", 4)
	putPack(t, path, files)
	l.await("the hall is shown", l.drawn(12))
	if c := l.w.Counts(); c.Failed != 0 || c.Presented != 1 {
		t.Errorf("%+v", c)
	}
}

// Saves while a layer loads: it is shown once, complete, with what was saved
// last.
func TestReload_WhileALayerLoads(t *testing.T) {
	files := box(t, 3)
	files["rooms/hall.scene"] = sceneOf(t, "box", 4)
	for wait := range 12 {
		l := folderLive(t, files)
		if _, err := l.w.Load(sceneRequest("rooms/hall")); err != nil {
			t.Fatal(err)
		}
		for range wait {
			l.s.Tick(16 * time.Millisecond)
		}
		n := 4 + wait
		l.save("box#side.mesh", meshOf(t, n))
		l.save("paint.material", materialOf(t, 0.5, "skin"))
		l.save("box.model", modelOf(t, 1+wait%2, "box#side", "paint"))
		l.await("the changes were seen", func() bool { return l.s.Reloads().Families >= 2 })
		parts := func() int { return count1(l) }
		l.await("the hall is shown", func() bool {
			return l.w.Counts().Presented == 1 && parts() > 0 && l.drawn(4*n)() || l.drawn(8*n)()
		})
		if err := l.s.Close(); err != nil {
			t.Errorf("after %d ticks: %v", wait, err)
		}
	}
}

// A patch pack overrides, and its removal restores, at once and for what is
// shown. It is closed when nothing reads from it.
func TestReload_PatchPack(t *testing.T) {
	files := box(t, 3)
	l, path := packLive(t, files, nil)
	l.spawnBox()
	l.await("the box is drawn", l.drawn(3))
	base := l.s.Store().Sources(nil)
	if len(base) != 1 || base[0].Name != path || base[0].Entries != len(files) || base[0].Resident == 0 {
		t.Errorf("%+v", base)
	}
	patchPath := filepath.Join(filepath.Dir(path), "patch.zip")
	skin := textureOf(t, 64, 9)
	putPack(t, patchPath, map[string][]byte{"box#side.mesh": meshOf(t, 7), "skin.ktx2": skin})
	for range 2 {
		patch := openPack(t, patchPath)
		if err := l.s.AddSource(patch); err != nil {
			t.Fatal(err)
		}
		l.await("patched", func() bool { return l.drawn(7)() && l.shows(skin)() })
		if s := l.s.Store().Sources(nil); len(s) != 2 || s[0].Name != patchPath || s[0].Entries != 2 {
			t.Errorf("order of search: %+v", s)
		}
		if err := l.s.RemoveSource(patch); err != nil {
			t.Fatal(err)
		}
		l.await("restored", func() bool { return l.drawn(3)() && l.shows(files["skin.ktx2"])() })
		l.await("the patch is closed", func() bool { return l.s.Reloads().Retired == 0 })
		if _, err := patch.Open("skin.ktx2"); !errors.Is(err, assets.ErrClosed) {
			t.Errorf("the patch is open: %v", err)
		}
	}
}

// A cook that watches its sources beside a program that watches the pack.
func TestReload_CookWatchBesideTheProgram(t *testing.T) {
	art := t.TempDir()
	out := filepath.Join(t.TempDir(), "game.zip")
	picture := func(edge int, grey uint8) []byte {
		img := image.NewGray(image.Rect(0, 0, edge, edge))
		for i := range img.Pix {
			img.Pix[i] = color.Gray{Y: grey}.Y
		}
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	looks := make(chan time.Time)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- cook.Watch(ctx, cook.Options{Out: out, Dirs: []string{art}, Jobs: 1}, cook.WatchOptions{
			Watch: func(string) watch.Options { return watch.Options{Looks: looks} },
		})
	}()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	l := openLive(t, []string{out}, nil, func(o *sojourn.Options) { o.Cooking = true })
	if _, err := sojourn.SpawnSkybox(l.w, "sky"); err != nil {
		t.Fatal(err)
	}
	textures := assets.Of[assets.Texture](l.s.Store(), assets.KindTexture)
	shown := func(edge int32) func() bool {
		return func() bool {
			select {
			case looks <- time.Time{}:
			default: // it cooks
			}
			h := l.handle(assets.KindTexture, "sky")
			tex := textures.At(h)
			return l.dev.skybox != 0 && tex != nil && tex.Width == edge
		}
	}
	for i, edge := range []int{8, 16, 32} {
		put(t, filepath.Join(art, "sky.png"), picture(edge, uint8(40*i)))
		l.await(fmt.Sprintf("a sky of %d texels", edge), shown(int32(edge)))
	}
	if st := l.s.Store().Stats(); st.DecodesOnTick != 0 {
		t.Errorf("%d decodes on a tick", st.DecodesOnTick)
	}
}

// A layer that was shown without a broken model has it once its file is mended.
func TestReload_BrokenModelOfALayerIsMended(t *testing.T) {
	files := box(t, 3)
	whole := files["box.model"]
	files["box.model"] = []byte("no model")
	files["rooms/hall.scene"] = sceneOf(t, "box", 4)
	l := folderLive(t, files)
	e, err := l.w.Load(sceneRequest("rooms/hall"))
	if err != nil {
		t.Fatal(err)
	}
	l.await("the hall is shown without it", func() bool { return l.w.Counts().Presented == 1 && l.s.Idle() })
	l.save("box.model", whole)
	l.await("the models come", l.drawn(12))
	if err := l.w.Unload(e); err != nil {
		t.Fatal(err)
	}
	l.await("all of it goes", func() bool { return l.s.Idle() && count1(l) == 0 })
	if n := l.w.Set().Dormant.Live(); n != 0 {
		t.Errorf("%d of the document's own are on record", n)
	}
}
