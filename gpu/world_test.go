package gpu_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"sojourn/assets"
	"sojourn/gpu"
	"sojourn/gpu/headless"
	"sojourn/stages/work"
)

// handClock moves by hand, so that time never limits a test that does not ask
// for it.
type handClock struct{ now time.Duration }

func (c *handClock) Now() time.Duration { return c.now }

// fakeStore holds payloads by handle and counts what tables do with them.
type fakeStore struct {
	meshes   map[assets.Handle]*assets.Mesh
	textures map[assets.Handle]*assets.Texture
	files    map[assets.Handle][]byte
	retains  map[assets.Handle]int
	phases   map[assets.Handle][]assets.Phase
	went     map[assets.Handle][]string
	slots    uint64
	names    int
	nameErr  error
}

func newFakeStore() *fakeStore {
	return &fakeStore{
		meshes: map[assets.Handle]*assets.Mesh{}, textures: map[assets.Handle]*assets.Texture{},
		files: map[assets.Handle][]byte{}, retains: map[assets.Handle]int{}, phases: map[assets.Handle][]assets.Phase{}, went: map[assets.Handle][]string{},
	}
}

func (s *fakeStore) handle(k assets.Kind) assets.Handle {
	s.slots++
	return assets.Handle(1<<32 | uint64(k)<<26 | s.slots)
}

func (s *fakeStore) TryRetain(h assets.Handle) bool {
	if s.meshes[h] == nil && s.textures[h] == nil {
		return false
	}
	s.retains[h]++
	return true
}

func (s *fakeStore) Release(h assets.Handle) { s.retains[h]-- }

func (s *fakeStore) KeyOf(h assets.Handle) (assets.Key, bool) {
	return assets.Key{Stem: fmt.Sprintf("asset-%d", h.Slot()), Kind: h.Kind()}, true
}

func (s *fakeStore) Name(k assets.Key) (assets.Handle, error) {
	if s.nameErr != nil {
		return 0, s.nameErr
	}
	s.names++
	return 0, nil
}

func (s *fakeStore) Forget(assets.Handle) { s.names-- }

func (s *fakeStore) NotePhase(h assets.Handle, p assets.Phase) { s.phases[h] = append(s.phases[h], p) }

func (s *fakeStore) NoteWent(h assets.Handle, cause string) { s.went[h] = append(s.went[h], cause) }

func (s *fakeStore) held() int {
	n := 0
	for _, c := range s.retains {
		n += c
	}
	return n
}

type fakeMeshes struct{ *fakeStore }

func (s fakeMeshes) At(h assets.Handle) *assets.Mesh { return s.meshes[h] }

type fakeTextures struct{ *fakeStore }

func (s fakeTextures) At(h assets.Handle) *assets.Texture { return s.textures[h] }

// triangles makes a mesh of n triangles.
func triangles(n int) *assets.Mesh {
	m := &assets.Mesh{Vertices: make([]assets.Vertex, 3*n), Indices: make([]uint32, 3*n)}
	for i := range m.Vertices {
		m.Vertices[i].Pos = [3]float32{float32(i), float32(-i), 1}
		m.Indices[i] = uint32(i)
	}
	m.Bounds = assets.Bounds{Radius: float32(n)}
	return m
}

func (s *fakeStore) mesh(n int) assets.Handle {
	h := s.handle(assets.KindMesh)
	s.meshes[h] = triangles(n)
	return h
}

// texture makes a whole chain with the guaranteed tail, its pixels different
// for every seed.
func (s *fakeStore) texture(w, h int, seed uint32) assets.Handle {
	t, file := textureFile(w, h, seed)
	id := s.handle(assets.KindTexture)
	s.textures[id], s.files[id] = t, file
	return id
}

const textureFileHead = 64 // bytes before the levels, as a header would take

func textureFile(w, h int, seed uint32) (*assets.Texture, []byte) {
	t := &assets.Texture{Width: int32(w), Height: int32(h)}
	for lw, lh := w, h; ; lw, lh = max(1, lw/2), max(1, lh/2) {
		t.Mips[t.Levels] = assets.MipSpan{Width: int32(lw), Height: int32(lh), SizeBytes: int64(lw) * int64(lh) * 4}
		t.Levels++
		if lw == 1 && lh == 1 {
			break
		}
	}
	at := int64(textureFileHead)
	for l := t.Levels - 1; l >= 0; l-- {
		t.Mips[l].OffsetBytes = at
		at += t.Mips[l].SizeBytes
	}
	file := make([]byte, at)
	for i := 0; i < len(file); i += 4 {
		binary.LittleEndian.PutUint32(file[i:], seed*2654435761+uint32(i))
	}
	t.TailLevel = t.TailStart()
	off, n := t.SuffixSpan(t.TailLevel)
	t.Tail = assets.OwnBytes(slices.Clone(file[off : off+n]))
	return t, file
}

