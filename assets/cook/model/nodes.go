package model

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/qmuntal/gltf"

	"sojourn/assets"
)

// placed is a node of the scene: as the model has it, and the file's mesh on it.
type placed struct {
	node  assets.ModelNode
	world mgl64.Mat4
	mesh  int // -1: none
}

// hierarchy gives the nodes of the default scene, parents before children; the
// first scene where none is the default, every root where there is no scene.
// A file without nodes gets one for each mesh.
func (d *document) hierarchy() ([]placed, error) {
	if len(d.Nodes) == 0 {
		out := make([]placed, len(d.Meshes))
		for i, m := range d.Meshes {
			out[i] = placed{world: mgl64.Ident4(), mesh: i}
			out[i].node = assets.ModelNode{Name: nodeName(m.Name), Parent: -1, Local: assets.IdentityTransform(), World: narrowed(mgl64.Ident4())}
		}
		return out, nil
	}
	parent, err := d.parents()
	if err != nil {
		return nil, err
	}
	roots, err := d.roots(parent)
	if err != nil {
		return nil, err
	}
	type pending struct{ node, parent int }
	var stack []pending
	push := func(nodes []int, parent int) {
		for i := len(nodes) - 1; i >= 0; i-- {
			stack = append(stack, pending{nodes[i], parent})
		}
	}
	push(roots, -1)
	var out []placed
	seen := make([]bool, len(d.Nodes))
	for len(stack) > 0 {
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[next.node] {
			return nil, corruptf("node %d is in the scene twice", next.node)
		}
		seen[next.node] = true
		above := mgl64.Ident4()
		if next.parent >= 0 {
			above = out[next.parent].world
		}
		p, err := d.place(next.node, above)
		if err != nil {
			return nil, corruptf("node %d: %w", next.node, err)
		}
		p.node.Parent = int32(next.parent)
		out = append(out, p)
		push(d.Nodes[next.node].Children, len(out)-1)
	}
	return out, nil
}

// parents finds each node's parent, -1 for roots, and refuses nodes with two
// and cycles.
func (d *document) parents() ([]int, error) {
	parent := make([]int, len(d.Nodes))
	for i := range parent {
		parent[i] = -1
	}
	for i, n := range d.Nodes {
		for _, c := range n.Children {
			if c < 0 || c >= len(d.Nodes) {
				return nil, corruptf("node %d: child %d does not exist, the file has %d nodes", i, c, len(d.Nodes))
			}
			if parent[c] >= 0 {
				return nil, corruptf("node %d has two parents, %d and %d", c, parent[c], i)
			}
			parent[c] = i
		}
	}
	// With one parent each, whoever walks up and does not end is in a cycle.
	done := make([]bool, len(d.Nodes))
	for i := range d.Nodes {
		at, steps := i, 0
		for ; at >= 0 && !done[at]; at = parent[at] {
			if steps++; steps > len(d.Nodes) {
				return nil, corruptf("node %d is its own ancestor", at)
			}
		}
		for at = i; at >= 0 && !done[at]; at = parent[at] {
			done[at] = true
		}
	}
	return parent, nil
}

// roots are where the scene starts.
func (d *document) roots(parent []int) ([]int, error) {
	if len(d.Scenes) == 0 {
		var roots []int
		for i, p := range parent {
			if p < 0 {
				roots = append(roots, i)
			}
		}
		return roots, nil
	}
	at := 0
	if d.Scene != nil {
		at = *d.Scene
	}
	scene, err := pick("scene", d.Scenes, at)
	if err != nil {
		return nil, err
	}
	for _, n := range scene.Nodes {
		if n < 0 || n >= len(d.Nodes) {
			return nil, corruptf("scene %d: node %d does not exist, the file has %d", at, n, len(d.Nodes))
		}
	}
	return scene.Nodes, nil
}

// place computes one node's transforms.
func (d *document) place(i int, above mgl64.Mat4) (placed, error) {
	n := d.Nodes[i]
	local := mgl64.Mat4(n.Matrix)
	var t assets.Transform
	if local == mgl64.Ident4() {
		t, local = fromParts(n)
	} else {
		for k, want := range [...]float64{0, 0, 0, 1} {
			if math.Abs(local[k*4+3]-want) > 1e-6 {
				return placed{}, corruptf("the matrix is no placement: its last row is not 0 0 0 1")
			}
		}
		t = decomposed(local)
	}
	p := placed{world: above.Mul4(local), mesh: -1}
	for _, m := range [...]mgl64.Mat4{local, p.world} {
		for _, v := range m {
			if !(math.Abs(v) <= coordinateMax) {
				return placed{}, corruptf("its transform is not finite or beyond %g", float64(coordinateMax))
			}
		}
	}
	p.node = assets.ModelNode{Name: nodeName(n.Name), Local: t, World: narrowed(p.world)}
	if n.Mesh != nil {
		if _, err := pick("mesh", d.Meshes, *n.Mesh); err != nil {
			return placed{}, err
		}
		p.mesh = *n.Mesh
	}
	return p, nil
}

// fromParts is a node given by translation, rotation and scale.
func fromParts(n *gltf.Node) (assets.Transform, mgl64.Mat4) {
	q := mgl64.Quat{W: n.Rotation[3], V: mgl64.Vec3{n.Rotation[0], n.Rotation[1], n.Rotation[2]}}
	if length := q.Len(); length > 0 && !math.IsInf(length, 0) {
		q = q.Scale(1 / length)
	} else {
		q = mgl64.QuatIdent()
	}
	m := mgl64.Translate3D(n.Translation[0], n.Translation[1], n.Translation[2]).
		Mul4(q.Mat4()).Mul4(mgl64.Scale3D(n.Scale[0], n.Scale[1], n.Scale[2]))
	t := assets.Transform{Rot: narrowedQuat(q)}
	for k := range 3 {
		t.Pos[k], t.Scale[k] = float32(n.Translation[k]), float32(n.Scale[k])
	}
	return t, m
}

// decomposed is the nearest translation, rotation and scale of a matrix; a
// shear is lost, the world matrix keeps it.
func decomposed(m mgl64.Mat4) assets.Transform {
	t := assets.IdentityTransform()
	rotation := mgl64.Ident4()
	mirrored := m.Mat3().Det() < 0
	for k := range 3 {
		t.Pos[k] = float32(m[12+k])
		column := m.Col(k).Vec3()
		length := column.Len()
		if mirrored && k == 0 {
			length = -length
		}
		t.Scale[k] = float32(length)
		if length != 0 {
			rotation.SetCol(k, column.Mul(1/length).Vec4(0))
		}
	}
	if m.Mat3().Det() != 0 {
		t.Rot = narrowedQuat(mgl64.Mat4ToQuat(rotation).Normalize())
	}
	return t
}

func narrowed(m mgl64.Mat4) (out [16]float32) {
	for i, v := range m {
		out[i] = float32(v)
	}
	return out
}

func narrowedQuat(q mgl64.Quat) [4]float32 {
	return [4]float32{float32(q.V[0]), float32(q.V[1]), float32(q.V[2]), float32(q.W)}
}
