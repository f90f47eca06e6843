package art

import "math"

// Stems of the shared models. The shell's parts stand at the origin of their
// cell; a prop's origin is on the floor at its middle, except that the lamp
// hangs from its origin, and the pipes run along z at theirs.
const (
	ShellFloor    = "shell/floor"
	ShellWalls    = "shell/walls" // takes the cell's own wall as its material
	ShellCeiling  = "shell/ceiling"
	ShellSkylight = "shell/skylight" // a ceiling with an opening
	ShellEnd      = "shell/end"      // closes the corridor at z = 0, seen from +z
	PropArch      = "props/arch"
	PropCrate     = "props/crate"
	PropBarrel    = "props/barrel"
	PropPipes     = "props/pipes"
	PropLamp      = "props/lamp"
	PropBench     = "props/bench"
	PropConsole   = "props/console"
)

// Models lists the stems of all models.
func Models() []string {
	var stems []string
	for _, m := range models() {
		stems = append(stems, m.stem)
	}
	return stems
}

type model struct {
	stem  string
	parts func() []part
}

func models() []model {
	return []model{
		{ShellFloor, shellFloor}, {ShellWalls, shellWalls}, {ShellCeiling, shellCeiling},
		{ShellSkylight, shellSkylight}, {ShellEnd, shellEnd},
		{PropArch, arch}, {PropCrate, crateModel}, {PropBarrel, barrelModel}, {PropPipes, pipes},
		{PropLamp, lampModel}, {PropBench, bench}, {PropConsole, consoleModel},
	}
}

func modelSteps() []step {
	var steps []step
	for _, m := range models() {
		steps = append(steps, func(dir string) error { return writeModel(dir, m.stem, m.parts()) })
	}
	return steps
}

const (
	halfWidth = CellWidth / 2
	// perMetre is how often most textures repeat; walls use wallPerMetre.
	perMetre     = 0.5
	wallPerMetre = 0.25
)

func floorFinish() finish {
	return finish{name: "floor", texture: "floor", normal: true, orm: true, metal: 1, rough: 1}
}
func ceilingFinish() finish { return finish{name: "ceiling", texture: "ceiling", rough: 0.95} }
func trimFinish() finish    { return finish{name: "trim", texture: "trim", rough: 0.6, metal: 0.3} }
func metalFinish() finish {
	return finish{name: "metal", texture: "metal", normal: true, orm: true, metal: 1, rough: 1}
}

// cornered darkens what is near the corridor's long edges.
func cornered(p vec) float32 {
	side := halfWidth - max(p[0], -p[0])
	up := min(p[1], CellHeight-p[1])
	return 0.62 + 0.38*ramp(0, 1.3, max(side, up))
}

func shellFloor() []part {
	var m mesh
	m.patch(vec{-halfWidth, 0, 0}, vec{CellWidth}, vec{0, 0, CellLength}, perMetre, cornered)
	return []part{{name: "floor", mesh: m, finish: floorFinish()}}
}

// shellWalls are two meshes, so that they come in one by one.
func shellWalls() []part {
	down := vec{0, -CellHeight}
	var left, right mesh
	left.patch(vec{-halfWidth, CellHeight, CellLength}, vec{0, 0, -CellLength}, down, wallPerMetre, cornered)
	right.patch(vec{halfWidth, CellHeight, 0}, vec{0, 0, CellLength}, down, wallPerMetre, cornered)
	return []part{
		{name: "left", mesh: left, finish: trimFinish()},
		{name: "right", mesh: right, finish: trimFinish()},
	}
}

func shellCeiling() []part {
	var m mesh
	m.patch(vec{-halfWidth, CellHeight, CellLength}, vec{CellWidth}, vec{0, 0, -CellLength}, perMetre, cornered)
	return []part{{name: "ceiling", mesh: m, finish: ceilingFinish()}}
}

// shellSkylight is open from x -1 to 1 and z 2 to 6, under a shaft of 0.6 m.
func shellSkylight() []part {
	const half, from, to, shaft = 1, 2, 6, 0.6
	var m, rim mesh
	strip := func(x0, x1, z0, z1 float32) {
		m.patch(vec{x0, CellHeight, z1}, vec{x1 - x0}, vec{0, 0, z0 - z1}, perMetre, cornered)
	}
	strip(-halfWidth, -half, 0, CellLength)
	strip(half, halfWidth, 0, CellLength)
	strip(-half, half, 0, from)
	strip(-half, half, to, CellLength)
	top, down := float32(CellHeight+shaft), vec{0, -shaft}
	rim.patch(vec{-half, top, to}, vec{0, 0, from - to}, down, perMetre, open)
	rim.patch(vec{half, top, from}, vec{0, 0, to - from}, down, perMetre, open)
	rim.patch(vec{-half, top, from}, vec{2 * half}, down, perMetre, open)
	rim.patch(vec{half, top, to}, vec{-2 * half}, down, perMetre, open)
	return []part{
		{name: "ceiling", mesh: m, finish: ceilingFinish()},
		{name: "shaft", mesh: rim, finish: trimFinish(), child: true},
	}
}