// fakeReads answers when the test says so, out of a pool that shows leaks.
type fakeReads struct {
	store     *fakeStore
	pool      *assets.Pool
	queue     []fakeRead
	done      []assets.ReadDone
	max       int
	auto      bool // every drain finds all reads finished
	fail      error
	short     bool
	submitErr error
	submitted int
	cancelled int
	closed    bool
}

type fakeRead struct {
	h        assets.Handle
	off, n   int64
	priority int32
	tag      uint64
}

func (r *fakeReads) Submit(h assets.Handle, off, n int64, priority int32, tag uint64) error {
	if r.submitErr != nil {
		return r.submitErr
	}
	if len(r.queue)+len(r.done) >= r.max {
		return fmt.Errorf("%w: reads", assets.ErrFull)
	}
	r.submitted++
	r.queue = append(r.queue, fakeRead{h, off, n, priority, tag})
	return nil
}

// finish moves the read at i to where Drain finds it.
func (r *fakeReads) finish(i int) {
	q := r.queue[i]
	r.queue = slices.Delete(r.queue, i, i+1)
	d := assets.ReadDone{Handle: q.h, Tag: q.tag, Err: r.fail}
	if r.fail == nil {
		n := q.n
		if r.short {
			n--
		}
		d.Bytes = r.pool.Get(int(n))
		copy(d.Bytes.Slice(), r.store.files[q.h][q.off:q.off+n])
	}
	r.done = append(r.done, d)
}

func (r *fakeReads) Drain(f func(assets.ReadDone)) {
	for r.auto && len(r.queue) > 0 {
		r.finish(0)
	}
	done := r.done
	r.done = nil
	for _, d := range done {
		f(d)
	}
}

// Cancel drops a read that still waits; one that is finished is delivered all
// the same.
func (r *fakeReads) Cancel(tag uint64) {
	r.cancelled++
	for i, q := range r.queue {
		if q.tag == tag {
			r.queue = slices.Delete(r.queue, i, i+1)
			return
		}
	}
}

func (r *fakeReads) Close() { r.closed = true }

// rig is a device with everything around it.
type rig struct {
	t     testing.TB
	dev   *headless.Device
	store *fakeStore
	reads *fakeReads
	ret   *gpu.Retirement
	geo   *gpu.Geometry
	tex   *gpu.Textures
	up    *gpu.Uploads
	meter *work.Meter
	clock *handClock
	frame gpu.Frame
}

type rigOptions struct {
	geometry gpu.GeometryOptions
	texture  gpu.TextureOptions
	budget   work.Budget
}

func newRig(t testing.TB, o rigOptions) *rig {
	if o.budget.Name == "" {
		o.budget = work.High()
	}
	r := &rig{t: t, dev: headless.New(headless.Options{Checksum: true}), store: newFakeStore(), clock: &handClock{}}
	r.reads = &fakeReads{store: r.store, pool: assets.NewPool(0), max: 64, auto: true}
	r.ret = gpu.NewRetirement(r.dev)
	r.geo = gpu.NewGeometryOn(r.dev, fakeMeshes{r.store}, r.store, r.ret, o.geometry)
	r.tex = gpu.NewTexturesOn(r.dev, fakeTextures{r.store}, r.store, r.reads, r.ret, o.texture)
	r.up = gpu.NewUploads(r.geo, r.tex)
	r.meter = work.NewMeter(r.clock, o.budget)
	return r
}

// rebuild makes the tables anew on a device that wraps the rig's.
func (r *rig) rebuild(dev gpu.Device, o gpu.TextureOptions) {
	r.ret = gpu.NewRetirement(dev)
	r.geo = gpu.NewGeometryOn(dev, fakeMeshes{r.store}, r.store, r.ret, gpu.GeometryOptions{})
	r.tex = gpu.NewTexturesOn(dev, fakeTextures{r.store}, r.store, r.reads, r.ret, o)
	r.up = gpu.NewUploads(r.geo, r.tex)
}

// tick is one frame: frees, uploads, one present of the published table.
func (r *rig) tick() {
	r.t.Helper()
	r.meter.NewFrame()
	r.meter.Begin()
	r.ret.Pump(r.meter)
	before := r.dev.Stats()
	r.up.Pump(r.meter)
	r.meter.End()
	r.paid(before)
	r.present()
}

