package gpu

import "errors"

// ErrCapacity is returned when a table or the upload window has no room for
// something new: wait and ask again. It is returned bare, so that asking every
// frame allocates nothing.
var ErrCapacity = errors.New("no device capacity")

// WindowBytesMax is the default size of a [Window].
const WindowBytesMax = 256 << 20

// Window bounds the CPU bytes that wait for their upload. One entry larger
// than the whole window may enter while it is empty, so that nothing valid
// waits for ever. Tables may share one. Game goroutine only.
type Window struct {
	bytesMax, bytes, peak int64
}

// NewWindow makes a window; zero is [WindowBytesMax].
func NewWindow(bytesMax int64) *Window {
	if bytesMax == 0 {
		bytesMax = WindowBytesMax
	}
	return &Window{bytesMax: bytesMax}
}

// Bytes is what waits now.
func (w *Window) Bytes() int64 { return w.bytes }

// BytesPeak is the most that ever waited at once.
func (w *Window) BytesPeak() int64 { return w.peak }

func (w *Window) enter(n int64) bool {
	if w.bytes != 0 && w.bytes+n > w.bytesMax {
		return false
	}
	w.bytes += n
	w.peak = max(w.peak, w.bytes)
	return true
}

func (w *Window) leave(n int64) { w.bytes -= n }

// account is a table's exact device bytes: every live handle, those that age
// in the retirement included.
type account struct {
	live, retiring, peak int64
}

func (a *account) created(n int64) {
	a.live += n
	a.peak = max(a.peak, a.live)
}

func (a *account) retired(n int64) { a.retiring += n }

func (a *account) destroyed(n int64) {
	a.retiring -= n
	a.live -= n
}
