package art

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
)

// materialDocument is a material's source form.
type materialDocument struct {
	BaseColor []float32         `json:"base_color,omitempty"`
	Emissive  []float32         `json:"emissive,omitempty"`
	Metallic  float32           `json:"metallic,omitempty"`
	Roughness float32           `json:"roughness"`
	Maps      map[string]string `json:"maps"`
}

// sceneDocument is a scene's.
type sceneDocument struct {
	Skybox   string           `json:"skybox,omitempty"`
	Entities []entityDocument `json:"entities"`
}

type entityDocument struct {
	ID       string     `json:"id"`
	Model    string     `json:"model,omitempty"`
	Material string     `json:"material,omitempty"`
	Sound    string     `json:"sound,omitempty"`
	Pos      [3]float32 `json:"pos"`
	Rot      []float32  `json:"rot,omitempty"`
	Gain     float32    `json:"gain,omitempty"`
	Radius   float32    `json:"radius,omitempty"`
	Loop     bool       `json:"loop,omitempty"`
}

func writeJSON(dir, name string, document any) error {
	text, err := json.MarshalIndent(document, "", " ")
	if err != nil {
		return err
	}
	return write(dir, name, append(text, '\n'))
}

// tints are materials that replace a prop's own.
func tints() map[string]materialDocument {
	painted := func(texture string, r, g, b float32) materialDocument {
		return materialDocument{
			BaseColor: []float32{r, g, b, 1}, Roughness: 0.7,
			Maps: map[string]string{"base_color": "textures/" + texture},
		}
	}
	crates := painted("crate", 0.55, 0.8, 0.6)
	crates.Maps["normal"] = "textures/crate_normal"
	return map[string]materialDocument{
		"materials/crate_green":  crates,
		"materials/crate_blue":   painted("crate", 0.5, 0.65, 0.9),
		"materials/barrel_red":   painted("barrel", 0.85, 0.3, 0.25),
		"materials/barrel_olive": painted("barrel", 0.55, 0.6, 0.35),
		"materials/end":          painted("trim", 0.8, 0.8, 0.85),
	}
}

func documentSteps() []step {
	steps := []step{func(dir string) error {
		sky := sceneDocument{Skybox: Skybox, Entities: []entityDocument{}}
		return writeJSON(dir, SkyScene+".scene.json", sky)
	}}
	for stem, document := range tints() {
		steps = append(steps, func(dir string) error { return writeJSON(dir, stem+".material.json", document) })
	}
	return steps
}

// cellSteps are a cell's texture, its sound, and its two documents.
func cellSteps(g *grain, o Options, cell int) []step {
	return []step{
		func(dir string) error {
			return writePNG(dir, CellWall(cell), newWall(g, o.Seed, cell).picture())
		},
		func(dir string) error { return write(dir, CellDrone(cell)+".wav", drone(o.Seed, cell).wav()) },
		func(dir string) error {
			wall := materialDocument{Roughness: 0.85, Maps: map[string]string{"base_color": CellWall(cell)}}
			if err := writeJSON(dir, CellWall(cell)+".material.json", wall); err != nil {
				return err
			}
			return writeJSON(dir, CellScene(cell)+".scene.json", cellDocument(o, cell))
		},
	}
}

// layout places a cell's entities.
type layout struct {
	sceneDocument
	random *rand.Rand
}

func cellDocument(o Options, cell int) sceneDocument {
	l := layout{random: rand.New(rand.NewPCG(o.Seed, uint64(cell)))}
	l.shell(cell, o.Cells)
	l.props(6 + l.random.IntN(5))
	if l.random.IntN(2) == 0 {
		l.add("pipes", entityDocument{Model: PropPipes, Pos: [3]float32{side(l.random) * 2.8, 3.7, 0}})
	}
	l.sound("drone", CellDrone(cell))
	if sounds := Sounds(); l.random.IntN(2) == 0 {
		l.sound("sound", sounds[l.random.IntN(len(sounds))])
	}
	return l.sceneDocument
}

