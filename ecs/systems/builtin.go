package systems

import (
	"sojourn/ecs/systems/scene"
	"sojourn/stages"
)

// BuiltinID numbers the engine's own stages.
type BuiltinID int

// The built-in stages, in table order. The order carries no dependency.
const (
	StageCells BuiltinID = iota
	StageLayers
	StageReveal
	StageModels
	StageMaterials
	StagePrimitives
	StageSkybox
	StageDecals
	StageParticles
	StageZones
	StageSounds
	StageRetirement

	NumBuiltin
)

// builtinNames are the names the rows must carry, in order.
var builtinNames = [...]string{
	"cells", "layers", "reveal", "models", "materials", "primitives", "skybox",
	"decals", "particles", "zones", "sounds", "retirement",
}

// Builtin is the engine's own rows. The literal counts itself: a forgotten row
// does not compile.
func Builtin() [NumBuiltin]stages.Row {
	return [...]stages.Row{
		CellsRow(),
		scene.LoadsRow(),
		scene.RevealRow(),
		ModelsRow(),
		MaterialsRow(),
		PrimitivesRow(),
		SkyboxRow(),
		DecalsRow(),
		ParticlesRow(),
		ZonesRow(),
		SoundsRow(),
		scene.RetireRow(),
	}
}
