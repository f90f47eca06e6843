package demo

import (
	"errors"
	"fmt"
	"time"

	"sojourn"
	"sojourn/assets"
	"sojourn/stages/work"
)

// settleTicksMax bounds how long Finish waits for retirement and frees.
const settleTicksMax = 20000

// Settle ticks a session whose content was unloaded until nothing is under way
// or heard, and tells whether it got there.
func Settle(s *sojourn.Session) bool {
	for range settleTicksMax {
		s.Tick(time.Second / 60)
		if err := s.Present(nil); err != nil && !errors.Is(err, sojourn.ErrClosed) {

			return false
		}
		// Stopped voices ramp down as the sink reads, or after a few sweeps; a
		// sound being prepared and a load that was cancelled hold theirs until
		// their worker is through.
		if s.Idle() && s.Mixer().Voices() == 0 && s.Mixer().Stats().Sounds == 0 && !s.Store().Busy() {
			return true
		}
		time.Sleep(time.Millisecond) // workers may still be finishing what was cancelled
	}
	return false
}

// Fill reads everything the session knows into the report. Call it before
// content is unloaded for the peaks, and [FillEnd] after.
func Fill(r *Report, s *sojourn.Session, rec *Recorder) {
	r.Device = s.Device().Name()
	if d := s.Device().Stats(); d.RenderWidth > 0 {
		r.RenderSize = fmt.Sprintf("%dx%d", d.RenderWidth, d.RenderHeight)
	}
	r.Frames = rec.Frames()
	r.TickMS, r.FrameMS, r.SteadyFrameMS, r.AllocBytes = rec.Tick(), rec.Frame(), rec.SteadyFrame(), rec.Alloc()
	r.Bytes.HeapMax = rec.HeapMax()
	fillBudget(r, s)
	b := s.Meter().Budget()
	rec.fillWork(r, &b)
}

func fillBudget(r *Report, s *sojourn.Session) {
	b, c := s.Meter().Budget(), s.Config()
	r.Budget = Budget{
		Profile: b.Name, UpdateMS: b.UpdateTimeMax.Seconds() * 1e3, UploadBytes: b.Max[work.UploadBytes],
		KeepAlive: c.KeepAliveBytes(), Texture: c.TextureBytes(), Geometry: c.GeometryBytes(),
		Overruns: []Overrun{}, ByStage: overrunsByStage(s.Meter()), Exceeded: []string{},
	}
	list, n := s.Meter().Overruns(nil)
	r.Budget.OverrunCount = n
	for _, o := range list {
		r.Budget.Overruns = append(r.Budget.Overruns, Overrun{Stage: o.Stage, MS: o.Over.Seconds() * 1e3, Oversize: o.Oversize})
	}
}

// FillEnd reads what is left after everything was unloaded, closes the session
// and adds what the close found.
func FillEnd(r *Report, s *sojourn.Session) {
	st := s.Store().Stats()
	d := s.Residency()
	r.Assets = Assets{
		Retains: int64(st.Retains), Releases: int64(st.Releases), Decodes: int64(st.Decodes), DecodesOnTick: int64(st.DecodesOnTick),
		DuplicateDecodes: int64(st.DuplicateDecodes), Evicted: int64(st.Evicted), Resurrected: int64(st.Resurrected),
		Freed: int64(st.Destroyed), Failed: []Failed{},
	}
	var snap assets.Snapshot
	s.Store().Snapshot(&snap)
	for _, f := range snap.Failed {
		r.Assets.Failed = append(r.Assets.Failed, Failed{Key: f.Key.String(), Reason: f.Reason})
	}
	r.Thrash = []Thrash{}
	for _, t := range snap.Thrash {
		r.Thrash = append(r.Thrash, Thrash{Key: t.Key.String(), Cause: t.Cause, Times: t.Times})
	}
	r.Bytes.CPUMax, r.Bytes.ColdMax = st.CPUBytesMax, st.ColdBytesMax
	r.Bytes.GPUTextureMax, r.Bytes.GPUGeometryMax = d.TextureBytesMax, d.GeometryBytesMax
	r.Bytes.PCMMax = d.PCMBytesPeak
	r.Pending = Pending{
		Tickets: st.OpenTickets, Uploads: d.UploadsPending, LostUploads: int(d.LostUploads), Voices: d.Voices,
	}
	for _, w := range s.Worlds() {
		p, t := w.Pending()
		r.Pending.Publications += p
		r.Pending.Retirements += t
	}
	r.Budget.Exceeded = exceeded(r)
	r.Leaks = leaks(s, &snap)
	if err := s.Close(); err != nil && len(r.Leaks) == 0 {
		r.Leaks = append(r.Leaks, err.Error())
	}
}

func exceeded(r *Report) []string {
	out := []string{}
	for _, c := range []struct {
		name     string
		got, max int64
	}{
		{"cold_max", r.Bytes.ColdMax, r.Budget.KeepAlive},
		{"gpu_texture_max", r.Bytes.GPUTextureMax, r.Budget.Texture},
		{"gpu_geometry_max", r.Bytes.GPUGeometryMax, r.Budget.Geometry},
	} {
		if c.got > c.max {
			out = append(out, fmt.Sprintf("%s %d over %d", c.name, c.got, c.max))
		}
	}
	return out
}

// leaks lists what is still retained though everything was unloaded.
func leaks(s *sojourn.Session, snap *assets.Snapshot) []string {
	out := []string{}
	for _, row := range snap.Rows {
		if row.Refs > 0 && row.Pins == 0 {
			out = append(out, fmt.Sprintf("%s: %d retains", row.Key, row.Refs))
		}
	}
	d := s.Device().Stats()
	if d.Textures > 0 || d.Geometries > 0 {
		out = append(out, fmt.Sprintf("device: %d textures, %d geometries", d.Textures, d.Geometries))
	}
	for _, w := range s.Worlds() {
		if n := w.Set().Ledger.Live(); n > 0 {
			out = append(out, fmt.Sprintf("world %s: %d holds in the ledger", w.Name(), n))
		}
	}
	return out
}
