package systems

import (
	"github.com/go-gl/mathgl/mgl32"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"sojourn/ecs/components"
	"sojourn/gpu"
	"sojourn/resources"
	"sojourn/stages"
)

// Publisher extracts what one world shows: bound primitives of presented
// layers and loose ones, in front of a camera, what is around them, and the
// squares of decals and particles among them. Game goroutine.
type Publisher struct {
	world    *ecs.World
	set      *resources.Set
	geometry *gpu.Geometry
	textures *gpu.Textures

	shown      ecs.CachedFilter
	around     surroundingsView
	sprites    spritesView
	drawable   ecs.CachedFilter
	attached   ecs.CachedFilter
	transforms generic.Map[components.Transform]
	transform  ecs.ID
	primitive  ecs.ID
	joint      ecs.ID

	frame gpu.Frame
}

// NewPublisher makes the publisher of an installed world.
func NewPublisher(w *ecs.World, s stages.Services) *Publisher {
	p := &Publisher{
		world: w, set: resources.Must(w), geometry: s.Geometry, textures: s.Textures,
		transforms: generic.NewMap[components.Transform](w),
		transform:  ecs.ComponentID[components.Transform](w),
		primitive:  ecs.ComponentID[components.Primitive](w),
		joint:      ecs.ComponentID[components.Attached](w),
	}
	withheld := ecs.ComponentID[components.Withheld](w)
	shown := ecs.All(p.transform, p.primitive).Without(withheld,
		ecs.ComponentID[components.PendingMesh](w), ecs.ComponentID[components.FailedMesh](w))
	p.shown = w.Cache().Register(&shown)
	p.around = newSurroundingsView(w, s.Textures)
	p.sprites = newSpritesView(w, s)
	attached := ecs.All(p.transform, p.joint)
	p.attached = w.Cache().Register(&attached)
	drawable := ecs.All(p.transform, p.primitive)
	p.drawable = w.Cache().Register(drawable)
	p.set.Room.Add(p.grower())
	return p
}

// grower makes room for the draw list: whatever can be seen may be, at once.
func (p *Publisher) grower() resources.Grower {
	return resources.Grower{
		Kind: resources.RoomPrimitives, Room: func() int { return cap(p.frame.Items) },
		Used: func() int {
			q := p.world.Query(&p.drawable)
			defer q.Close()
			return q.Count()
		},
		Grow: func(places int) { p.frame.Items = resources.WithRoom(p.frame.Items, places) },
	}
}

// Publish fills the world's frame as seen by a camera. The frame is the
// publisher's and valid until the next call.
func (p *Publisher) Publish(camera gpu.Camera) *gpu.Frame {
	p.follow()
	p.frame.Camera = camera
	p.frame.Items, p.frame.Sprites, p.frame.Quads = p.frame.Items[:0], p.frame.Sprites[:0], p.frame.Quads[:0]
	p.frame.Materials, p.frame.Textures = p.set.Rows.Rows(), p.textures.Table()
	p.frame.Skybox, p.frame.Probe, p.frame.LookUp = 0, 0, 0
	if p.set.Reveal.Pending {
		return &p.frame // nothing of the world shows before its destination is ready
	}
	view := mgl32.Mat4(camera.View)
	q := p.world.Query(&p.shown)
	for q.Next() {
		prim := (*components.Primitive)(q.Get(p.primitive))
		id := p.geometry.ID(prim.Geometry)
		if id == 0 {
			continue
		}
		world := &(*components.Transform)(q.Get(p.transform)).World
		bounds := p.geometry.Bounds(prim.Geometry)
		if behindOrFar(&view, world, bounds.Center, bounds.Radius, camera.Far) {
			continue
		}
		p.frame.Items = append(p.frame.Items, gpu.Item{
			Geometry: id, Material: prim.Row, Model: *world, Serial: q.Entity().ID(),
		})
	}
	p.around.publish(&p.frame)
	p.sprites.publish(&p.frame, &view)
	return &p.frame
}

// Last is the frame published last.
func (p *Publisher) Last() *gpu.Frame { return &p.frame }

// follow moves attached parts with their roots.
func (p *Publisher) follow() {
	q := p.world.Query(&p.attached)
	for q.Next() {
		a := (*components.Attached)(q.Get(p.joint))
		if !p.world.Alive(a.Root) {
			continue
		}
		root := p.transforms.Get(a.Root).World
		(*components.Transform)(q.Get(p.transform)).World = gpu.Mat4(mgl32.Mat4(root).Mul4(mgl32.Mat4(a.Local)))
	}
}

// behindOrFar tells whether a bounding sphere lies wholly behind the camera or
// past its far plane.
func behindOrFar(view *mgl32.Mat4, world *gpu.Mat4, center [3]float32, radius, far float32) bool {
	m := mgl32.Mat4(*world)
	c := m.Mul4x1(mgl32.Vec4{center[0], center[1], center[2], 1})
	scale := max(m.Col(0).Vec3().LenSqr(), m.Col(1).Vec3().LenSqr(), m.Col(2).Vec3().LenSqr())
	r := radius * sqrt32(scale)
	z := -(view[2]*c[0] + view[6]*c[1] + view[10]*c[2] + view[14])
	return z < -r || z > far+r
}
