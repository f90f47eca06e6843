package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"

	"github.com/qmuntal/gltf"

	"sojourn/assets/cook/unit"
)

// implemented are the extensions this package honours.
var implemented = [...]string{
	extQuantization, extTransform, extUnlit, extEmissiveStrength, extWebP,
}

// Names of extensions this package looks at.
const (
	extQuantization     = "KHR_mesh_quantization"
	extTransform        = "KHR_texture_transform"
	extUnlit            = "KHR_materials_unlit"
	extEmissiveStrength = "KHR_materials_emissive_strength"
	extWebP             = "EXT_texture_webp"
	extDraco            = "KHR_draco_mesh_compression"
)

// document is a parsed file with its buffers. It belongs to one import.
type document struct {
	*gltf.Document
	in      *unit.Input
	written enums
	bin     []byte   // GLB's binary chunk; nil without one
	buffers [][]byte // filled when first used

	bufferBytes int // of the buffers filled so far
}

// enums are the numbers that gltf.Document would silently replace by a default
// where it does not know them.
type enums struct {
	Accessors []struct {
		ComponentType int
		Sparse        struct {
			Indices struct{ ComponentType int }
		}
	}
	Meshes []struct {
		Primitives []struct{ Mode *int }
	}
}

// open parses the container and the JSON and checks what must hold before any
// geometry is looked at.
func open(in *unit.Input) (*document, error) {
	if len(in.Data) == 0 {
		return nil, corruptf("the file is empty")
	}
	text, bin, err := split(in.Data)
	if err != nil {
		return nil, err
	}
	if len(text) > jsonBytesMax {
		return nil, tooLargef("%d bytes of JSON, limit %d", len(text), jsonBytesMax)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	d := &document{Document: new(gltf.Document), in: in, bin: bin}
	if err := json.Unmarshal(text, d.Document); err != nil {
		return nil, jsonFault(text, err)
	}
	if err := json.Unmarshal(text, &d.written); err != nil {
		return nil, jsonFault(text, err)
	}
	if v := d.Asset.Version; v != "2" && !strings.HasPrefix(v, "2.") {
		return nil, corruptf("glTF version %s is not supported, only 2.0", shown(v))
	}
	if v := d.Asset.MinVersion; v != "" && v != "2.0" {
		return nil, corruptf("the file needs glTF version %s, only 2.0 is supported", shown(v))
	}
	if err := d.checkExtensions(); err != nil {
		return nil, err
	}
	if err := d.checkTables(); err != nil {
		return nil, err
	}
	if err := d.checkTotals(); err != nil {
		return nil, err
	}
	d.buffers = make([][]byte, len(d.Buffers))
	return d, nil
}

// jsonFault adds the place to a JSON error.
func jsonFault(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var offset int64
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return corruptf("JSON: %w", err)
	}
	before := text[:min(max(offset, 0), int64(len(text)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := max(1, len(before)-bytes.LastIndexByte(before, '\n')-1)
	return corruptf("JSON at %d:%d: %w", line, column, err)
}

// split takes a GLB apart; other data is JSON as a whole. Content decides, not
// the file's suffix.
func split(data []byte) (text, bin []byte, err error) {
	if !bytes.HasPrefix(data, []byte("glTF")) {
		return data, nil, nil
	}
	const headerBytes, chunkHeaderBytes = 12, 8
	if len(data) < headerBytes {
		return nil, nil, corruptf("GLB: truncated header: %d of %d bytes", len(data), headerBytes)
	}
	if v := binary.LittleEndian.Uint32(data[4:]); v != 2 {
		return nil, nil, corruptf("GLB: version %d is not supported, only 2", v)
	}
	total := uint64(binary.LittleEndian.Uint32(data[8:]))
	if total > uint64(len(data)) || total < headerBytes {
		return nil, nil, corruptf("GLB: truncated: the header says %d bytes, the file has %d", total, len(data))
	}
	rest := data[headerBytes:total]
	for n := 0; len(rest) > 0; n++ {
		if len(rest) < chunkHeaderBytes {
			if n > 0 && len(bytes.Trim(rest, "\x00 ")) == 0 {
				break // padding that the total counts in
			}
			return nil, nil, corruptf("GLB: truncated: %d bytes are no chunk header", len(rest))
		}
		size := uint64(binary.LittleEndian.Uint32(rest))
		kind := string(rest[4:8])
		rest = rest[chunkHeaderBytes:]
		if size > uint64(len(rest)) {
			return nil, nil, corruptf("GLB: truncated: chunk %d declares %d bytes, %d are left", n, size, len(rest))
		}
		body := rest[:size]
		// Chunks start at multiples of four, and some writers leave the
		// padding out of the size.
		rest = rest[min((size+3)&^3, uint64(len(rest))):]
		switch {
		case n == 0 && kind != "JSON":
			return nil, nil, corruptf("GLB: the first chunk is %s, not JSON", shown(kind))
		case n == 0:
			text = body
		case kind == "BIN\x00" && bin == nil:
			bin = body
		}
	}
	if text == nil {
		return nil, nil, corruptf("GLB: no JSON chunk")
	}
	return text, bin, nil
}

// checkExtensions refuses required extensions that are not implemented and
// warns about optional ones.
func (d *document) checkExtensions() error {
	known := make(map[string]bool)
	for _, name := range implemented {
		known[name] = true
	}
	var missing []string
	for _, name := range d.ExtensionsRequired {
		if !known[name] {
			known[name] = true // named once
			missing = append(missing, shown(name))
		}
	}
	if len(missing) > 0 {
		return corruptf("required extension not supported: %s", strings.Join(missing, ", "))
	}
	for _, name := range d.ExtensionsUsed {
		if !known[name] {
			known[name] = true
			d.in.Warn("extension %s is not supported, the file's fallback is used", shown(name))
		}
	}
	return nil
}

// checkTables bounds the document's tables and refuses null where an object
// belongs, so that later code need not ask.
func (d *document) checkTables() error {
	switch {
	case len(d.Nodes) > nodesMax:
		return tooLargef("%d nodes, limit %d", len(d.Nodes), nodesMax)
	case len(d.Images) > imagesMax:
		return tooLargef("%d images, limit %d", len(d.Images), imagesMax)
	}
	for _, err := range []error{
		noNulls("accessor", d.Accessors), noNulls("buffer", d.Buffers), noNulls("bufferView", d.BufferViews),
		noNulls("image", d.Images), noNulls("material", d.Materials), noNulls("mesh", d.Meshes),
		noNulls("node", d.Nodes), noNulls("scene", d.Scenes), noNulls("texture", d.Textures),
		noNulls("sampler", d.Samplers),
	} {
		if err != nil {
			return err
		}
	}
	for i, m := range d.Meshes {
		if err := noNulls("primitive", m.Primitives); err != nil {
			return corruptf("mesh %d: %w", i, err)
		}
	}
	return nil
}

// checkTotals bounds what all primitives declare together. An accessor can be
// used often, or have no bytes behind it, so the file's size bounds nothing.
// What is wrong with a single accessor is told when that is read.
func (d *document) checkTotals() error {
	var primitives, vertices, indices int64
	count := func(accessor int) int64 {
		if accessor < 0 || accessor >= len(d.Accessors) {
			return 0
		}
		n := d.Accessors[accessor].Count
		if n < 0 || n > elementsMax {
			return 0
		}
		return int64(n)
	}
	for _, m := range d.Meshes {
		for _, p := range m.Primitives {
			primitives++
			n := int64(0)
			if at, ok := p.Attributes[gltf.POSITION]; ok {
				n = count(at)
				vertices += n
			}
			if p.Indices != nil {
				n = count(*p.Indices)
			}
			if p.Mode != gltf.PrimitiveTriangles {
				n *= 3 // strips and fans become lists
			}
			indices += n
			if primitives > primitivesMax || vertices > verticesTotalMax || indices > indicesTotalMax {
				return tooLargef("a model may have %d primitives, %d vertices and %d indices together",
					primitivesMax, verticesTotalMax, indicesTotalMax)
			}
		}
	}
	return nil
}

func noNulls[T any](what string, table []*T) error {
	for i, v := range table {
		if v == nil {
			return corruptf("%s %d is null", what, i)
		}
	}
	return nil
}

// pick gives element i of a table, or an error that names it.
func pick[T any](what string, table []*T, i int) (*T, error) {
	if i < 0 || i >= len(table) {
		return nil, corruptf("%s %d does not exist, the file has %d", what, i, len(table))
	}
	return table[i], nil
}
