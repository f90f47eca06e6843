package portals

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/pack"
)

// ErrContent is wrapped when the demo's pack could not be made.
var ErrContent = errors.New("portals content")

// contentVersion changes when what is generated does: an older pack is remade.
const contentVersion = 4

// ensureContent opens the pack under dir, after writing it if it is not there
// yet. Progress goes to out, which may be nil. The caller closes the pack.
func ensureContent(dir string, p *plan, out io.Writer) (*pack.Pack, error) {
	if out == nil {
		out = io.Discard
	}
	path := filepath.Join(dir, fmt.Sprintf("portals-v%d-%d.zip", contentVersion, p.seed))
	if p.scale != fullScale() {
		path = filepath.Join(dir, fmt.Sprintf("portals-v%d-%d-small.zip", contentVersion, p.seed))
	}
	if _, err := os.Stat(path); err == nil {
		opened, err := pack.Open(path)
		if err == nil {
			return opened, nil
		}
		fmt.Fprintf(out, "%s cannot be used and is made again: %v\n", path, err)
	}
	fmt.Fprintf(out, "generating %s\n", path)
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = writePack(path, p)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrContent, err)
	}
	opened, err := pack.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrContent, err)
	}
	return opened, nil
}

func writePack(path string, p *plan) error {
	w, err := pack.Create(path, pack.WriterOptions{})
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, f := range p.files() {
		b, err := f.make()
		if err == nil {
			err = w.Add(f.name, b, strings.HasSuffix(f.name, ".ktx2"))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return w.Commit()
}

// file is one entry of the pack, made when it is written.
type file struct {
	name string
	make func() ([]byte, error)
}

// files are the pack's entries in its order.
func (p *plan) files() []file {
	var list []file
	add := func(name string, make func() ([]byte, error)) { list = append(list, file{name, make}) }
	for i := range p.scale.sharedProps {
		p.addProp(p.sharedProp(i), add)
	}
	for i := range fields {
		add(fieldStem(i)+".model", func() ([]byte, error) { return p.field(i) })
	}
	p.addGround(add)
	add(grainStem+".ktx2", func() ([]byte, error) { return grainTexture(p.scale.edge, p.seed) })
	p.addEffects(add)
	add(humStem+".pcm", func() ([]byte, error) { return tone(55, 1) })
	add(wilderness+".scene", func() ([]byte, error) {
		return docfile.EncodeScene(&assets.Scene{Entities: []assets.SceneEntity{p.ground("ground", groundStem)}})
	})
	for i := range p.stops {
		s := &p.stops[i]
		for k := range s.props {
			p.addProp(p.ownProp(s, k), add)
		}
		for k := range stopCells {
			add(s.cellStem(k)+".scene", func() ([]byte, error) { return p.cell(s, k) })
			add(s.soundStem(k)+".pcm", func() ([]byte, error) { return tone(110+20*s.index+7*k, 0.5) })
		}
		p.addStopEffects(s, add)
		add(s.stem("ground")+".material", func() ([]byte, error) {
			m := docfile.DefaultMaterial()
			m.BaseColor = tint(uint64(s.index), 0.35)
			m.Roughness = 0.9
			return docfile.EncodeMaterial(&m)
		})
	}
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return list
}

func (p *plan) addProp(o prop, add func(string, func() ([]byte, error))) {
	add(o.stem+".model", func() ([]byte, error) {
		var m assets.Model
		for part := range o.parts {
			node := assets.ModelNode{Parent: -1, Local: assets.IdentityTransform(), World: standing(float32(part))}
			node.Local.Pos[1] = float32(part)
			m.Nodes = append(m.Nodes, node)
			m.Parts = append(m.Parts, assets.ModelPart{Node: int32(part), Mesh: o.meshStem(part), Material: o.stem})
		}
		m.Bounds = assets.Bounds{
			Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, float32(o.parts), 1},
			Center: [3]float32{0, float32(o.parts-1) / 2, 0}, Radius: float32(o.parts + 1),
		}
		return docfile.EncodeModel(&m)
	})
	add(o.stem+".material", func() ([]byte, error) {
		m := docfile.DefaultMaterial()
		m.Maps[assets.MapBaseColor] = o.textureStem()
		if o.grainy {
			m.Maps[assets.MapNormal] = grainStem
		}
		return docfile.EncodeMaterial(&m)
	})
	add(o.textureStem()+".ktx2", func() ([]byte, error) { return mottled(o.edge, o.number+p.seed<<32) })
	for part := range o.parts {
		add(o.meshStem(part)+".mesh", func() ([]byte, error) {
			return lump(o.quads, 2*o.number+uint64(part)+p.seed<<32)
		})
	}
}

func (p *plan) addGround(add func(string, func() ([]byte, error))) {
	add(groundStem+".model", func() ([]byte, error) {
		return docfile.EncodeModel(&assets.Model{
			Nodes:  []assets.ModelNode{{Parent: -1, Local: assets.IdentityTransform(), World: standing(0)}},
			Parts:  []assets.ModelPart{{Mesh: groundStem, Material: groundStem}},
			Bounds: assets.Bounds{Min: [3]float32{-20, 0, 0}, Max: [3]float32{20, 0, CellMetres}, Center: [3]float32{0, 0, CellMetres / 2}, Radius: 22},
		})
	})
	add(groundStem+".mesh", func() ([]byte, error) { return ground() })
	add(groundStem+".material", func() ([]byte, error) {
		m := docfile.DefaultMaterial()
		m.BaseColor = [4]float32{0.1, 0.1, 0.1, 1}
		return docfile.EncodeMaterial(&m)
	})
}

func (p *plan) ground(id, material string) assets.SceneEntity {
	return assets.SceneEntity{ID: id, At: assets.IdentityTransform(), Model: groundStem, Material: material}
}

// standing is the matrix of a node so many metres up.
func standing(up float32) [16]float32 { return [16]float32{0: 1, 5: 1, 10: 1, 13: up, 15: 1} }

// field is a model of many stones, of the shared props.
func (p *plan) field(number int) ([]byte, error) {
	m := assets.Model{Bounds: assets.Bounds{
		Min: [3]float32{-fieldMetres / 2, 0, -fieldMetres / 2}, Max: [3]float32{fieldMetres / 2, 1, fieldMetres / 2},
		Center: [3]float32{0, 0.5, 0}, Radius: fieldMetres,
	}}
	random := newRandom(p.seed, uint64(number)<<48)
	for i := range fieldStones {
		local := assets.IdentityTransform()
		size := 0.1 + 0.2*random.Float32()
		local.Pos = [3]float32{fieldMetres * (random.Float32() - 0.5), size * 0.8, fieldMetres * (random.Float32() - 0.5)}
		local.Scale = [3]float32{size, size, size}
		world := [16]float32{0: size, 5: size, 10: size, 12: local.Pos[0], 13: local.Pos[1], 14: local.Pos[2], 15: 1}
		o := p.sharedProp((i + number) % p.scale.sharedProps)
		m.Nodes = append(m.Nodes, assets.ModelNode{Parent: -1, Local: local, World: world})
		m.Parts = append(m.Parts, assets.ModelPart{Node: int32(i), Mesh: o.meshStem(0), Material: o.stem})
	}
	return docfile.EncodeModel(&m)
}

// cell is the document of one of a stop's cells: its ground, its share of the
// stop's props and fields, and two sounds.
func (p *plan) cell(s *stop, k int) ([]byte, error) {
	doc := assets.Scene{Entities: []assets.SceneEntity{p.ground("ground", s.stem("ground"))}}
	for i := k; i < s.placements(); i += stopCells {
		doc.Entities = append(doc.Entities, p.placed(s, i))
	}
	for i, stem := range [2]string{s.soundStem(k), humStem} {
		doc.Entities = append(doc.Entities, assets.SceneEntity{
			ID: fmt.Sprintf("sound%d", i), At: assets.IdentityTransform(), Sound: stem, Gain: 0.1, Radius: 40, Loop: true,
		})
	}
	if k == stopCells/2 {
		doc.Effects = s.effects()
	}
	return docfile.EncodeScene(&doc)
}

// placed is the i-th entity of a stop, at its place in its cell, beside the
// way of who looks on: each prop twice, then fields.
func (p *plan) placed(s *stop, i int) assets.SceneEntity {
	at := assets.IdentityTransform()
	random := newRandom(p.seed, uint64(s.index)<<32|uint64(i))
	x, z := 10*random.Float32(), CellMetres*random.Float32()
	size, model := 0.3+0.4*random.Float32(), ""
	if i < 2*s.props {
		model = s.propStem(i / 2)
		x += 1.5
		at.Pos[1] = size * 0.8
		at.Scale = [3]float32{size, size, size}
	} else {
		model = fieldStem(i % fields)
		x += 1 + fieldMetres/2
	}
	if i&1 == 0 {
		x = -x
	}
	at.Pos[0], at.Pos[2] = x, z
	return assets.SceneEntity{ID: fmt.Sprintf("e%04d", i), At: at, Model: model}
}
