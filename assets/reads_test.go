package assets_test

import (
	"errors"
	"strings"
	"testing"

	"sojourn/assets"
	"sojourn/assets/assetstest"
)

func TestReads_RangesOfARetainedAsset(t *testing.T) {
	for _, mapped := range []bool{false, true} {
		b := open(t, assets.Options{})
		b.src.SetMappable(mapped)
		b.src.SetText("a.txt", "0123456789")
		h := b.retain("a")
		reads := b.NewReads("mips", 2)
		for tag, r := range []assetstest.Range{{Off: 2, N: 3}, {Off: 9, N: 1}} {
			if err := reads.Submit(h, r.Off, r.N, 0, uint64(tag)); err != nil {
				t.Fatal(err)
			}
		}
		if err := reads.Submit(h, 0, 1, 0, 9); !errors.Is(err, assets.ErrFull) {
			t.Error(err)
		}
		if err := reads.Submit(h, 9, 2, 0, 9); err == nil {
			t.Error("a range outside the entry")
		}
		got := map[uint64]string{}
		until(t, "two reads", func() bool {
			reads.Drain(func(d assets.ReadDone) {
				if d.Err != nil {
					t.Error(d.Err)
				}
				if d.Bytes.Mapped() != mapped {
					t.Error("mapped", d.Bytes.Mapped())
				}
				got[d.Tag] = string(d.Bytes.Slice())
				d.Bytes.Free()
			})
			return len(got) == 2
		})
		if got[0] != "234" || got[1] != "9" || reads.Waiting() != 0 || b.Refs(h) != 1 {
			t.Errorf("%v, %d waiting, %d refs", got, reads.Waiting(), b.Refs(h))
		}
		reads.Close()
		reads.Close()
		if err := reads.Submit(h, 0, 1, 0, 0); !errors.Is(err, assets.ErrClosed) {
			t.Error(err)
		}
		b.Release(h)
	}
}

func TestReads_FaultsAndChanges(t *testing.T) {
	b := open(t, assets.Options{Workers: 1})
	b.src.SetText("a.txt", "0123456789")
	h := b.retain("a")
	reads := b.NewReads("mips", 8)
	one := func() (err error) {
		if err := reads.Submit(h, 0, 10, 0, 1); err != nil {
			t.Fatal(err)
		}
		done := false
		until(t, "the read", func() bool {
			reads.Drain(func(d assets.ReadDone) { done, err = true, d.Err; d.Bytes.Free() })
			return done
		})
		return err
	}
	b.src.Script("a.txt", assetstest.Fault{Kind: assetstest.FaultShort, At: 4},
		assetstest.Fault{Kind: assetstest.FaultOpen}, assetstest.Fault{Kind: assetstest.FaultPanic})
	for _, want := range []error{assets.ErrCorrupt, assetstest.ErrInjected, nil} {
		err := one()
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		for _, part := range []string{"blob:a", "a.txt", "memory.pack"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not name %s", err, part)
			}
		}
	}
	if err := one(); err != nil {
		t.Error(err)
	}
	b.src.SetText("a.txt", "replaced by something longer")
	if err := one(); !errors.Is(err, assets.ErrNotReady) {
		t.Error(err)
	}
	reads.Close()
	b.Release(h)
}

func TestReads_CancelEverywhere(t *testing.T) {
	b := open(t, assets.Options{Workers: 1})
	b.src.Set("a.txt", make([]byte, 3*assets.ChunkBytesMax))
	h := b.retain("a")
	before := len(b.src.Ranges("a.txt"))
	b.src.Hold("a.txt")
	reads := b.NewReads("mips", 8)
	submit := func(tag uint64) {
		if err := reads.Submit(h, 0, 3*assets.ChunkBytesMax, 0, tag); err != nil {
			t.Fatal(err)
		}
	}
	submit(1)
	submit(2)
	submit(3)
	b.src.WaitHeld("a.txt")
	reads.Cancel(1) // running
	reads.Cancel(2) // queued
	b.src.LetGo("a.txt")
	var tags []uint64
	until(t, "the third read", func() bool {
		reads.Drain(func(d assets.ReadDone) { tags = append(tags, d.Tag); d.Bytes.Free() })
		return len(tags) > 0
	})
	if len(tags) != 1 || tags[0] != 3 || len(b.src.Ranges("a.txt"))-before != 4 {
		t.Errorf("drained %v after %d reads", tags, len(b.src.Ranges("a.txt"))-before)
	}
	submit(4)
	until(t, "the fourth", func() bool { return b.Stats().Running == 0 && b.Stats().QueueLen == 0 })
	if b.Refs(h) != 2 || b.Stats().InFlightBytes == 0 {
		t.Error("an undrained read holds nothing")
	}
	reads.Cancel(4) // done
	submit(5)
	reads.Close()
	until(t, "quiet", func() bool { return b.Stats().Running == 0 })
	if b.Refs(h) != 1 || b.Stats().InFlightBytes != 0 {
		t.Errorf("%d refs, %d in flight", b.Refs(h), b.Stats().InFlightBytes)
	}
	b.Release(h)
}
