package systems

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/mlange-42/arche/ecs"

	"sojourn/assets"
	"sojourn/ecs/components"
	"sojourn/gpu"
	"sojourn/resources"
	"sojourn/stages"
)

// spritesView extracts decals, and has the sources of particles that show give
// them off. What is withheld gives off nothing.
type spritesView struct {
	world                      *ecs.World
	set                        *resources.Set
	textures                   *gpu.Textures
	documents                  *assets.Residency[assets.Particles]
	decals, sources            ecs.CachedFilter
	decal, particle, transform ecs.ID
}

func newSpritesView(w *ecs.World, s stages.Services) spritesView {
	v := spritesView{
		world: w, set: resources.Must(w), textures: s.Textures,
		documents: assets.Of[assets.Particles](s.Store, assets.KindParticle),
		decal:     ecs.ComponentID[components.Decal](w),
		particle:  ecs.ComponentID[components.ParticleSource](w),
		transform: ecs.ComponentID[components.Transform](w),
	}
	withheld := ecs.ComponentID[components.Withheld](w)
	decals := ecs.All(v.decal, v.transform).Without(withheld, ecs.ComponentID[components.PendingDecal](w))
	sources := ecs.All(v.particle, v.transform).Without(withheld, ecs.ComponentID[components.PendingParticles](w))
	v.decals, v.sources = w.Cache().Register(&decals), w.Cache().Register(&sources)
	return v
}

func (v *spritesView) publish(f *gpu.Frame, view *mgl32.Mat4) {
	v.publishDecals(f, view)
	v.publishParticles(f, view)
}

func (v *spritesView) publishDecals(f *gpu.Frame, view *mgl32.Mat4) {
	q := v.world.Query(&v.decals)
	for q.Next() {
		image := v.image((*components.Decal)(q.Get(v.decal)).Joined)
		m := &(*components.Transform)(q.Get(v.transform)).World
		const reach = 0.7072 // half a diagonal
		if image == 0 || behindOrFar(view, m, [3]float32{}, reach, f.Camera.Far) {
			continue
		}
		f.Sprites = append(f.Sprites, gpu.Sprites{
			Texture: image, First: int32(len(f.Quads)), Count: 1, Serial: q.Entity().ID(), Lit: true,
		})
		f.Quads = append(f.Quads, gpu.Quad{
			Center: [3]float32{m[12], m[13], m[14]},
			Right:  [3]float32{m[0] / 2, m[1] / 2, m[2] / 2},
			Up:     [3]float32{m[4] / 2, m[5] / 2, m[6] / 2},
			Color:  [4]float32{1, 1, 1, 1},
		})
	}
}

func (v *spritesView) publishParticles(f *gpu.Frame, view *mgl32.Mat4) {
	if free := cap(f.Quads) - len(f.Quads); free < v.set.Emission.QuadsMax {
		f.Quads = slices.Grow(f.Quads, v.set.Emission.QuadsMax)
	}
	q := v.world.Query(&v.sources)
	for q.Next() {
		src := (*components.ParticleSource)(q.Get(v.particle))
		m := &(*components.Transform)(q.Get(v.transform)).World
		if src.Quads == 0 || behindOrFar(view, m, [3]float32{}, src.ReachMetres, f.Camera.Far) {
			continue
		}
		first := int32(len(f.Quads))
		e := newEmitter(v.documents.At(src.Document()), m, view, v.set.Emission.Time)
		f.Quads = e.emit(f.Quads)
		if n := int32(len(f.Quads)) - first; n > 0 {
			f.Sprites = append(f.Sprites, gpu.Sprites{
				Texture: v.image(src.Joined), First: first, Count: n, Serial: q.Entity().ID(),
			})
		}
	}
}

func (v *spritesView) image(ref gpu.TextureRef) gpu.TextureID {
	i := v.textures.Index(ref)
	if i == gpu.NoMap {
		return 0
	}
	return v.textures.Table()[i]
}
