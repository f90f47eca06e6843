package audio

import (
	"errors"
	"fmt"
	"sync/atomic"

	"sojourn/assets"
)

const (
	// pcmBytesMaxDefault is the default of [Options.PCMBytesMax].
	pcmBytesMaxDefault = 256 << 20
	// pcmSpareBytesMax is how much freed PCM is kept for reuse.
	pcmSpareBytesMax = 8 << 20
	// stopSweepsMax ends the ramp of a stopped voice when the sink does not
	// read: after so many sweeps it is cut.
	stopSweepsMax = 8
)

// Options tunes a [Mixer]. The zero value works.
type Options struct {
	// PCMBytesMax bounds prepared PCM; a sound that would not fit is refused
	// with [ErrFull]. 0: 256 MiB.
	PCMBytesMax int64
}

// Mixer plays stored sounds through a [Sink]. It owns its voices, the PCM
// prepared for them and one store retain for each sound in use, and gives all
// of it back when the last voice of a sound ends.
//
// All methods belong to the game goroutine, except [Mixer.Read], which the
// sink calls from its own. Read takes no lock, frees nothing and never waits:
// it marks a voice that came to its end, and [Mixer.Sweep] reclaims it. Sounds
// of other rates than [SampleRate] are resampled by a worker goroutine; their
// voices begin with the sweep after that.
type Mixer struct {
	store    *assets.Store
	payloads *assets.Residency[assets.Sound]
	sink     Sink
	options  Options
	pool     *assets.Pool

	ear    listener
	slots  [slotsMax]slot
	voices int // waiting, live or stopping
	sounds [soundsMax]sound

	pcmBytes, pcmPeakBytes int64
	failures               int
	lastFailure            error
	sinkFailure            error // of a sink that was replaced
	closed                 bool

	jobs     chan *sound
	finished chan *sound
	worked   chan struct{}

	// reads is odd while a read is under way.
	reads atomic.Uint64
	out   render
}

// New starts a mixer on a sink, which it owns and closes from here on, also
// when New fails. The store must know [assets.KindSound] and outlive the mixer.
func New(store *assets.Store, sink Sink, o Options) (*Mixer, error) {
	if o.PCMBytesMax <= 0 {
		o.PCMBytesMax = pcmBytesMaxDefault
	}
	m := &Mixer{
		store:    store,
		payloads: assets.Of[assets.Sound](store, assets.KindSound),
		sink:     sink,
		options:  o,
		pool:     assets.NewPool(pcmSpareBytesMax),
		ear:      listener{right: [3]float32{1, 0, 0}},
		jobs:     make(chan *sound, soundsMax),
		finished: make(chan *sound, soundsMax),
		worked:   make(chan struct{}),
	}
	if err := sink.Start(m); err != nil {
		return nil, errors.Join(fmt.Errorf("starting %s: %w", sink.Name(), err), sink.Close())
	}
	go m.work()
	return m, nil
}

// Play starts a voice. The caller need not hold the sound: the mixer retains
// it, and never loads it; a sound that is not resident is [ErrNotReady].
//
// At [VoicesMax] the quietest one-shot gives way to a louder newcomer, and
// otherwise the newcomer is refused with [ErrFull]. Loops never give way.
func (m *Mixer) Play(h assets.Handle, o VoiceOptions) (Voice, error) {
	if m.closed {
		return 0, assets.ErrClosed
	}
	left, right := m.ear.place(&o)
	victim := -1
	if m.voices >= VoicesMax {
		if victim = m.quietestOneShot(left + right); victim < 0 {
			return 0, ErrFull
		}
	}
	index := m.freeSlot()
	if index < 0 {
		return 0, ErrFull
	}
	sound, err := m.useSound(h)
	if err != nil {
		return 0, err
	}
	if victim >= 0 {
		m.cut(victim)
	}
	s := &m.slots[index]
	s.generation++
	if s.generation == 0 {
		s.generation = 1
	}
	s.options, s.sound, s.stopSweeps = o, sound, 0
	s.gains.Store(packGains(left, right))
	s.set(phaseWaiting)
	m.voices++
	m.startIfReady(s)
	return makeVoice(index, s.generation), nil
}

func (m *Mixer) freeSlot() int {
	for i := range m.slots {
		if m.slots[i].phase() == phaseFree {
			return i
		}
	}
	return -1
}

// quietestOneShot finds whom a newcomer this loud may displace.
func (m *Mixer) quietestOneShot(level float32) int {
	found := -1
	for i := range m.slots {
		s := &m.slots[i]
		switch s.phase() {
		case phaseFree, phaseCut:
		case phaseStopping, phaseDone:
			return i // it is on its way out
		default:
			left, right := unpackGains(s.gains.Load())
			if !s.options.Loop && left+right < level {
				found, level = i, left+right
			}
		}
	}
	return found
}

func (m *Mixer) startIfReady(s *slot) {
	sound := &m.sounds[s.sound]
	if sound.state != soundReady {
		return
	}
	s.samples, s.channels = sound.samples, sound.channels
	s.loop, s.fold = s.options.Loop, !s.options.Flat
	s.set(phaseLive)
}

