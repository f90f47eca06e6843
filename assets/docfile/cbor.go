package docfile

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"sojourn/assets"
)

// A packed document is a sequence of CBOR items: a header that says what
// follows and how many, a table of stems, and one item for each node, part or
// entity. Items are small, so each is read under tight limits, and memory
// grows with what is really there, never with what a header claims.

const wireVersion = 1

// header is the first item. Stems in later items are numbers into the table,
// starting at one; zero is none.
type header struct {
	_       struct{} `cbor:",toarray"`
	Kind    string
	Version uint32
	Stems   uint32
	Nodes   uint32 // of a model; of a scene: its effects
	Items   uint32 // a scene's entities, a model's parts, one for a material or particles
	Skybox  uint32 // of a scene: a stem
}

type vec3 struct {
	_       struct{} `cbor:",toarray"`
	X, Y, Z float32
}

type vec4 struct {
	_          struct{} `cbor:",toarray"`
	X, Y, Z, W float32
}

type transform struct {
	_     struct{} `cbor:",toarray"`
	Pos   vec3
	Rot   vec4
	Scale vec3
}

func vec3Of(a [3]float32) vec3     { return vec3{X: a[0], Y: a[1], Z: a[2]} }
func (v *vec3) floats() [3]float32 { return [3]float32{v.X, v.Y, v.Z} }
func vec4Of(a [4]float32) vec4     { return vec4{X: a[0], Y: a[1], Z: a[2], W: a[3]} }
func (v *vec4) floats() [4]float32 { return [4]float32{v.X, v.Y, v.Z, v.W} }
func (t *transform) at() assets.Transform {
	return assets.Transform{Pos: t.Pos.floats(), Rot: t.Rot.floats(), Scale: t.Scale.floats()}
}
func transformOf(t *assets.Transform) transform {
	return transform{Pos: vec3Of(t.Pos), Rot: vec4Of(t.Rot), Scale: vec3Of(t.Scale)}
}

var decoding = sync.OnceValue(func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		MaxNestedLevels:   8,
		MaxArrayElements:  16,
		MaxMapPairs:       16,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		UTF8:              cbor.UTF8RejectInvalid,
		NaN:               cbor.NaNDecodeForbidden,
		Inf:               cbor.InfDecodeForbidden,
	}.DecMode()
	if err != nil {
		panic("docfile: " + err.Error())
	}
	return mode
})

var encoding = sync.OnceValue(func() cbor.EncMode {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic("docfile: " + err.Error())
	}
	return mode
})

// wireReader takes one item after the other.
type wireReader struct {
	name  string
	kind  string
	all   int
	rest  []byte
	mode  cbor.DecMode
	pace  pace
	stems []string
}

// newWireReader begins a document. Its stems are put where others were, if stems
// is not nil.
func newWireReader(name, kind string, b []byte, bytesMax int, yield func() error, stems []string) (*wireReader, header, error) {
	r := &wireReader{name: name, kind: kind, all: len(b), rest: b, mode: decoding(), pace: pace{yield: yield}, stems: stems[:0]}
	var h header
	if len(b) > bytesMax {
		return nil, h, fmt.Errorf("%s: %w", name, tooLarge("bytes", int64(len(b)), int64(bytesMax)))
	}
	if err := r.next(&h); err != nil {
		return nil, h, err
	}
	switch {
	case h.Kind != kind:
		return nil, h, r.fail("this is a packed %.40q document, not a %s", h.Kind, kind)
	case h.Version != wireVersion:
		return nil, h, r.fail("version %d, want %d", h.Version, wireVersion)
	}
	return r, h, r.readStems(h.Stems)
}

func (r *wireReader) fail(format string, args ...any) error {
	return fmt.Errorf("%s: %w", r.name, corrupt(format, args...))
}

// next reads one item into v, whose fields are all set.
func (r *wireReader) next(v any) error {
	at := r.all - len(r.rest)
	if err := r.pace.at(at); err != nil {
		return err
	}
	rest, err := r.mode.UnmarshalFirst(r.rest, v)
	if err != nil {
		return r.fail("packed %s, item at byte %d: %v", r.kind, at, err)
	}
	r.rest = rest
	return nil
}

// room is how many of count declared items of at least itemBytes each the
// remaining bytes can hold: what may be allocated ahead.
func (r *wireReader) room(count uint32, itemBytes int) int {
	return min(int(count), len(r.rest)/itemBytes)
}

const stemWireBytesMin = 2

func (r *wireReader) readStems(count uint32) error {
	r.stems = slices.Grow(r.stems, r.room(count, 4*stemWireBytesMin))
	for range count {
		var stem string
		if err := r.next(&stem); err != nil {
			return err
		}
		if err := checkStem("stem", stem); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		r.stems = append(r.stems, stem)
	}
	return nil
}

// stem gives a stem by its number.
func (r *wireReader) stem(number uint32) (string, error) {
	if number == 0 {
		return "", nil
	}
	if int64(number) > int64(len(r.stems)) {
		return "", r.fail("stem %d of %d", number, len(r.stems))
	}
	return r.stems[number-1], nil
}

// end refuses anything after the last item.
func (r *wireReader) end() error {
	if len(r.rest) > 0 {
		return r.fail("%d bytes follow the document", len(r.rest))
	}
	return nil
}

// stemTable numbers stems in the order of their first use.
type stemTable struct {
	number map[string]uint32
	list   []string
}

func (t *stemTable) add(stem string) uint32 {
	if stem == "" {
		return 0
	}
	if n, ok := t.number[stem]; ok {
		return n
	}
	if t.number == nil {
		t.number = map[string]uint32{}
	}
	t.list = append(t.list, stem)
	t.number[stem] = uint32(len(t.list))
	return uint32(len(t.list))
}

// wireWriter collects items. The header goes first although the stems are
// known last, so later items are kept apart until finish.
type wireWriter struct {
	stems stemTable
	items bytes.Buffer
	enc   *cbor.Encoder
}

func newWireWriter() *wireWriter {
	w := &wireWriter{}
	w.enc = encoding().NewEncoder(&w.items)
	return w
}

func (w *wireWriter) put(item any) error { return w.enc.Encode(item) }

func (w *wireWriter) finish(h header) ([]byte, error) {
	h.Version, h.Stems = wireVersion, uint32(len(w.stems.list))
	var out bytes.Buffer
	enc := encoding().NewEncoder(&out)
	if err := enc.Encode(h); err != nil {
		return nil, err
	}
	for _, stem := range w.stems.list {
		if err := enc.Encode(stem); err != nil {
			return nil, err
		}
	}
	out.Write(w.items.Bytes())
	return out.Bytes(), nil
}

// named puts the document's name before an error's text.
func (r *wireReader) named(err error) error { return fmt.Errorf("%s: %w", r.name, err) }
