package model

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"sojourn/assets"
	"sojourn/assets/cook/unit"
	"sojourn/assets/docfile"
	"sojourn/assets/meshfile"
)

// Import cooks a .gltf or .glb file; which of the two it is, its content says.
// It emits textures, materials and meshes as it goes and the model last. It is
// a [unit.Importer]; errors wrap [assets.ErrCorrupt] or [assets.ErrTooLarge]
// and name the accessor, image, node or URI at fault.
func Import(in *unit.Input, emit func(unit.Output)) error {
	return spelled(importModel(in, emit))
}

func importModel(in *unit.Input, emit func(unit.Output)) error {
	d, err := open(in)
	if err != nil {
		return err
	}
	nodes, err := d.hierarchy()
	if err != nil {
		return err
	}
	d.warnOfLosses()
	p := &parts{in: in, emit: emit, taken: make(map[string]bool)}
	t := &textures{d: d, parts: p, stems: make(map[textureKey]string)}
	m := &importer{
		document: d, parts: p,
		materials: &materials{d: d, parts: p, textures: t, done: make(map[int]cookedMaterial)},
		meshes:    make(map[int][]cookedPrimitive),
	}
	model, err := m.model(nodes)
	if err != nil {
		return err
	}
	data, err := docfile.EncodeModel(model)
	if err != nil {
		return err
	}
	return p.put(assets.KindModel, in.Stem, ".model", data, false)
}

// warnOfLosses reports, once each, what the file has and a model has not.
func (d *document) warnOfLosses() {
	if n := len(d.Animations); n > 0 {
		d.in.Warn("%d animations are not imported", n)
	}
	if n := len(d.Skins); n > 0 {
		d.in.Warn("%d skins are not imported, meshes stay in their bind pose", n)
	}
	for i, m := range d.Meshes {
		for _, p := range m.Primitives {
			if len(p.Targets) > 0 {
				d.in.Warn("mesh %d %s: morph targets are not imported", i, shown(m.Name))
				break
			}
		}
	}
}

// cookedPrimitive is a primitive that was emitted.
type cookedPrimitive struct {
	mesh, material string
	bounds         assets.Bounds
}

// importer puts the pieces together.
type importer struct {
	*document
	parts     *parts
	materials *materials
	meshes    map[int][]cookedPrimitive
}

// model makes the model's document and emits everything it refers to.
func (m *importer) model(nodes []placed) (*assets.Model, error) {
	out := &assets.Model{Nodes: make([]assets.ModelNode, len(nodes))}
	box := emptyBox()
	for i, n := range nodes {
		out.Nodes[i] = n.node
		if n.mesh < 0 {
			continue
		}
		primitives, err := m.mesh(n.mesh)
		if err != nil {
			return nil, err
		}
		if len(out.Parts)+len(primitives) > partsMax {
			return nil, tooLargef("more than %d parts", partsMax)
		}
		for _, p := range primitives {
			out.Parts = append(out.Parts, assets.ModelPart{Node: int32(i), Mesh: p.mesh, Material: p.material})
			box.add(p.bounds, n.world)
		}
	}
	for i, mesh := range m.Meshes {
		if _, used := m.meshes[i]; !used {
			m.in.Warn("mesh %d %s is on no node of the scene and was left out", i, shown(mesh.Name))
		}
	}
	var ok bool
	if out.Bounds, ok = box.bounds(); !ok {
		return nil, corruptf("a part lies more than %g from the origin", float64(coordinateMax))
	}
	return out, nil
}

// mesh emits the primitives of a mesh, once however many nodes show it.
func (m *importer) mesh(i int) ([]cookedPrimitive, error) {
	if done, ok := m.meshes[i]; ok {
		return done, nil
	}
	out := []cookedPrimitive{}
	for p := range m.Meshes[i].Primitives {
		c, ok, err := m.primitiveOf(i, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.primitiveName(i, p), err)
		}
		if ok {
			out = append(out, c)
		}
	}
	m.meshes[i] = out
	return out, nil
}

func (m *importer) primitiveOf(i, p int) (cookedPrimitive, bool, error) {
	material, err := m.materials.of(m.Meshes[i].Primitives[p].Material)
	if err != nil {
		return cookedPrimitive{}, false, err
	}
	geometry, skip, err := m.primitive(i, p, material.uv)
	if err != nil {
		return cookedPrimitive{}, false, err
	}
	if skip != "" {
		m.in.Warn("%s was left out: %s", m.primitiveName(i, p), skip)
		return cookedPrimitive{}, false, nil
	}
	data, err := meshfile.Encode(geometry.vertices, geometry.indices)
	if err != nil {
		return cookedPrimitive{}, false, err
	}
	stem := m.parts.name(fmt.Sprintf("mesh-%s-%d", portable(m.Meshes[i].Name, i), p))
	if err := m.parts.put(assets.KindMesh, stem, ".mesh", data, true); err != nil {
		return cookedPrimitive{}, false, err
	}
	return cookedPrimitive{stem, material.stem, meshfile.BoundsOf(geometry.vertices)}, true, nil
}

// box grows around placed bounds.
type box struct{ min, max mgl64.Vec3 }

func emptyBox() box {
	inf := math.Inf(1)
	return box{mgl64.Vec3{inf, inf, inf}, mgl64.Vec3{-inf, -inf, -inf}}
}

// add grows the box around the eight corners of b under a transform.
func (x *box) add(b assets.Bounds, world mgl64.Mat4) {
	for corner := range 8 {
		var at mgl64.Vec3
		for k := range at {
			at[k] = float64(b.Min[k])
			if corner>>k&1 == 1 {
				at[k] = float64(b.Max[k])
			}
		}
		at = mgl64.TransformCoordinate(at, world)
		for k := range at {
			x.min[k], x.max[k] = min(x.min[k], at[k]), max(x.max[k], at[k])
		}
	}
}

// bounds gives the box in 32 bits, rounded outwards; zero when nothing was
// added. It fails when a coordinate is out of range.
func (x *box) bounds() (b assets.Bounds, ok bool) {
	if x.min[0] > x.max[0] {
		return b, true
	}
	var half float64
	for k := range 3 {
		if !(x.min[k] >= -coordinateMax && x.max[k] <= coordinateMax) {
			return assets.Bounds{}, false
		}
		low, high := float32(x.min[k]), float32(x.max[k])
		if float64(low) > x.min[k] {
			low = math.Nextafter32(low, -coordinateMax)
		}
		if float64(high) < x.max[k] {
			high = math.Nextafter32(high, coordinateMax)
		}
		b.Min[k], b.Max[k] = low, high
		b.Center[k] = float32((float64(low) + float64(high)) / 2)
		reach := max(float64(high)-float64(b.Center[k]), float64(b.Center[k])-float64(low))
		half += reach * reach
	}
	b.Radius = math.Nextafter32(float32(math.Sqrt(half)), math.MaxFloat32)
	return b, true
}
