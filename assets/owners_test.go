package assets_test

import (
	"testing"

	"sojourn/assets"
)

// Every byte is on one owner's row: who took it last, who asked for it, or the
// handles.
func TestSnapshot_OwnersHaveEveryByte(t *testing.T) {
	if !assets.Diagnostics {
		t.Skip("diagnostics are left out")
	}
	b := open(t, assets.Options{KeepAliveBytesMax: 1 << 20})
	for stem, n := range map[string]int{"scene": 10, "plain": 200, "cold": 3000, "batch": 40_000, "read": 500_000} {
		b.src.Set(stem+".txt", make([]byte, n))
	}
	plain, read := b.retain("plain"), b.retain("read")
	level := assets.NewScopeOwned(b.Store, "level")
	scene, cold, wanted := b.name("scene"), b.name("cold"), b.name("batch")
	first := b.batch(assets.BatchOptions{Owner: "level"}, scene, cold)
	waitBatch(t, first)
	first.Adopt(level)
	level.Drop(func(h assets.Handle) bool { return h == cold })
	second := b.batch(assets.BatchOptions{Owner: "preload"}, wanted)
	waitBatch(t, second)
	reads := b.NewReads("mips", 1)
	if err := reads.Submit(read, 0, 1000, 0, 1); err != nil {
		t.Fatal(err)
	}
	until(t, "the read", func() bool { return !b.Busy() })

	var snap assets.Snapshot
	b.Snapshot(&snap)
	rows := make(map[string]assets.OwnerStats)
	var sum assets.OwnerStats
	for _, o := range snap.Owners {
		rows[o.Owner] = o
		sum.Resident, sum.Cold, sum.Bytes, sum.ColdBytes = sum.Resident+o.Resident, sum.Cold+o.Cold, sum.Bytes+o.Bytes, sum.ColdBytes+o.ColdBytes
		sum.MappedBytes, sum.InFlightBytes = sum.MappedBytes+o.MappedBytes, sum.InFlightBytes+o.InFlightBytes
		sum.UnadoptedBytes += o.UnadoptedBytes
	}
	st := snap.Stats
	if want := (assets.OwnerStats{Resident: st.Resident, Cold: st.ColdEntries, Bytes: st.CPUBytes, ColdBytes: st.ColdBytes,
		MappedBytes: st.MappedBytes, InFlightBytes: st.InFlightBytes, UnadoptedBytes: st.UnadoptedBytes}); sum != want {
		t.Errorf("the owners have %+v, the store %+v", sum, want)
	}
	if l := rows["level"]; l.Resident != 2 || l.Cold != 1 || l.ColdBytes == 0 || l.Bytes <= l.ColdBytes || l.InFlightBytes+l.UnadoptedBytes != 0 {
		t.Errorf("level: %+v", l)
	}
	if p := rows["preload"]; p.Resident != 1 || p.InFlightBytes != 0 || p.UnadoptedBytes < 40_000 {
		t.Errorf("preload: %+v", p)
	}
	if m := rows["mips"]; m.Resident != 0 || m.InFlightBytes != 1000 {
		t.Errorf("mips: %+v", m)
	}
	if h := rows[assets.OwnerHandles]; h.Resident != 2 || h.InFlightBytes+h.UnadoptedBytes != 0 {
		t.Errorf("handles: %+v", h)
	}
	if k := st.ByKind[text]; k.InFlightBytes != st.InFlightBytes || k.UnadoptedBytes != st.UnadoptedBytes || k.MappedBytes != st.MappedBytes || k.Bytes != st.CPUBytes {
		t.Errorf("by kind %+v", k)
	}
	if n := testing.AllocsPerRun(20, func() { b.Snapshot(&snap) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	reads.Close()
	second.Cancel()
	level.ReleaseAll()
	b.Release(plain)
	b.Release(read)
	for _, h := range []assets.Handle{scene, cold, wanted} {
		b.Forget(h)
	}
	b.SetKeepAlive(0)
	b.Snapshot(&snap)
	if len(snap.Owners) != 0 {
		t.Errorf("after the end: %+v", snap.Owners)
	}
}
