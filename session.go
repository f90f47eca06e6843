package sojourn

import (
	"errors"
	"fmt"
	"log/slog"

	"sojourn/assets"
	"sojourn/assets/kinds"
	"sojourn/assets/watch"
	"sojourn/audio"
	"sojourn/ecs/systems"
	"sojourn/gpu"
	"sojourn/journal"
	"sojourn/stages"
	"sojourn/stages/work"
	"sojourn/trace"
)

// Options say what a session is made of. Only Device must be set.
type Options struct {
	// Sources give the assets; later ones override earlier ones. The session
	// closes them.
	Sources []assets.Source
	// Device draws. The session owns and closes it.
	Device gpu.Device
	// Sink plays. The session owns and closes it. nil is silent.
	Sink audio.Sink
	// Config has the budgets; the zero value means [DefaultConfig].
	Config *Config
	// Work is what one frame may spend on streaming; the zero value means
	// work.High.
	Work work.Budget
	// Kinds and Rows are a guest's own assets and consumers.
	Kinds []assets.KindSpec
	Rows  []stages.Row
	// Workers decode; zero means one less than GOMAXPROCS, at least one.
	Workers int
	// SpareBytesMax bounds the freed buffers that the store keeps to lend again;
	// 0 is the store's default. Negative keeps none: each read and each decode
	// then allocates afresh, which is there to compare with.
	SpareBytesMax int64
	// Clock tells the time; nil is the process's monotonic clock.
	Clock work.Clock
	// Log hears warnings; nil is silent.
	Log *slog.Logger
	// Trace records frames, passes, stages, decodes, uploads and frees; nil
	// records nothing. The caller writes it when it likes.
	Trace *trace.Recorder
	// Journal hears of what comes and goes: worlds, layers, assets; nil hears
	// nothing. The caller closes it, after the session.
	Journal *journal.Log

	// Watch names sources, by their paths, whose changes on disk are taken up
	// while the session runs: folders, and packs that are replaced by renaming.
	// A pack that is not there yet may be named, too: it becomes a source when
	// it comes.
	Watch []string
	// WatchOptions tunes the watcher of one path; nil: the defaults.
	WatchOptions func(path string) watch.Options
	// Cooking says that a cook runs beside: see [assets.Store.SetCooking].
	Cooking bool
}

// Session owns everything that worlds share. Game goroutine only.
type Session struct {
	options  Options
	config   Config
	store    *assets.Store
	device   gpu.Device
	retire   *gpu.Retirement
	geometry *gpu.Geometry
	textures *gpu.Textures
	uploads  *gpu.Uploads
	mixer    *audio.Mixer
	meter    *work.Meter
	table    *stages.Table
	worlds   []*World
	active   *World
	drawn    *World   // whose frame was published last
	retiring []*World // closed ones that still hold something, first closed first
	first    int      // which world's pass goes first this tick
	wakes    []assets.Wake
	ticks    int64
	shown    bool // something was published: from now on the meter has a time limit
	closed   bool
	history  history
	counted  Backlog // what the trace's counters said last
	faults   []error // of worlds that the session had to close
	reload   reloader
	traced   trace.Process
	track    trace.Track // of the game goroutine

	blank     gpu.Frame
	drawnLeft int64  // layers that had left the drawn world when its frame was published
	drawnAge  uint32 // and its generation then
}

// Open starts a session. On error everything it was given is closed.
func Open(o Options) (*Session, error) {
	o.Sources = append([]assets.Source(nil), o.Sources...) // packs are replaced here
	s := &Session{options: o, device: o.Device}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Session) open() error {
	o := &s.options
	if o.Device == nil {
		return ErrNoDevice
	}
	s.config = DefaultConfig()
	if o.Config != nil {
		s.config = *o.Config
	}
	if o.Work == (work.Budget{}) {
		o.Work = work.High()
	}
	if err := o.Work.Validate(); err != nil {
		return err
	}
	if o.Clock == nil {
		o.Clock = work.NewSystemClock()
	}
	if o.Sink == nil {
		o.Sink = audio.NewManual()
	}
	builtin := systems.Builtin()
	table, err := stages.NewTable(append(builtin[:], o.Rows...)...)
	if err != nil {
		return err
	}
	s.table = table
	s.traced = o.Trace.Process("session")
	s.track = s.traced.Track("game")
	s.store, err = assets.Open(assets.Options{
		Kinds: append(kinds.Builtin(), o.Kinds...), Sources: o.Sources, Workers: o.Workers,
		KeepAliveBytesMax: s.config.KeepAliveBytes(), SpareBytesMax: o.SpareBytesMax, Trace: s.traced, Journal: o.Journal, Clock: o.Clock,
	})
	if err != nil {
		return err
	}
	if s.mixer, err = audio.New(s.store, o.Sink, audio.Options{}); err != nil {
		return fmt.Errorf("sound: %w", err)
	}
	s.retiring = make([]*World, 0, retiringExpected)
	s.retire = gpu.NewRetirement(o.Device)
	s.retire.SetTrace(s.track)
	s.geometry = gpu.NewGeometry(o.Device, s.store, s.retire, gpu.GeometryOptions{BytesMax: s.config.GeometryBytes(), Trace: s.track})
	s.textures = gpu.NewTextures(o.Device, s.store, s.retire, gpu.TextureOptions{BytesMax: s.config.TextureBytes(), Trace: s.track})
	s.uploads = gpu.NewUploads(s.geometry, s.textures)
	s.meter = work.NewMeter(o.Clock, o.Work)
	s.meter.SetUnlimitedTime(true)
	s.meter.NewFrame()
	return s.openReload()
}

// retiringExpected is how many closed worlds wait before the list grows.
const retiringExpected = 8

func (s *Session) services() stages.Services {
	return stages.Services{
		Store: s.store, Geometry: s.geometry, Textures: s.textures, Mixer: s.mixer, Clock: s.options.Clock,
	}
}

// Store is the session's assets.
func (s *Session) Store() *assets.Store { return s.store }

// Mixer is the session's sound.
func (s *Session) Mixer() *audio.Mixer { return s.mixer }

// Meter is the frame's account. Read it; the session runs it.
func (s *Session) Meter() *work.Meter { return s.meter }

// Device is what the session draws on.
func (s *Session) Device() gpu.Device { return s.device }

// Config is the budgets in force.
func (s *Session) Config() Config { return s.config }

// Worlds are the open worlds.
func (s *Session) Worlds() []*World { return s.worlds }

// SetActive says which world is drawn from the next Tick on; nil draws none. A
// world that is closed, or another session's, is ignored.
func (s *Session) SetActive(w *World) {
	if w == nil || !w.closed && w.session == s {
		s.active = w
	}
}

// Close ends the session: worlds, mixer, device copies, device, store, in this
// order. The error wraps assets.ErrHeld and lists what the game still held.
// Closing again does nothing.
func (s *Session) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	errs := append(s.faults, s.stopFollowing())
	for len(s.worlds) > 0 {
		errs = append(errs, s.worlds[len(s.worlds)-1].Close())
	}
	errs = append(errs, s.retireAll())
	if s.mixer != nil {
		errs = append(errs, s.mixer.Close())
	} else if s.options.Sink != nil {
		errs = append(errs, s.options.Sink.Close())
	}
	if s.textures != nil {
		s.textures.Close()
		s.geometry.Close()
		s.retire.Flush()
	}
	if s.device != nil {
		s.device.Close()
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	errs = append(errs, s.closeReload())
	for _, src := range s.options.Sources {
		errs = append(errs, src.Close())
	}
	return errors.Join(errs...)
}
