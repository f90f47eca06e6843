package docfile

import (
	"fmt"
	"math"
	"strings"

	"sojourn/assets"
)

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", assets.ErrCorrupt, fmt.Sprintf(format, args...))
}

func tooLarge(what string, n, limit int64) error {
	return fmt.Errorf("%w: %d %s, at most %d", assets.ErrTooLarge, n, what, limit)
}

// within is false for what is not a number.
func within(x, lo, hi float32) bool { return x >= lo && x <= hi }

func checkRange(what string, lo, hi float32, values ...float32) error {
	for _, x := range values {
		if !within(x, lo, hi) {
			return corrupt("%s is %g, want %g to %g", what, x, lo, hi)
		}
	}
	return nil
}

// checkStem gives an error that wraps [assets.ErrCorrupt] too.
func checkStem(what, stem string) error {
	if err := assets.CheckStem(stem); err != nil {
		return fmt.Errorf("%w: %s: %w", assets.ErrCorrupt, what, err)
	}
	return nil
}

func checkName(what, name string, bytesMax int) error {
	switch {
	case len(name) > bytesMax:
		return tooLarge("bytes in "+what, int64(len(name)), int64(bytesMax))
	case strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7F || r == '\uFFFD' }):
		return corrupt("%s %.40q has a control or broken character", what, name)
	}
	return nil
}

func checkMaterial(m *assets.Material) error {
	for _, err := range [...]error{
		checkRange("base_color", 0, 1, m.BaseColor[:]...),
		checkRange("emissive", 0, EmissiveMax, m.Emissive[:]...),
		checkRange("metallic", 0, 1, m.Metallic),
		checkRange("roughness", 0, 1, m.Roughness),
		checkRange("normal_scale", -NormalScaleMax, NormalScaleMax, m.NormalScale),
		checkRange("occlusion", 0, 1, m.Occlusion),
		checkRange("alpha_cutoff", 0, 1, m.AlphaCutoff),
	} {
		if err != nil {
			return err
		}
	}
	for slot, stem := range m.Maps {
		if stem == "" {
			continue
		}
		if err := checkStem("map "+assets.MapSlot(slot).String(), stem); err != nil {
			return err
		}
	}
	return nil
}

func checkScene(s *assets.Scene) error {
	if len(s.Entities) > SceneEntitiesMax {
		return tooLarge("entities", int64(len(s.Entities)), SceneEntitiesMax)
	}
	if s.Skybox != "" {
		if err := checkStem("skybox", s.Skybox); err != nil {
			return err
		}
	}
	ids := make(idSet, len(s.Entities))
	for i := range s.Entities {
		if err := ids.check(i, &s.Entities[i]); err != nil {
			return err
		}
	}
	return checkEffects(s.Effects, ids)
}

// idSet holds the ids of the entities before.
type idSet map[string]struct{}

// take notes an id and answers false if it is taken.
func (ids idSet) take(id string) bool {
	if _, taken := ids[id]; taken {
		return false
	}
	ids[id] = struct{}{}
	return true
}

func (ids idSet) check(i int, e *assets.SceneEntity) error {
	if err := checkEntity(e); err != nil {
		return fmt.Errorf("entity %d (%.40q): %w", i, e.ID, err)
	}
	if !ids.take(e.ID) {
		return corrupt("entity %d: id %.40q is taken", i, e.ID)
	}
	return nil
}

func checkEntity(e *assets.SceneEntity) error {
	if e.ID == "" {
		return corrupt("an entity needs an id")
	}
	if err := checkName("id", e.ID, EntityIDBytesMax); err != nil {
		return err
	}
	switch {
	case (e.Model == "") == (e.Sound == ""):
		return corrupt("an entity needs either a model or a sound")
	case e.Sound != "" && e.Material != "":
		return corrupt("a sound has no material")
	case e.Model != "" && (e.Gain != 0 || e.Radius != 0 || e.Loop):
		return corrupt("a model has no gain, radius or loop")
	}
	for _, named := range [...]struct{ what, stem string }{
		{"model", e.Model}, {"material", e.Material}, {"sound", e.Sound},
	} {
		if named.stem == "" {
			continue
		}
		if err := checkStem(named.what, named.stem); err != nil {
			return err
		}
	}
	if e.Sound != "" {
		if err := checkRange("gain", 0, GainMax, e.Gain); err != nil {
			return err
		}
		if err := checkRange("radius", RadiusMin, RadiusMax, e.Radius); err != nil {
			return err
		}
	}
	return checkTransform(&e.At)
}

func checkTransform(t *assets.Transform) error {
	if err := checkRange("pos", -CoordinateMax, CoordinateMax, t.Pos[:]...); err != nil {
		return err
	}
	if err := checkRange("scale", -CoordinateMax, CoordinateMax, t.Scale[:]...); err != nil {
		return err
	}
	if n := rotationLength(&t.Rot); !(math.Abs(n-1) <= rotationSlack) {
		return corrupt("rot %g has length %g, want 1", t.Rot, n)
	}
	return nil
}

func rotationLength(q *[4]float32) float64 {
	sum := 0.0
	for _, x := range q {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func checkModel(m *assets.Model) error {
	switch {
	case len(m.Nodes) > ModelNodesMax:
		return tooLarge("nodes", int64(len(m.Nodes)), ModelNodesMax)
	case len(m.Parts) > ModelPartsMax:
		return tooLarge("parts", int64(len(m.Parts)), ModelPartsMax)
	}
	for i := range m.Nodes {
		if err := checkNode(i, &m.Nodes[i]); err != nil {
			return err
		}
	}
	for i := range m.Parts {
		if err := checkPart(i, &m.Parts[i], len(m.Nodes)); err != nil {
			return err
		}
	}
	return checkBounds(&m.Bounds)
}

func checkNode(i int, n *assets.ModelNode) error {
	if n.Parent < -1 || int(n.Parent) >= i {
		return corrupt("node %d (%.40q): parent %d, want an earlier node or -1", i, n.Name, n.Parent)
	}
	err := checkName("name", n.Name, NodeNameBytesMax)
	if err == nil {
		err = checkTransform(&n.Local)
	}
	if err == nil {
		err = checkRange("world", -math.MaxFloat32, math.MaxFloat32, n.World[:]...)
	}
	if err != nil {
		return fmt.Errorf("node %d (%.40q): %w", i, n.Name, err)
	}
	return nil
}

func checkPart(i int, p *assets.ModelPart, nodes int) error {
	if p.Node < 0 || int(p.Node) >= nodes {
		return corrupt("part %d: node %d of %d", i, p.Node, nodes)
	}
	err := checkStem("mesh", p.Mesh)
	if err == nil && p.Material != "" {
		err = checkStem("material", p.Material)
	}
	if err != nil {
		return fmt.Errorf("part %d: %w", i, err)
	}
	return nil
}

func checkBounds(b *assets.Bounds) error {
	for axis := range 3 {
		lo, hi, c := b.Min[axis], b.Max[axis], b.Center[axis]
		if !within(lo, -CoordinateMax, hi) || !within(hi, lo, CoordinateMax) || !within(c, lo, hi) {
			return corrupt("bounds of axis %d are %g..%g around %g", axis, lo, hi, c)
		}
	}
	return checkRange("bounding radius", 0, 4*CoordinateMax, b.Radius)
}
