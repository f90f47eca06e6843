package gpu

import (
	"fmt"

	"sojourn/assets"
	"sojourn/gpu/mips"
)

// What tests in package gpu_test need of the inside.

type PhaseStore = phaseStore

type SuffixReads = suffixReads

func NewGeometryOn(dev Device, meshes payloads[assets.Mesh], s PhaseStore, r *Retirement, o GeometryOptions) *Geometry {
	return newGeometry(dev, meshes, s, r, o)
}

func NewTexturesOn(dev Device, p payloads[assets.Texture], s PhaseStore, reads SuffixReads, r *Retirement, o TextureOptions) *Textures {
	return newTextures(dev, p, s, reads, r, o)
}

func NewMaterialsIndexed(t *Textures, rows int) *Materials { return newMaterials(t, rows) }

func (ms *Materials) Unindexed() int { return ms.users.unindexed }

const LostRetriesMax = lostRetriesMax

// Check compares every running sum of a table with what its entries say.
func (t *Textures) Check() error {
	live, reserved, giving, window, reading := t.account.retiring, int64(0), int64(0), int64(0), 0
	inChains := 0
	for slot := range t.entries {
		e, in := &t.entries[slot], t.chains.in(uint32(slot))
		if e.users == 0 {
			if in != 0 || t.table[slot] != 0 || e.id != 0 || e.next != 0 {
				return fmt.Errorf("free slot %d: %+v in chain %d", slot, *e, in)
			}
			continue
		}
		if in != 0 {
			inChains++
		}
		if t.table[slot] != e.id {
			return fmt.Errorf("slot %d: table has %#x, entry %#x", slot, t.table[slot], e.id)
		}
		live += e.bytes
		if e.id == 0 && e.bytes != 0 {
			return fmt.Errorf("slot %d: bytes without an image: %+v", slot, *e)
		}
		window += e.windowBytes
		busy := e.step == stepReading || e.step == stepUploading
		if e.next != 0 {
			live += e.nextBytes
		} else {
			reserved += e.nextBytes
		}
		if busy && e.id != 0 && e.nextBase > e.base {
			giving += e.bytes
		}
		if !busy && (e.next != 0 || e.nextBytes != 0 || e.windowBytes != 0 || e.suffix != 0) {
			return fmt.Errorf("idle slot %d holds something: %+v", slot, *e)
		}
		want := chain(0)
		switch e.step {
		case stepWaiting:
			want = chain(1 + e.class)
			if e.id != 0 {
				want = refreshing
			}
		case stepReading:
			reading++
		case stepUploading:
			want = chain(3 + e.class)
		case stepIdle:
			if e.id != 0 && e.base > 0 && !e.stuck {
				want = limited
			}
		}
		if in != want {
			return fmt.Errorf("slot %d: in chain %d, want %d: %+v", slot, in, want, *e)
		}
		if p := t.payload(e); p != nil && e.id != 0 && (mips.Bytes(p, e.base) != e.bytes || e.base > p.TailStart()) {
			return fmt.Errorf("slot %d: base %d with %d bytes", slot, e.base, e.bytes)
		}
	}
	sum := 0
	for c := range t.chains.ends {
		sum += t.chains.len(chain(c))
	}
	switch {
	case live != t.account.live:
		return fmt.Errorf("%d bytes live, account says %d", live, t.account.live)
	case reserved != t.reserved:
		return fmt.Errorf("%d bytes reserved, sum says %d", reserved, t.reserved)
	case giving != t.giving:
		return fmt.Errorf("%d bytes given back, sum says %d", giving, t.giving)
	case window != t.window.bytes:
		return fmt.Errorf("%d bytes wait, window says %d", window, t.window.bytes)
	case reading != t.reading:
		return fmt.Errorf("%d reads, sum says %d", reading, t.reading)
	case sum != inChains:
		return fmt.Errorf("%d slots in chains, lengths say %d", inChains, sum)
	case t.suffixes.rows.Len()-t.suffixes.free.Len() > t.chains.len(uploading)+t.chains.len(uploadDestination):
		return fmt.Errorf("suffixes without an upload")
	}
	return nil
}

// Check compares every running sum of a table with what its entries say.
func (g *Geometry) Check() error {
	live, pending := g.account.retiring, int64(0)
	for slot := range g.entries {
		e := &g.entries[slot]
		if e.users == 0 && (e.id != 0 || e.queued != 0 || g.chains.in(uint32(slot)) != 0) {
			return fmt.Errorf("free slot %d: %+v", slot, *e)
		}
		live += e.bytes
		pending += e.queued
		if (e.queued != 0) != (g.chains.in(uint32(slot)) == chain(1+e.class)) {
			return fmt.Errorf("slot %d: queue and chain differ: %+v", slot, *e)
		}
	}
	switch {
	case len(g.staging.rows)-len(g.staging.free) != g.PendingGenerated():
		return fmt.Errorf("%d copies for %d generated meshes that wait", len(g.staging.rows)-len(g.staging.free), g.PendingGenerated())
	case live != g.account.live:
		return fmt.Errorf("%d bytes live, account says %d", live, g.account.live)
	case pending != g.pendingBytes:
		return fmt.Errorf("%d bytes pending, sum says %d", pending, g.pendingBytes)
	case pending != g.window.bytes:
		return fmt.Errorf("%d bytes wait, window says %d", pending, g.window.bytes)
	}
	return nil
}

// PendingGenerated is how many uploads of generated meshes wait.
func (g *Geometry) PendingGenerated() int {
	n := 0
	for i := range g.entries {
		if e := &g.entries[i]; e.queued != 0 && e.key == 0 {
			n++
		}
	}
	return n
}
