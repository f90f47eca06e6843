package headless

import (
	"errors"
	"fmt"

	"sojourn/gpu"
)

// ErrInjected is wrapped by the failures that FailCreate and FailUpload order.
var ErrInjected = errors.New("injected device failure")

// errClosed answers creates on a closed device.
var errClosed = errors.New("device is closed")

type faults struct {
	create, upload  trigger
	losses          int
	stalledPresents int // negative: until told otherwise
}

// trigger lets `after` calls pass and then fails `count` of them.
type trigger struct{ after, count int }

func (t *trigger) fires() bool {
	switch {
	case t.after > 0:
		t.after--
	case t.count > 0:
		t.count--
		return true
	}
	return false
}

// FailCreate makes the next n creates, of textures and geometry, fail with
// [ErrInjected]; 0 ends it.
func (d *Device) FailCreate(n int) { d.faults.create = trigger{count: n} }

// FailCreateAfter lets `pass` creates through and makes the one after them
// fail with [ErrInjected].
func (d *Device) FailCreateAfter(pass int) { d.faults.create = trigger{after: pass, count: 1} }

// FailUpload makes the next n texture writes fail with [ErrInjected]; 0 ends it.
func (d *Device) FailUpload(n int) { d.faults.upload = trigger{count: n} }

// FailUploadAfter lets `pass` texture writes through and makes the one after
// them fail with [ErrInjected].
func (d *Device) FailUploadAfter(pass int) { d.faults.upload = trigger{after: pass, count: 1} }

// Stall answers creates and texture writes with [gpu.ErrBackpressure] until
// so many frames were presented; negative: until Stall(0).
func (d *Device) Stall(presents int) { d.faults.stalledPresents = presents }

// LoseUploads makes the next n texture writes end in [gpu.ErrLost]: the
// caller has to send them again.
func (d *Device) LoseUploads(n int) { d.faults.losses = n }

// SetBytesMax changes the capacity; 0: no limit. What lives stays.
func (d *Device) SetBytesMax(bytesMax int64) { d.options.BytesMax = bytesMax }

func (d *Device) admitCreate(bytes int64) error {
	if d.closed {
		return errClosed
	}
	if d.faults.stalledPresents != 0 {
		return gpu.ErrBackpressure
	}
	if d.faults.create.fires() {
		return ErrInjected
	}
	live := d.stats.TextureBytes + d.stats.GeometryBytes
	if limit := d.options.BytesMax; limit > 0 && bytes > limit-live {
		return fmt.Errorf("%w: %d bytes wanted, %d of %d taken", gpu.ErrOutOfMemory, bytes, live, limit)
	}
	return nil
}

func (d *Device) admitUpload() error {
	if d.faults.stalledPresents != 0 {
		return gpu.ErrBackpressure
	}
	if d.faults.upload.fires() {
		return ErrInjected
	}
	if d.faults.losses > 0 {
		d.faults.losses--
		return gpu.ErrLost
	}
	return nil
}