func (m *Mixer) find(v Voice) *slot {
	i := v.index()
	if i >= slotsMax || v.generation() == 0 {
		return nil
	}
	s := &m.slots[i]
	if s.generation != v.generation() {
		return nil
	}
	switch s.phase() {
	case phaseWaiting, phaseLive, phaseStopping:
		return s
	}
	return nil
}

// Playing tells whether a voice sounds or is about to.
func (m *Mixer) Playing(v Voice) bool { return m.find(v) != nil }

// Stop ramps a voice down to silence within 5 ms of what the sink reads. A
// voice that ended is ignored.
func (m *Mixer) Stop(v Voice) {
	s := m.find(v)
	if s == nil {
		return
	}
	if s.phase() == phaseWaiting {
		m.cut(v.index())
		return
	}
	s.move(phaseLive, phaseStopping)
}

// StopOwner ends every voice of an owner at once and tells how many: none of
// their PCM is read from the next read on. The level they left is taken back
// over 3 ms, so that it makes no click.
func (m *Mixer) StopOwner(owner uint64) int {
	stopped := 0
	for i := range m.slots {
		if s := &m.slots[i]; s.options.Owner == owner && s.counts() {
			m.cut(i)
			stopped++
		}
	}
	return stopped
}

// StopSound ends every voice of a sound, as [Mixer.StopOwner] does, and gives
// the mixer's retain on it back: before a reload, which a loop would hold up.
// A sound that the worker is preparing is given back by a later sweep.
func (m *Mixer) StopSound(h assets.Handle) int {
	stopped := 0
	for i := range m.slots {
		if s := &m.slots[i]; s.counts() && m.sounds[s.sound].handle == h {
			m.cut(i)
			stopped++
		}
	}
	return stopped
}

// Move changes where a voice is heard from. A voice that ended is ignored.
func (m *Mixer) Move(v Voice, pos [3]float32) {
	if s := m.find(v); s != nil {
		s.options.Pos = pos
		s.gains.Store(packGains(m.ear.place(&s.options)))
	}
}

// SetListener says where the game hears from; right is of unit length. It
// takes effect with the next [Mixer.Sweep].
func (m *Mixer) SetListener(pos, right [3]float32) { m.ear = listener{pos: pos, right: right} }

// Sweep reclaims voices that ended and PCM that no voice uses, starts voices
// whose PCM came, and follows the listener. Call it once per tick.
func (m *Mixer) Sweep() {
	if m.closed {
		return
	}
	m.replaceFailedSink()
	m.collect()
	for i := range m.slots {
		s := &m.slots[i]
		switch s.phase() {
		case phaseWaiting:
			if m.sounds[s.sound].state == soundFailed {
				m.cut(i)
				continue
			}
			s.gains.Store(packGains(m.ear.place(&s.options)))
			m.startIfReady(s)
		case phaseLive:
			s.gains.Store(packGains(m.ear.place(&s.options)))
		case phaseStopping:
			if s.stopSweeps++; s.stopSweeps > stopSweepsMax {
				m.cut(i)
			}
		case phaseDone:
			m.voices--
			m.reclaim(s)
		case phaseCut:
			m.reclaimCut(s)
		}
	}
	for i := range m.sounds {
		m.freeSoundIfUnused(&m.sounds[i])
	}
}

// cut takes a voice away from the reader for good.
func (m *Mixer) cut(index int) {
	s := &m.slots[index]
	s.set(phaseCut)
	s.cutRead = m.reads.Load()
	m.voices--
	m.reclaimCut(s)
}

// reclaimCut reclaims a cut voice unless the read that was under way when it
// was cut may still be using its PCM.
func (m *Mixer) reclaimCut(s *slot) {
	if s.cutRead&1 == 0 || m.reads.Load() != s.cutRead {
		m.reclaim(s)
	}
}

func (m *Mixer) reclaim(s *slot) {
	s.samples = nil
	s.set(phaseFree)
	m.dropSound(s.sound)
}

// replaceFailedSink goes on in silence when the sound device went away, so
// that one-shots still come to their end.
func (m *Mixer) replaceFailedSink() {
	err := m.sink.Err()
	if err == nil || m.sinkFailure != nil {
		return
	}
	m.sinkFailure = fmt.Errorf("%s: %w", m.sink.Name(), err)
	_ = m.sink.Close() // it failed already, and that is reported
	m.sink = NewSilent(nil)
	_ = m.sink.Start(m) // silence cannot fail
}

// Close ends reading and the worker and gives back everything. The error
// wraps [assets.ErrHeld] and names each loop that still played: its owner did
// not stop it. One-shots end by themselves. Closing again does nothing.
func (m *Mixer) Close() error {
	if m.closed {
		return nil
	}
	m.closed = true
	sinkErr := m.sink.Close()
	held := m.held()
	for i := range m.sounds {
		m.sounds[i].unwanted.Store(true)
	}
	close(m.jobs)
	<-m.worked
	for i := range m.slots {
		switch m.slots[i].phase() {
		case phaseFree:
		case phaseCut:
			m.reclaim(&m.slots[i])
		default:
			m.cut(i)
		}
	}
	close(m.finished)
	for s := range m.finished {
		s.state = soundFailed
	}
	for i := range m.sounds {
		m.freeSoundIfUnused(&m.sounds[i])
	}
	return errors.Join(sinkErr, held)
}
