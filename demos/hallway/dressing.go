package hallway

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"sojourn/assets"
	"sojourn/assets/docfile"
)

// dressing hangs a user's textures on the walls and stands their models in the
// cells. A nil dressing changes nothing.
type dressing struct {
	textures []string
	models   []dressedModel
}

// dressedModel is one of the user's models with the scale and lift that make
// it fit a cell.
type dressedModel struct {
	stem        string
	scale, lift float32
	x, z        float32 // from the model's middle to its origin, scaled
}

// What a user's model is scaled to, in metres, and how many models are looked
// at: reading them all would make a large pack slow to start.
const (
	dressedHeight    = 1.7
	dressedModelsMax = 2000
)

// newDressing looks through a user's pack. Models that cannot be read are left
// out and named in notes.
func newDressing(user assets.Source) (d *dressing, notes []string, err error) {
	d = &dressing{}
	var models []string
	err = user.List(func(name string, _ int64) bool {
		switch path.Ext(name) {
		case ".ktx2":
			d.textures = append(d.textures, strings.TrimSuffix(name, ".ktx2"))
		case ".model":
			models = append(models, strings.TrimSuffix(name, ".model"))
		}
		return true
	})
	if err != nil {
		return nil, nil, err
	}
	sort.Strings(models)
	// Maps that models brought along are not meant for walls.
	whole := d.textures[:0]
	for _, t := range d.textures {
		if !strings.Contains(t, "#") {
			whole = append(whole, t)
		}
	}
	if len(whole) > 0 {
		d.textures = whole
	}
	sort.Strings(d.textures)
	for _, stem := range models[:min(len(models), dressedModelsMax)] {
		m, err := fit(user, stem)
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s: left out: %v", stem, err))
			continue
		}
		d.models = append(d.models, m)
	}
	return d, notes, nil
}

func fit(user assets.Source, stem string) (dressedModel, error) {
	b, err := readEntry(user, stem+".model")
	if err != nil {
		return dressedModel{}, err
	}
	m, err := docfile.DecodeModel(stem, b)
	if err != nil {
		return dressedModel{}, err
	}
	if len(m.Parts) == 0 {
		return dressedModel{}, fmt.Errorf("it has no parts")
	}
	largest := float32(0)
	for i := range 3 {
		largest = max(largest, m.Bounds.Max[i]-m.Bounds.Min[i])
	}
	if !(largest > 1e-6) {
		return dressedModel{}, fmt.Errorf("it has no extent")
	}
	scale := dressedHeight / largest
	return dressedModel{
		stem: stem, scale: scale, lift: -m.Bounds.Min[1] * scale,
		x: -(m.Bounds.Min[0] + m.Bounds.Max[0]) / 2 * scale,
		z: -(m.Bounds.Min[2] + m.Bounds.Max[2]) / 2 * scale,
	}, nil
}

// texture is the wall of a cell, or empty for the hallway's own.
func (d *dressing) texture(cell int) string {
	if d == nil || len(d.textures) == 0 {
		return ""
	}
	return d.textures[cell%len(d.textures)]
}

// stand puts two of the user's models into a cell.
func (d *dressing) stand(s *assets.Scene, cell int) {
	if d == nil || len(d.models) == 0 {
		return
	}
	for i, side := range [2]float32{-1.3, 1.3} {
		m := d.models[(2*cell+i)%len(d.models)]
		at := assets.IdentityTransform()
		at.Pos = [3]float32{side + m.x, m.lift, 2.5 + 3*float32(i) + m.z}
		at.Scale = [3]float32{m.scale, m.scale, m.scale}
		s.Entities = append(s.Entities, assets.SceneEntity{
			ID: fmt.Sprintf("guest%d", i), Model: m.stem, At: at,
		})
	}
}
