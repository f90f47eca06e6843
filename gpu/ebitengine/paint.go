//go:build !headless

package ebitengine

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"

	"sojourn/gpu"
)

// painter hands draw calls to Ebitengine. Uniforms keep their place: the map
// holds slices into it, so that a frame allocates none.
type painter struct {
	uniforms map[string]any
	options  ebiten.DrawTrianglesShaderOptions
	scaling  ebiten.DrawImageOptions
	corners  [4]ebiten.Vertex // of a whole frame

	lens, surface, skyLevel, grade    [4]float32
	fog, glow, ambient, sun, sunColor [3]float32
	right, up, ahead                  [3]float32
	fogLine, cut                      [2]float32
	unlit                             [1]float32
	layouts                           [8 * imagesPerDraw]float32
}

// bind makes the uniforms point at the painter's fields.
func (p *painter) bind() {
	p.uniforms = map[string]any{
		"Lens": p.lens[:], "Fog": p.fog[:], "FogLine": p.fogLine[:], "Layout": p.layouts[:8], "Layouts": p.layouts[:], "Cut": p.cut[:],
		"Surface": p.surface[:], "Glow": p.glow[:], "Unlit": p.unlit[:], "Ambient": p.ambient[:], "Sun": p.sun[:],
		"SunColor": p.sunColor[:], "Right": p.right[:], "Up": p.up[:], "Ahead": p.ahead[:], "SkyLevel": p.skyLevel[:],
		"Grade": p.grade[:],
	}
	p.options.Uniforms = p.uniforms
}

// aim sets what is the same for a whole frame.
func (p *painter) aim(l *lens, c *gpu.Camera) {
	p.lens = [4]float32{l.width / 2, l.height / 2, 2 * l.tanX / l.width, 2 * l.tanY / l.height}
	p.fog, p.fogLine = c.FogColor, [2]float32{}
	if span := c.FogEnd - c.FogStart; span > 0 {
		p.fogLine = [2]float32{1 / span, -c.FogStart / span}
	}
	p.ambient, p.sun, p.sunColor = c.Ambient, c.SunDir, c.SunColor
	p.right, p.up, p.ahead = l.right.array(), l.up.array(), l.ahead.array()
}

// paint draws what the builder made: background first, then the batches in order.
func (d *Device) paint(frame *gpu.Frame) {
	p, b := &d.painter, &d.builder
	p.aim(&b.lens, &frame.Camera)
	d.paintBackground(frame)
	for i := range b.batches {
		l := &b.looks.all[b.batches[i].look]
		d.dress(frame, l)
		d.submit(l.variant, &b.batches[i])
	}
}

func (d *Device) paintBackground(frame *gpu.Frame) {
	p, b := &d.painter, &d.builder
	p.options.Blend = ebiten.BlendCopy
	p.options.Images = [imagesPerDraw]*ebiten.Image{}
	d.submit(variantClear, &b.background)
	t := d.textures.At(frame.Skybox)
	if t == nil {
		return
	}
	p.options.Images[0] = (*t).image
	// Texels of a whole turn against pixels of one say which level fits.
	turn := 2 * math.Pi / float64(2*b.lens.tanX) * float64(b.lens.width)
	level := int(math.Floor(math.Log2(float64((*t).desc.Width) / turn)))
	r := (*t).layout.level(min(max(level, 0), (*t).desc.Levels-1))
	p.skyLevel = [4]float32{float32(r.Min.X), float32(r.Min.Y), float32(r.Dx()), float32(r.Dy())}
	d.submit(variantSky, &b.sky)
}

// dress sets images and uniforms for a look.
func (d *Device) dress(frame *gpu.Frame, l *look) {
	p := &d.painter
	p.options.Images = [imagesPerDraw]*ebiten.Image{}
	for n := range imagesOf[l.variant] {
		t := d.standIns[n]
		if at := d.textures.At(l.textures[n]); at != nil {
			t = *at
		}
		p.options.Images[n] = t.image
		u := t.layout.uniform()
		copy(p.layouts[8*n:], u[:])
	}
	p.cut = [2]float32{l.cutoff, 0}
	p.options.Blend = ebiten.BlendCopy
	if l.blend {
		p.cut[1] = 1
		p.options.Blend = ebiten.BlendSourceOver
	}
	if l.variant == variantFull {
		row := &frame.Materials[l.material]
		p.surface = row.Roughness
		p.glow = [3]float32{row.Emissive[0], row.Emissive[1], row.Emissive[2]}
		p.unlit[0] = row.Factors[3]
	}
}

func (d *Device) submit(v variant, b *batch) {
	if b.indexEnd == b.indices {
		return
	}
	d.frame.DrawTrianglesShader32(
		d.builder.vertices[b.vertices:b.vertexEnd], d.builder.indices[b.indices:b.indexEnd],
		d.shaders[v], &d.painter.options)
}

// enlarge scales a frame to its target.
func (p *painter) enlarge(target, frame *ebiten.Image) {
	outer, inner := target.Bounds(), frame.Bounds()
	p.scaling.GeoM.Reset()
	p.scaling.GeoM.Scale(float64(outer.Dx())/float64(inner.Dx()), float64(outer.Dy())/float64(inner.Dy()))
	p.scaling.GeoM.Translate(float64(outer.Min.X), float64(outer.Min.Y))
	p.scaling.Filter = ebiten.FilterLinear
	p.scaling.Blend = ebiten.BlendCopy
	target.DrawImage(frame, &p.scaling)
}

// warm draws a triangle with every shader and blend where nobody sees it: the
// driver makes its programs at their first use, and that is no time to wait.
func (d *Device) warm() {
	p := &d.painter
	p.bind()
	corner := func(x, y float32) ebiten.Vertex { return ebiten.Vertex{DstX: x, DstY: y, Custom2: 1} }
	vertices, indices := []ebiten.Vertex{corner(0, 0), corner(2, 0), corner(0, 2)}, []uint32{0, 1, 2}
	for v, s := range d.shaders {
		p.options.Images = [imagesPerDraw]*ebiten.Image{}
		for n := range imagesOf[v] {
			p.options.Images[n] = d.standIns[n].image
		}
		for _, blend := range []ebiten.Blend{ebiten.BlendCopy, ebiten.BlendSourceOver} {
			p.options.Blend = blend
			d.touchTarget.DrawTrianglesShader32(vertices, indices, s, &p.options)
		}
	}
}
