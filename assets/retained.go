package assets

import "context"

// Retained is one retain of one asset, held by one owner. It is moved, not
// copied; its zero value holds nothing. Releasing it twice, or after it was
// moved away, releases nothing.
type Retained[T any] struct {
	noCopy noCopy
	from   *Residency[T]
	handle Handle
}

// RetainOne loads an asset if need be, on the calling goroutine, and holds it;
// see [Store.Retain].
func RetainOne[T any](ctx context.Context, r *Residency[T], stem string) (Retained[T], error) {
	h, err := r.store.Retain(ctx, Key{Stem: stem, Kind: r.o.Kind})
	if err != nil {
		return Retained[T]{}, err
	}
	return Retained[T]{from: r, handle: h}, nil
}

// TryRetainOne holds an asset that is in memory; it never loads.
func TryRetainOne[T any](r *Residency[T], h Handle) (Retained[T], bool) {
	if h.Kind() != r.o.Kind || !r.store.TryRetain(h) {
		return Retained[T]{}, false
	}
	return Retained[T]{from: r, handle: h}, true
}

// Get is the payload, valid while t holds it; nil when t holds nothing.
func (t *Retained[T]) Get() *T {
	if t.from == nil {
		return nil
	}
	return t.from.At(t.handle)
}

// Handle names the asset held; zero when t holds nothing.
func (t *Retained[T]) Handle() Handle { return t.handle }

// Release gives the retain back and empties t.
func (t *Retained[T]) Release() {
	if t.from == nil {
		return
	}
	store, h := t.from.store, t.handle
	t.from, t.handle = nil, 0
	store.Release(h)
}

// Move hands the retain to another owner and empties t.
func (t *Retained[T]) Move() Retained[T] {
	from, h := t.from, t.handle
	t.from, t.handle = nil, 0
	return Retained[T]{from: from, handle: h}
}

// Reset holds another asset of the same kind instead. The new one is retained
// before the old one is released; on error t is as it was. An empty t, which
// knows no store, stays empty and gets [ErrStale].
func (t *Retained[T]) Reset(ctx context.Context, stem string) error {
	if t.from == nil {
		return ErrStale
	}
	h, err := t.from.store.Retain(ctx, Key{Stem: stem, Kind: t.from.o.Kind})
	if err != nil {
		return err
	}
	old := t.handle
	t.handle = h
	t.from.store.Release(old)
	return nil
}
