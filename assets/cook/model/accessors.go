package model

import (
	"encoding/binary"
	"math"

	"github.com/qmuntal/gltf"
)

// elements are an accessor's values, packed one after another.
type elements struct {
	raw        []byte
	count      int
	components int // per element
	kind       gltf.ComponentType
	normalized bool
}

// componentBytes are the sizes of the component types, by the number files use.
func componentBytes(written int) (int, bool) {
	switch written {
	case 5120, 5121:
		return 1, true
	case 5122, 5123:
		return 2, true
	case 5125, 5126:
		return 4, true
	}
	return 0, false
}

// componentsOf is the number of components of the types that attributes and
// indices can have; matrices never are either.
func componentsOf(t gltf.AccessorType) int {
	switch t {
	case gltf.AccessorScalar:
		return 1
	case gltf.AccessorVec2:
		return 2
	case gltf.AccessorVec3:
		return 3
	case gltf.AccessorVec4:
		return 4
	}
	return 0
}

// elements reads an accessor: strided or packed, sparse or not. Without a view
// the values are zeros. Every span and index is checked against its view
// before memory is taken for it. Errors name the accessor.
func (d *document) elements(i, countMax int) (elements, error) {
	a, err := pick("accessor", d.Accessors, i)
	if err != nil {
		return elements{}, err
	}
	size, ok := componentBytes(d.written.Accessors[i].ComponentType)
	if !ok {
		return elements{}, corruptf("accessor %d: unknown componentType %d", i, d.written.Accessors[i].ComponentType)
	}
	e := elements{count: a.Count, components: componentsOf(a.Type), kind: a.ComponentType, normalized: a.Normalized}
	if e.components == 0 {
		return elements{}, corruptf("accessor %d: type %v is not usable here", i, a.Type)
	}
	if e.count < 1 {
		return elements{}, corruptf("accessor %d: count %d", i, e.count)
	}
	if e.count > countMax {
		return elements{}, tooLargef("accessor %d: count %d, limit %d", i, e.count, countMax)
	}
	if err := d.base(a, &e, size*e.components); err != nil {
		return elements{}, corruptf("accessor %d: %w", i, err)
	}
	if a.Sparse != nil {
		if err := d.override(a, &e, i, size*e.components); err != nil {
			return elements{}, corruptf("accessor %d: sparse: %w", i, err)
		}
	}
	return e, nil
}

// base fills in the values before sparse ones replace some.
func (d *document) base(a *gltf.Accessor, e *elements, sizeBytes int) error {
	if a.BufferView == nil {
		e.raw = make([]byte, e.count*sizeBytes)
		return nil
	}
	v, err := d.view(*a.BufferView)
	if err != nil {
		return err
	}
	stride := v.strideBytes
	if stride == 0 {
		stride = sizeBytes
	}
	if stride < sizeBytes {
		return corruptf("byteStride %d is less than an element's %d bytes", stride, sizeBytes)
	}
	src, err := v.from(a.ByteOffset, (e.count-1)*stride+sizeBytes)
	if err != nil {
		return err
	}
	if stride == sizeBytes {
		e.raw = src
		return nil
	}
	e.raw = make([]byte, e.count*sizeBytes)
	for n := range e.count {
		copy(e.raw[n*sizeBytes:(n+1)*sizeBytes], src[n*stride:])
	}
	return nil
}

// from gives n bytes of a span; the last element needs no padding after it.
func (s span) from(offset, n int) ([]byte, error) {
	if offset < 0 || offset > len(s.bytes) || n > len(s.bytes)-offset {
		return nil, corruptf("%d bytes from %d do not lie in the view's %d", n, offset, len(s.bytes))
	}
	return s.bytes[offset : offset+n], nil
}

// override applies sparse values.
func (d *document) override(a *gltf.Accessor, e *elements, i, sizeBytes int) error {
	s := a.Sparse
	if s.Count < 1 || s.Count > e.count {
		return corruptf("count %d of %d elements", s.Count, e.count)
	}
	indexBytes, ok := componentBytes(d.written.Accessors[i].Sparse.Indices.ComponentType)
	if !ok {
		return corruptf("unknown componentType %d of the indices", d.written.Accessors[i].Sparse.Indices.ComponentType)
	}
	indexView, err := d.view(s.Indices.BufferView)
	if err != nil {
		return err
	}
	indexRaw, err := indexView.from(s.Indices.ByteOffset, s.Count*indexBytes)
	if err != nil {
		return corruptf("indices: %w", err)
	}
	valueView, err := d.view(s.Values.BufferView)
	if err != nil {
		return err
	}
	values, err := valueView.from(s.Values.ByteOffset, s.Count*sizeBytes)
	if err != nil {
		return corruptf("values: %w", err)
	}
	indices, err := elements{raw: indexRaw, count: s.Count, components: 1, kind: s.Indices.ComponentType}.uints()
	if err != nil {
		return err
	}
	if a.BufferView != nil {
		// The base may still be the file's own bytes.
		e.raw = append(make([]byte, 0, len(e.raw)), e.raw...)
	}
	for n, at := range indices {
		if int64(at) >= int64(e.count) {
			return corruptf("index %d is not below the count %d", at, e.count)
		}
		copy(e.raw[int(at)*sizeBytes:], values[n*sizeBytes:(n+1)*sizeBytes])
	}
	return nil
}

// uints gives scalar unsigned values.
func (e elements) uints() ([]uint32, error) {
	if e.components != 1 {
		return nil, corruptf("indices must be scalars")
	}
	out := make([]uint32, e.count)
	switch e.kind {
	case gltf.ComponentUbyte:
		for i := range out {
			out[i] = uint32(e.raw[i])
		}
	case gltf.ComponentUshort:
		for i := range out {
			out[i] = uint32(binary.LittleEndian.Uint16(e.raw[i*2:]))
		}
	case gltf.ComponentUint:
		for i := range out {
			out[i] = binary.LittleEndian.Uint32(e.raw[i*4:])
		}
	default:
		return nil, corruptf("indices must be unsigned integers, not %v", e.kind)
	}
	return out, nil
}

// floats gives all components as numbers. Integers are taken as fractions of
// their range where the file says normalized, or fraction does.
func (e elements) floats(fraction bool) ([]float32, error) {
	out := make([]float32, e.count*e.components)
	fraction = fraction || e.normalized
	divisor := func(most float32) float32 {
		if fraction {
			return most
		}
		return 1
	}
	switch e.kind {
	case gltf.ComponentFloat:
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(e.raw[i*4:]))
		}
	case gltf.ComponentUbyte:
		k := divisor(math.MaxUint8)
		for i := range out {
			out[i] = float32(e.raw[i]) / k
		}
	case gltf.ComponentByte:
		k := divisor(math.MaxInt8)
		for i := range out {
			out[i] = signed(float32(int8(e.raw[i]))/k, fraction)
		}
	case gltf.ComponentUshort:
		k := divisor(math.MaxUint16)
		for i := range out {
			out[i] = float32(binary.LittleEndian.Uint16(e.raw[i*2:])) / k
		}
	case gltf.ComponentShort:
		k := divisor(math.MaxInt16)
		for i := range out {
			out[i] = signed(float32(int16(binary.LittleEndian.Uint16(e.raw[i*2:])))/k, fraction)
		}
	default:
		return nil, corruptf("%v is no type for an attribute", e.kind)
	}
	return out, nil
}

// signed clamps the one value of a signed range that lies below -1.
func signed(v float32, fraction bool) float32 {
	if fraction {
		return max(v, -1)
	}
	return v
}