func (l *layout) sound(id, stem string) {
	l.add(id, entityDocument{
		Sound: stem, Gain: 0.5 + 0.5*l.random.Float32(), Radius: 9 + 3*l.random.Float32(), Loop: true,
		Pos: [3]float32{side(l.random) * 2.2, 1.2, 2 + 4*l.random.Float32()},
	})
}

func (l *layout) shell(cell, cells int) {
	l.add("floor", entityDocument{Model: ShellFloor})
	l.add("walls", entityDocument{Model: ShellWalls, Material: CellWall(cell)})
	l.add("arch", entityDocument{Model: PropArch})
	if cell%4 == 2 {
		l.add("skylight", entityDocument{Model: ShellSkylight})
		l.add("lamp", entityDocument{Model: PropLamp, Pos: [3]float32{1.8, CellHeight, CellLength / 2}})
	} else {
		l.add("ceiling", entityDocument{Model: ShellCeiling})
		l.add("lamp", entityDocument{Model: PropLamp, Pos: [3]float32{0, CellHeight, CellLength / 2}})
	}
	if cell == 0 {
		l.add("end", entityDocument{Model: ShellEnd, Material: "materials/end"})
	}
	if cell == cells-1 {
		l.add("far_end", entityDocument{
			Model: ShellEnd, Material: "materials/end", Pos: [3]float32{0, 0, CellLength}, Rot: turned(math.Pi),
		})
	}
}

func (l *layout) add(id string, e entityDocument) {
	e.ID = id
	e.Pos = [3]float32{rounded(e.Pos[0]), rounded(e.Pos[1]), rounded(e.Pos[2])}
	e.Gain, e.Radius = rounded(e.Gain), rounded(e.Radius)
	l.Entities = append(l.Entities, e)
}

// props stand along both walls, five places on each side; the middle of the
// corridor stays free to walk.
func (l *layout) props(count int) {
	places := l.random.Perm(10)[:count]
	for i, place := range places {
		x, inward := float32(2.35), float32(math.Pi)
		if place%2 == 0 {
			x, inward = -x, 0
		}
		z := 1.2 + 1.4*float32(place/2)
		jitter := 0.25 * (l.random.Float32() - 0.5)
		id := fmt.Sprintf("prop%d", i)
		switch l.random.IntN(6) {
		case 0, 1:
			l.crates(id, x, z+jitter)
		case 2, 3:
			l.add(id, entityDocument{
				Model: PropBarrel, Material: oneOf(l.random, "", "materials/barrel_red", "materials/barrel_olive"),
				Pos: [3]float32{x + jitter, 0, z + jitter}, Rot: turned(2 * math.Pi * l.random.Float32()),
			})
		case 4:
			l.add(id, entityDocument{Model: PropBench, Pos: [3]float32{x, 0, z}})
		case 5:
			l.add(id, entityDocument{Model: PropConsole, Pos: [3]float32{x, 0, z}, Rot: turned(inward)})
		}
	}
}

// crates are one, or two on top of each other.
func (l *layout) crates(id string, x, z float32) {
	material := oneOf(l.random, "", "materials/crate_green", "materials/crate_blue")
	l.add(id, entityDocument{
		Model: PropCrate, Material: material, Pos: [3]float32{x, 0, z}, Rot: turned(0.5 * (l.random.Float32() - 0.5)),
	})
	if l.random.IntN(3) == 0 {
		l.add(id+"_top", entityDocument{
			Model: PropCrate, Pos: [3]float32{x, 0.8, z}, Rot: turned(0.9 * (l.random.Float32() - 0.5)),
		})
	}
}

func side(r *rand.Rand) float32 { return float32(2*r.IntN(2) - 1) }

func oneOf(r *rand.Rand, choices ...string) string { return choices[r.IntN(len(choices))] }

// turned is a rotation about +Y by an angle in radians.
func turned(angle float32) []float32 {
	if angle == 0 {
		return nil
	}
	sin, cos := math.Sincos(float64(angle) / 2)
	return []float32{0, float32(sin), 0, float32(cos)}
}

// rounded keeps documents readable: millimetres.
func rounded(v float32) float32 { return float32(math.Round(float64(v)*1000) / 1000) }
