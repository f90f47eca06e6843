package assets

import "fmt"

// Footprint is what one decoded payload costs, in bytes.
type Footprint struct {
	OwnedBytes  int64 // allocated for the payload alone
	MappedBytes int64 // logical size of the mapping leases it holds
}

// Total is owned plus mapped: what the keep-alive budget charges.
func (f Footprint) Total() int64 { return f.OwnedBytes + f.MappedBytes }

// KindOptions describes how one kind is decoded. T is the payload type; the
// store keeps payloads by value in slabs, and pointers to them stay valid
// while the asset is retained.
type KindOptions[T any] struct {
	Kind Kind
	// Name is the word diagnostics use; unique in a store.
	Name string
	// Suffixes are tried in order to find the entry: stem + suffix. Each
	// starts with a dot, except the empty one, for kinds whose stem keeps its
	// file suffix (blobs).
	Suffixes []string
	// Decode fills out on a worker goroutine. It calls [Load.Yield] after
	// every chunk. A panic inside it becomes an [ErrDecoderPanic]. On error
	// it frees what it took; the store adds key, entry and source to the text.
	Decode func(l *Load, out *T) error
	// StagingBytes tells what decoding an entry of sizeBytes needs in memory
	// beside its bytes: a value built from them, buffers. It is reserved before
	// the decode, on top of the entry's own and stored sizes. May be nil: none.
	StagingBytes func(sizeBytes int64) int64
	// Free gives the payload's bytes back. May be nil.
	Free func(*T)
	// Size tells what the payload costs now. Called under the store's lock.
	Size func(*T) Footprint
	// Needs names the assets this payload refers to, for batches that ask for
	// a whole closure. May be nil.
	Needs func(*T, func(Key))
}

// KindSpec is a [KindOptions] with its type erased, as a store is opened with.
type KindSpec struct {
	kind     Kind
	name     string
	suffixes []string
	staging  func(sizeBytes int64) int64
	open     func(*Store) anyResidency
}

// NewKindSpec erases the payload type. It panics if Decode or Size is missing,
// or a suffix is malformed: those are programmer errors.
func NewKindSpec[T any](o KindOptions[T]) KindSpec {
	if o.Decode == nil || o.Size == nil || o.Name == "" || len(o.Suffixes) == 0 {
		panic(fmt.Sprintf("assets: kind %d (%q) needs a name, suffixes, Decode and Size", o.Kind, o.Name))
	}
	for _, s := range o.Suffixes {
		if s != "" && s[0] != '.' {
			panic(fmt.Sprintf("assets: kind %q: suffix %q must start with a dot", o.Name, s))
		}
	}
	return KindSpec{
		kind: o.Kind, name: o.Name, suffixes: o.Suffixes, staging: o.StagingBytes,
		open: func(s *Store) anyResidency { return newResidency(s, o) },
	}
}
