package sojourn

import (
	"github.com/go-gl/mathgl/mgl32"
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/gpu"
)

// Spawn puts a model into a world by its stem. It returns at once; the parts
// show as they become resident. Removing the entity removes them and lets go
// of what they held. The error wraps assets.ErrBadStem or [ErrClosed].
func Spawn(w *World, model string, at gpu.Mat4) (ecs.Entity, error) {
	if w.closed {
		return ecs.Entity{}, ErrClosed
	}
	return w.spawner.Model(model, at)
}

// SpawnInto puts a model into a layer of a world: it goes with the layer, and is
// there again, where it was last, when the layer's document is loaded again.
// The error wraps scene.ErrNoLayer, assets.ErrBadStem or [ErrClosed].
func SpawnInto(w *World, layer ecs.Entity, model string, at gpu.Mat4) (ecs.Entity, error) {
	if w.closed {
		return ecs.Entity{}, ErrClosed
	}
	return w.layers.SpawnInto(w.spawner, layer, model, at)
}

// SpawnSound puts a looping sound source into a world by its stem.
func SpawnSound(w *World, sound string, at gpu.Mat4, gain, radiusMetres float32) (ecs.Entity, error) {
	if w.closed {
		return ecs.Entity{}, ErrClosed
	}
	return w.spawner.Sound(sound, at, gain, radiusMetres, true)
}

// SpawnSkybox puts a picture behind a world by its texture's stem.
func SpawnSkybox(w *World, texture string) (ecs.Entity, error) {
	if w.closed {
		return ecs.Entity{}, ErrClosed
	}
	return w.spawner.Skybox(texture)
}

// SpawnProbe gives the light within a radius around a place the colour of a
// picture, by its texture's stem.
func SpawnProbe(w *World, texture string, at gpu.Mat4, radiusMetres float32) (ecs.Entity, error) {
	if w.closed {
		return ecs.Entity{}, ErrClosed
	}
	return w.spawner.Probe(texture, at, radiusMetres)
}

// SpawnLookUp grades a world's picture by a table: see gpu.Frame for its shape.
func SpawnLookUp(w *World, texture string) (ecs.Entity, error) {
	if w.closed {
		return ecs.Entity{}, ErrClosed
	}
	return w.spawner.LookUp(texture)
}

// SpawnDecal puts a picture into a world, by its texture's stem, on a square of
// edge one in X and Y of a place.
func SpawnDecal(w *World, texture string, at gpu.Mat4) (ecs.Entity, error) {
	if w.closed {
		return ecs.Entity{}, ErrClosed
	}
	return w.spawner.Decal(texture, at)
}

// SpawnParticles puts a source of particles into a world by its document's
// stem. They move by the time that the session is ticked with.
func SpawnParticles(w *World, document string, at gpu.Mat4) (ecs.Entity, error) {
	if w.closed {
		return ecs.Entity{}, ErrClosed
	}
	return w.spawner.Particles(document, at)
}

// SpawnZone puts a zone into a world: a box of edge one that a place moves,
// turns and scales. What it names is loaded once a streaming source is in it,
// and let go of when its grace is over.
func SpawnZone(w *World, z assets.SceneZone, at gpu.Mat4) (ecs.Entity, error) {
	if w.closed {
		return ecs.Entity{}, ErrClosed
	}
	return w.spawner.Zone(&z, at)
}

// At is a place, in metres: X right, Y up, -Z ahead.
func At(x, y, z float32) gpu.Mat4 { return gpu.Mat4(mgl32.Translate3D(x, y, z)) }

// Turned is a place with a turn about the upward axis, in radians.
func Turned(x, y, z, yawRad float32) gpu.Mat4 {
	return gpu.Mat4(mgl32.Translate3D(x, y, z).Mul4(mgl32.HomogRotate3DY(yawRad)))
}

// Look makes a camera's view: from eye towards target, Y up.
func Look(c *gpu.Camera, eye, target [3]float32) {
	c.Pos = eye
	c.View = gpu.Mat4(mgl32.LookAtV(eye, target, mgl32.Vec3{0, 1, 0}))
}

// DefaultCamera stands at the origin and looks down -Z in plain light.
func DefaultCamera() gpu.Camera {
	c := gpu.Camera{
		FovYRad: mgl32.DegToRad(65), Near: 0.1, Far: 200,
		FogStart: 1e6, FogEnd: 2e6,
		Ambient: [3]float32{0.45, 0.45, 0.5}, SunDir: mgl32.Vec3{0.3, 0.8, 0.5}.Normalize(),
		SunColor: [3]float32{0.7, 0.68, 0.62}, ClearColor: [3]float32{0.05, 0.06, 0.08},
	}
	Look(&c, [3]float32{}, [3]float32{0, 0, -1})
	return c
}
