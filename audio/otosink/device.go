//go:build !headless

package otosink

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ebitengine/oto/v3"

	"sojourn/audio"
)

const (
	// readyWaitMax bounds how long Open waits for the device. Browsers let no
	// sound out before the first click, so there it is not an error to be late;
	// a later Open finds the device ready.
	readyWaitMax = 3 * time.Second
	// latency is how much the device buffers ahead.
	latency = 40 * time.Millisecond
)

// Opening the device.
var (
	// ErrNoDevice is wrapped by [Open] when no sound device can be used.
	ErrNoDevice = errors.New("no sound device")
	// ErrInUse is returned by [Open] while another sink is open: two would
	// mix twice into one device.
	ErrInUse = errors.New("sound device in use")
)

// device is the process's sound device. oto allows one context in a process
// and cannot close it, so it is made by the first Open and shared by all that
// follow. It is the one mutable package variable of the engine.
var device struct {
	mu    sync.Mutex
	ctx   *oto.Context
	ready <-chan struct{}
	err   error // why there will never be a context
	inUse bool
}

// Open gives a sink on the sound device. The first call in a process opens the
// device and waits for it, at most three seconds; later ones share it, one
// sink at a time. The error wraps [ErrNoDevice] or is [ErrInUse].
// Safe for any goroutine.
func Open() (audio.Sink, error) {
	device.mu.Lock()
	defer device.mu.Unlock()
	if device.inUse {
		return nil, ErrInUse
	}
	ctx, err := contextLocked()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDevice, err)
	}
	device.inUse = true
	return &sink{ctx: ctx}, nil
}

func contextLocked() (*oto.Context, error) {
	if device.ctx == nil && device.err == nil {
		device.ctx, device.ready, device.err = oto.NewContext(&oto.NewContextOptions{
			SampleRate:   audio.SampleRate,
			ChannelCount: 2,
			Format:       oto.FormatFloat32LE,
			BufferSize:   latency,
		})
	}
	if device.err != nil {
		return nil, device.err
	}
	timer := time.NewTimer(readyWaitMax)
	defer timer.Stop()
	select {
	case <-device.ready:
	case <-timer.C:
		return nil, fmt.Errorf("it was not ready after %v", readyWaitMax)
	}
	// oto tells of a device that failed to open only once it is ready.
	if err := device.ctx.Err(); err != nil {
		return nil, err
	}
	return device.ctx, nil
}

func giveBack() {
	device.mu.Lock()
	device.inUse = false
	device.mu.Unlock()
}