// paid holds that a frame's uploads were paid for as what the device says they
// were, and within the budget, but for the one use that is named.
func (r *rig) paid(before gpu.DeviceStats) {
	r.t.Helper()
	now, f, b := r.dev.Stats(), r.meter.Facts(), r.meter.Budget()
	for _, c := range []struct {
		done int64
		in   work.Dimension
	}{
		{now.TextureCreates - before.TextureCreates + now.GeometryCreates - before.GeometryCreates, work.DeviceCreates},
		{now.TextureWrites - before.TextureWrites, work.DeviceTouches},
		{now.UploadedBytes - before.UploadedBytes, work.UploadBytes},
	} {
		if c.done > f.Used[c.in] {
			r.t.Fatalf("the device counts %d %v in a frame that paid for %d", c.done, c.in, f.Used[c.in])
		}
	}
	for d, used := range f.Used {
		if used <= b.Max[d] {
			continue
		}
		over, _ := r.meter.Overruns(nil)
		last := work.Overrun{}
		for _, o := range over {
			if o.Oversize && o.Frame == f.Frame {
				last = o
			}
		}
		if f.Oversizes != 1 || last.Stage == "" {
			r.t.Fatalf("%d %v of %d in a frame, %d oversize uses, the last of stage %q", used, work.Dimension(d), b.Max[d], f.Oversizes, last.Stage)
		}
	}
}

func (r *rig) present() {
	r.t.Helper()
	r.frame.Textures = r.tex.Table()
	if err := r.dev.Present(nil, &r.frame); err != nil {
		r.t.Fatal(err)
	}
	r.ret.Presented()
}

func (r *rig) ticks(n int) {
	r.t.Helper()
	for range n {
		r.tick()
	}
}

// check holds 28, 29 and 30 and every inner sum.
func (r *rig) check() {
	r.t.Helper()
	if err := errors.Join(r.geo.Check(), r.tex.Check()); err != nil {
		r.t.Fatal(err)
	}
	s := r.dev.Stats()
	if s.TextureBytes != r.tex.LiveBytes() || s.GeometryBytes != r.geo.LiveBytes() {
		r.t.Fatalf("device holds %d texture and %d geometry bytes, accounts say %d and %d",
			s.TextureBytes, s.GeometryBytes, r.tex.LiveBytes(), r.geo.LiveBytes())
	}
	if r.tex.LiveBytesMax() > r.tex.BytesMax() {
		r.t.Fatalf("%d texture bytes at once, budget %d", r.tex.LiveBytesMax(), r.tex.BytesMax())
	}
	for i, id := range r.tex.Table() {
		if id != 0 && !r.dev.Complete(id) {
			r.t.Fatalf("image %d is published with rows that were never written", i)
		}
	}
	if n := r.dev.EarlyFrees(); n != 0 && !r.reads.closed {
		r.t.Fatalf("%d frees of what a frame in flight may still use", n)
	}
}

// close ends everything and holds that nothing is left.
func (r *rig) close() {
	r.t.Helper()
	r.geo.Close()
	r.tex.Close()
	for len(r.reads.queue) > 0 {
		r.t.Fatal("a read was left in flight")
	}
	r.ret.Flush()
	r.check()
	s := r.dev.Stats()
	if s.Textures != 0 || s.Geometries != 0 || r.ret.Pending() != 0 || r.ret.PendingBytes() != 0 || r.up.Pending() != 0 {
		r.t.Fatalf("left at the end: %+v, %d frees, %d uploads", s, r.ret.Pending(), r.up.Pending())
	}
	if n := r.store.held(); n != 0 {
		r.t.Fatalf("%d retains left", n)
	}
	if r.store.names != 0 {
		r.t.Fatalf("%d names left", r.store.names)
	}
	if n := r.reads.pool.LiveBytes(); n != 0 {
		r.t.Fatalf("%d bytes of suffixes left", n)
	}
	if !r.reads.closed {
		r.t.Fatal("the read queue is open")
	}
}

func (r *rig) joinTexture(h assets.Handle) gpu.TextureRef {
	r.t.Helper()
	ref, err := r.tex.Join(h)
	if err != nil {
		r.t.Fatal(err)
	}
	return ref
}

func (r *rig) joinMesh(h assets.Handle) gpu.GeometryRef {
	r.t.Helper()
	ref, err := r.geo.Join(h)
	if err != nil {
		r.t.Fatal(err)
	}
	return ref
}

// chainBytes is what a texture takes from a level on.
func chainBytes(p *assets.Texture, base int32) int64 {
	return gpu.TextureDesc{
		Width: int(p.Mips[base].Width), Height: int(p.Mips[base].Height), Levels: int(p.Levels - base),
	}.Bytes()
}

// sum is the checksum a file's levels from base on have on a device.
func sum(t testing.TB, p *assets.Texture, file []byte, base int32) uint64 {
	t.Helper()
	dev := headless.New(headless.Options{Checksum: true})
	id, err := dev.CreateTexture(gpu.TextureDesc{
		Width: int(p.Mips[base].Width), Height: int(p.Mips[base].Height), Levels: int(p.Levels - base),
	})
	if err != nil {
		t.Fatal(err)
	}
	for l := base; l < p.Levels; l++ {
		m := p.Mips[l]
		err := dev.WriteTexture(id, gpu.Strip{Level: int(l - base), Rows: int(m.Height), Pixels: file[m.OffsetBytes : m.OffsetBytes+m.SizeBytes]})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dev.Checksum(id)
}