func shellEnd() []part {
	var m mesh
	m.patch(vec{-halfWidth, CellHeight, 0}, vec{CellWidth}, vec{0, -CellHeight}, wallPerMetre, cornered)
	return []part{{name: "end", mesh: m, finish: trimFinish()}}
}

func arch() []part {
	const depth, pillar, lintel = 0.25, 0.45, 0.5
	var posts, beam mesh
	for _, x := range [2]float32{-halfWidth, halfWidth - pillar} {
		posts.box(vec{x, 0, -depth}, vec{x + pillar, CellHeight - lintel, depth}, perMetre)
	}
	beam.box(vec{-halfWidth, CellHeight - lintel, -depth}, vec{halfWidth, CellHeight, depth}, perMetre)
	return []part{
		{name: "posts", mesh: posts, finish: trimFinish()},
		{name: "beam", mesh: beam, finish: metalFinish()},
	}
}

func crateModel() []part {
	var m mesh
	m.box(vec{-0.4, 0, -0.4}, vec{0.4, 0.8, 0.4}, 0)
	return []part{{name: "crate", mesh: m, finish: finish{name: "crate", texture: "crate", normal: true, rough: 0.8}}}
}

func barrelModel() []part {
	var body, lid mesh
	body.lathe(12, ring{0.3, 0}, ring{0.3, 0.31}, ring{0.325, 0.33},
		ring{0.3, 0.36}, ring{0.3, 0.95}, ring{0.28, 0.96})
	lid.lathe(12, ring{0.28, 0.96}, ring{0.27, 0.93}, ring{0, 0.93})
	return []part{
		{name: "body", mesh: body, finish: finish{name: "barrel", texture: "barrel", tint: [3]float64{0.35, 0.5, 0.75}, rough: 0.6, metal: 0.3}},
		{name: "lid", mesh: lid, finish: metalFinish(), child: true},
	}
}

// alongZ turns +Y to +Z.
var alongZ = [4]float64{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2}

func pipes() []part {
	finish := finish{name: "pipe", texture: "pipe", rough: 0.5, metal: 0.5}
	var parts []part
	for i, radius := range [3]float32{0.12, 0.08, 0.05} {
		var m mesh
		profile := []ring{{radius, 0}}
		for at := float32(2); at < CellLength; at += 4 { // flanges
			profile = append(profile, ring{radius, at}, ring{radius * 1.35, at}, ring{radius * 1.35, at + 0.08}, ring{radius, at + 0.08})
		}
		m.lathe(7, append(profile, ring{radius, CellLength})...)
		parts = append(parts, part{
			name: "pipe", mesh: m, finish: finish, turn: alongZ, at: [3]float64{0, -0.28 * float64(i), 0},
		})
	}
	return parts
}

func lampModel() []part {
	var rod, shade, light mesh
	rod.box(vec{-0.02, -0.35, -0.02}, vec{0.02, 0, 0.02}, perMetre)
	shade.box(vec{-0.2, -0.45, -0.75}, vec{0.2, -0.35, 0.75}, perMetre)
	light.box(vec{-0.16, -0.49, -0.7}, vec{0.16, -0.45, 0.7}, 0)
	return []part{
		{name: "rod", mesh: rod, finish: metalFinish()},
		{name: "shade", mesh: shade, finish: metalFinish(), child: true},
		{name: "light", mesh: light, child: true, finish: finish{
			name: "light", texture: "lamp", rough: 1, glow: [3]float64{1, 0.95, 0.85},
		}},
	}
}

func bench() []part {
	var seat, legs mesh
	for i := range 3 {
		x := -0.24 + 0.17*float32(i)
		seat.box(vec{x, 0.44, -0.65}, vec{x + 0.14, 0.5, 0.65}, 1)
	}
	for _, z := range [2]float32{-0.55, 0.47} {
		legs.box(vec{-0.22, 0, z}, vec{0.22, 0.44, z + 0.08}, perMetre)
	}
	return []part{
		{name: "legs", mesh: legs, finish: metalFinish()},
		{name: "seat", mesh: seat, finish: finish{name: "wood", texture: "wood", rough: 0.7}, child: true},
	}
}

// consoleModel faces +x.
func consoleModel() []part {
	body := finish{name: "console", texture: "console", normal: true, orm: true, metal: 1, rough: 1}
	var base, desk, display mesh
	base.box(vec{-0.35, 0, -0.6}, vec{0.15, 0.85, 0.6}, 1)
	desk.box(vec{0, 0, -0.6}, vec{0.5, 0.06, 0.6}, 1)
	display.box(vec{-0.03, 0, -0.5}, vec{0.03, 0.55, 0.5}, 0)
	tilt := func(degrees float64) [4]float64 {
		sin, cos := math.Sincos(degrees * math.Pi / 360)
		return [4]float64{0, 0, sin, cos}
	}
	return []part{
		{name: "base", mesh: base, finish: body},
		{name: "desk", mesh: desk, finish: body, at: [3]float64{-0.05, 0.92, 0}, turn: tilt(-12), child: true},
		{name: "display", mesh: display, at: [3]float64{-0.2, 0.95, 0}, turn: tilt(8), child: true, finish: finish{
			name: "screen", texture: "screen", rough: 0.3, glow: [3]float64{0.9, 0.9, 0.9},
		}},
	}
}
