package docfile

import "sojourn/assets"

const (
	kindModel = "model"
	// What a node and a part take at least as [EncodeModel] writes them.
	nodeWireBytes = 85
	partWireBytes = 4
)

type wireNode struct {
	_      struct{} `cbor:",toarray"`
	Name   string
	Parent int32
	Local  transform
	World  wireMatrix
}

type wireMatrix struct {
	_              struct{} `cbor:",toarray"`
	C0, C1, C2, C3 vec4     // columns
}

type wirePart struct {
	_        struct{} `cbor:",toarray"`
	Node     int32
	Mesh     uint32 // stem
	Material uint32 // stem
}

type wireBounds struct {
	_                struct{} `cbor:",toarray"`
	Min, Max, Center vec3
	Radius           float32
}

func matrixOf(m *[16]float32) wireMatrix {
	return wireMatrix{
		C0: vec4Of([4]float32(m[0:4])), C1: vec4Of([4]float32(m[4:8])),
		C2: vec4Of([4]float32(m[8:12])), C3: vec4Of([4]float32(m[12:16])),
	}
}

func (w *wireMatrix) floats() (m [16]float32) {
	for i, column := range [...]*vec4{&w.C0, &w.C1, &w.C2, &w.C3} {
		f := column.floats()
		copy(m[i*4:], f[:])
	}
	return m
}

// EncodeModel packs a model. The result is the caller's; equal models give
// equal bytes. What [DecodeModel] would refuse is refused here.
func EncodeModel(m *assets.Model) ([]byte, error) {
	if err := checkModel(m); err != nil {
		return nil, err
	}
	w := newWireWriter()
	if err := w.put(&wireBounds{
		Min: vec3Of(m.Bounds.Min), Max: vec3Of(m.Bounds.Max),
		Center: vec3Of(m.Bounds.Center), Radius: m.Bounds.Radius,
	}); err != nil {
		return nil, err
	}
	for i := range m.Nodes {
		n := &m.Nodes[i]
		item := wireNode{Name: n.Name, Parent: n.Parent, Local: transformOf(&n.Local), World: matrixOf(&n.World)}
		if err := w.put(&item); err != nil {
			return nil, err
		}
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		item := wirePart{Node: p.Node, Mesh: w.stems.add(p.Mesh), Material: w.stems.add(p.Material)}
		if err := w.put(&item); err != nil {
			return nil, err
		}
	}
	return w.finish(header{Kind: kindModel, Nodes: uint32(len(m.Nodes)), Items: uint32(len(m.Parts))})
}

// DecodeModel reads a packed model. Models have no source form of their own:
// the cook makes them.
func DecodeModel(name string, b []byte) (assets.Model, error) {
	return DecodeModelChunks(name, b, noYield)
}

// DecodeModelChunks is [DecodeModel] for a worker: it calls yield between
// chunks of [assets.ChunkBytesMax] and returns yield's error.
func DecodeModelChunks(name string, b []byte, yield func() error) (assets.Model, error) {
	r, h, err := newWireReader(name, kindModel, b, ModelBytesMax, yield, nil)
	if err != nil {
		return assets.Model{}, err
	}
	m, err := readModel(r, h)
	if err != nil {
		return assets.Model{}, err
	}
	return m, nil
}

func readModel(r *wireReader, h header) (m assets.Model, err error) {
	switch {
	case h.Skybox != 0:
		return m, r.fail("the header's counts are wrong")
	case h.Nodes > ModelNodesMax:
		return m, r.named(tooLarge("nodes", int64(h.Nodes), ModelNodesMax))
	case h.Items > ModelPartsMax:
		return m, r.named(tooLarge("parts", int64(h.Items), ModelPartsMax))
	}
	var bounds wireBounds
	if err := r.next(&bounds); err != nil {
		return m, err
	}
	m.Bounds = assets.Bounds{
		Min: bounds.Min.floats(), Max: bounds.Max.floats(),
		Center: bounds.Center.floats(), Radius: bounds.Radius,
	}
	if err := checkBounds(&m.Bounds); err != nil {
		return m, r.named(err)
	}
	if m.Nodes, err = readNodes(r, h.Nodes); err != nil {
		return m, err
	}
	if m.Parts, err = readParts(r, h.Items, len(m.Nodes)); err != nil {
		return m, err
	}
	return m, r.end()
}

func readNodes(r *wireReader, count uint32) ([]assets.ModelNode, error) {
	nodes := make([]assets.ModelNode, 0, r.room(count, nodeWireBytes))
	var item wireNode
	for i := range count {
		if err := r.next(&item); err != nil {
			return nil, err
		}
		n := assets.ModelNode{Name: item.Name, Parent: item.Parent, Local: item.Local.at(), World: item.World.floats()}
		if err := checkNode(int(i), &n); err != nil {
			return nil, r.named(err)
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

func readParts(r *wireReader, count uint32, nodes int) (parts []assets.ModelPart, err error) {
	parts = make([]assets.ModelPart, 0, r.room(count, partWireBytes))
	var item wirePart
	for i := range count {
		if err := r.next(&item); err != nil {
			return nil, err
		}
		p := assets.ModelPart{Node: item.Node}
		if p.Mesh, err = r.stem(item.Mesh); err != nil {
			return nil, err
		}
		if p.Material, err = r.stem(item.Material); err != nil {
			return nil, err
		}
		if err := checkPart(int(i), &p, nodes); err != nil {
			return nil, r.named(err)
		}
		parts = append(parts, p)
	}
	return parts, nil
}
