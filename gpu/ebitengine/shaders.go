//go:build !headless

package ebitengine

import (
	"fmt"
	"strings"

	"github.com/hajimehoshi/ebiten/v2"
)

// variantClear paints the plain background under everything.
const variantClear = variantCount

// variantGrade draws a finished frame through a look-up table.
const variantGrade = variantCount + 1

const shaderCount = variantCount + 2

// Every shader gets, for each pixel: custom = u/w, v/w, 1/w and one more;
// color = light times tint, or tint, over w. Lens maps a pixel to the view
// plane at distance 1; Fog is a colour, FogLine how fog grows with distance.
const shaderHead = `//kage:unit pixels
package main

var Lens vec4
var Fog vec3
var FogLine vec2

func plane(dst vec4) vec2 {
	return (dst.xy - imageDstOrigin() - Lens.xy) * Lens.zw
}

func finish(linear vec3, p vec2, w float) vec3 {
	fog := clamp(w*sqrt(1+dot(p, p))*FogLine.x+FogLine.y, 0, 1)
	return sqrt(mix(linear, Fog, fog))
}
`

// Sampling of one source image, N. The level is found from how fast the
// coordinates change; see layout for where it lies. The factor a little over 1
// keeps sizes whole where powers of two come out short.
const samplerSource = `
func levelsN(uv, dx, dy vec2) (part float, origin, size, coarseOrigin, coarseSize vec2) {
	l := LAYOUTS[N0]
	place := LAYOUTS[N1]
	t := max(abs(dx), abs(dy)) * l.xy
	level := clamp(log2(max(max(t.x, t.y), 1e-6)), 0, l.z)
	fine := floor(level)
	s := exp2(-fine)
	return level - fine,
		floor(place.xy+place.zw*(1-2*s)+0.5) * step(0.5, fine), max(floor(l.xy*s*1.00002), vec2(1)),
		floor(place.xy+place.zw*(1-s)+0.5), max(floor(l.xy*s*0.500010), vec2(1))
}

func nearestN(origin, size, uv vec2) vec4 {
	return imageSrcNUnsafeAt(origin + floor(uv*size) + 0.5)
}

func bilinearN(origin, size, uv vec2) vec4 {
	p := uv*size - 0.5
	low := floor(p)
	part := p - low
	low += step(low, vec2(-0.5)) * size
	high := low + 1
	high -= step(size, high) * size
	low += origin + 0.5
	high += origin + 0.5
	top := mix(imageSrcNUnsafeAt(low), imageSrcNUnsafeAt(vec2(high.x, low.y)), part.x)
	bottom := mix(imageSrcNUnsafeAt(vec2(low.x, high.y)), imageSrcNUnsafeAt(high), part.x)
	return mix(top, bottom, part.y)
}

func sampleN(uv, dx, dy vec2) vec4 {
	part, origin, size, coarseOrigin, coarseSize := levelsN(uv, dx, dy)
	f := fract(uv)
	return mix(bilinearN(origin, size, f), bilinearN(coarseOrigin, coarseSize, f), part)
}

func quickN(uv, dx, dy vec2) vec4 {
	part, origin, size, coarseOrigin, coarseSize := levelsN(uv, dx, dy)
	f := fract(uv)
	return mix(bilinearN(origin, size, f), nearestN(coarseOrigin, coarseSize, f), part)
}

func smallN(uv, dx, dy vec2) vec4 {
	part, origin, size, coarseOrigin, coarseSize := levelsN(uv, dx, dy)
	f := fract(uv)
	return mix(nearestN(origin, size, f), nearestN(coarseOrigin, coarseSize, f), part)
}
`

const baseSource = `
func Fragment(dst vec4, src vec2, color, custom vec4) vec4 {
	w := 1 / custom.z
	uv := custom.xy * w
	t := SAMPLE(uv, dfdx(uv), dfdy(uv)).rgb
	lit := t*t*color.rgb*w + vec3(custom.w, src)
	return vec4(finish(lit, plane(dst), w), 1)
}
`

const cutUniform = `
var Cut vec2
`

const skyUniforms = `
var Right vec3
var Up vec3
var Ahead vec3
var SkyLevel vec4
`

const fullUniforms = `
var Surface vec4
var Glow vec3
var Unlit float
var Ambient vec3
var Sun vec3
var SunColor vec3
var Right vec3
var Up vec3
var Ahead vec3
`

// Ebitengine handles each uniform that a shader declares at each draw call, so
// that a shader declares what it reads and nothing else.
var fragments = [shaderCount]string{
	variantFlat: cutUniform + `
func Fragment(dst vec4, src vec2, color, custom vec4) vec4 {
	w := 1 / custom.z
	alpha := mix(1, clamp(color.a*w, 0, 1), Cut.y)
	lit := color.rgb*w + vec3(custom.w, src)
	return vec4(finish(lit, plane(dst), w)*alpha, alpha)
}
`,
	variantBase:  strings.Replace(baseSource, "SAMPLE", "sample0", 1),
	variantQuick: strings.Replace(baseSource, "SAMPLE", "quick0", 1),
	variantSmall: strings.Replace(baseSource, "SAMPLE", "small0", 1),
	variantAlpha: cutUniform + `
func Fragment(dst vec4, src vec2, color, custom vec4) vec4 {
	w := 1 / custom.z
	uv := custom.xy * w
	t := sample0(uv, dfdx(uv), dfdy(uv))
	alpha := clamp(t.a*color.a*w, 0, 1)
	if alpha < Cut.x {
		discard()
	}
	straight := t.rgb / max(t.a, 0.004)
	lit := straight*straight*color.rgb*w + vec3(custom.w, src)
	alpha = mix(1, alpha, Cut.y)
	return vec4(finish(lit, plane(dst), w)*alpha, alpha)
}
`,
	variantFull: cutUniform + fullUniforms + `
func Fragment(dst vec4, src vec2, color, custom vec4) vec4 {
	w := 1 / custom.z
	uv := custom.xy * w
	ux := dfdx(uv)
	uy := dfdy(uv)
	p := plane(dst)
	place := (Ahead + Right*p.x - Up*p.y) * w
	px := dfdx(place)
	py := dfdy(place)

	t := sample0(uv, ux, uy)
	alpha := clamp(t.a*color.a*w, 0, 1)
	if alpha < Cut.x {
		discard()
	}
	straight := t.rgb / max(t.a, 0.004)
	albedo := straight * straight * color.rgb * w
	glow := sample3(uv, ux, uy).rgb
	lit := albedo
	if Unlit < 0.5 {
		bump := sample1(uv, ux, uy).xyz*2 - 1
		orm := sample2(uv, ux, uy).xyz
		smooth := normalize(vec3(custom.w, src))
		// The axes along which u and v grow, from how they change on screen.
		flip := sign(dot(cross(px, py), smooth))
		a := cross(py, smooth)
		b := cross(smooth, px)
		tangent := (a*ux.x + b*uy.x) * flip
		bitangent := (a*ux.y + b*uy.y) * flip
		scale := inversesqrt(max(max(dot(tangent, tangent), dot(bitangent, bitangent)), 1e-20)) * Surface.z
		normal := normalize(tangent*(bump.x*scale) - bitangent*(bump.y*scale) + smooth*max(bump.z, 0.05))

		rough := clamp(orm.y*Surface.x, 0.08, 1)
		metal := clamp(orm.z*Surface.y, 0, 1)
		open := mix(1, orm.x, Surface.w)
		eye := -normalize(place)
		mid := normalize(Sun + eye)
		facing := max(dot(normal, Sun), 0)
		power := 2/(rough*rough*rough*rough) + 0.01
		mirror := mix(vec3(0.04), albedo, metal)
		spark := exp2(log2(max(dot(normal, mid), 1e-4))*power) * (power + 8) / 25 * facing
		ambient := Ambient * open
		lit = albedo*(1-metal)*(ambient+SunColor*facing) + mirror*(ambient*(1-0.6*rough)+SunColor*min(spark, 4))
	}
	lit += Glow * glow * glow
	alpha = mix(1, alpha, Cut.y)
	return vec4(finish(lit, p, w)*alpha, alpha)
}
`,
	variantSky: skyUniforms + `
func Fragment(dst vec4, src vec2, color, custom vec4) vec4 {
	p := plane(dst)
	d := Ahead + Right*p.x - Up*p.y
	uv := vec2(0.5+atan2(d.x, -d.z)*0.15915494, acos(clamp(d.y*inversesqrt(dot(d, d)), -1, 1))*0.31830989)
	half := 0.5 / SkyLevel.w
	uv.y = clamp(uv.y, half, 1-half)
	// Fog that hides what is far hides the sky down to the horizon, and thins
	// out above it.
	rise := d.y * inversesqrt(dot(d, d))
	haze := clamp(1.2-5*rise, 0, 1) * step(0.0005, FogLine.x)
	return vec4(mix(bilinear0(SkyLevel.xy, SkyLevel.zw, fract(uv)).rgb, sqrt(Fog), haze), 1)
}
`,
	variantClear: `
func Fragment(dst vec4, src vec2, color, custom vec4) vec4 {
	return color
}
`,
	// Image 0 is the frame, image 1 has the table at Grade.xy, of edge Grade.z.
	variantGrade: `
var Grade vec4

func texel(at vec2, square float) vec3 {
	return imageSrc1UnsafeAt(Grade.xy + vec2(square*Grade.z, 0) + at + 0.5).rgb
}

func square(at vec2, number float) vec3 {
	low := floor(at)
	part := at - low
	high := min(low+1, vec2(Grade.z-1))
	top := mix(texel(low, number), texel(vec2(high.x, low.y), number), part.x)
	bottom := mix(texel(vec2(low.x, high.y), number), texel(high, number), part.x)
	return mix(top, bottom, part.y)
}

func Fragment(dst vec4, src vec2, color, custom vec4) vec4 {
	c := clamp(imageSrc0UnsafeAt(src), 0, 1)
	at := c.rgb * (Grade.z - 1)
	low := floor(at.b)
	return vec4(mix(square(at.rg, low), square(at.rg, min(low+1, Grade.z-1)), at.b-low), c.a)
}
`,
}

// imagesOf is how many source images each shader reads.
var imagesOf = [shaderCount]int{variantBase: 1, variantQuick: 1, variantSmall: 1, variantAlpha: 1, variantFull: imagesPerDraw, variantSky: 1}

// numbered is a source for one image: every name that ends in N gets its number.
func numbered(source string, image int) string {
	n := fmt.Sprint(image)
	return strings.NewReplacer("levelsN", "levels"+n, "nearestN", "nearest"+n, "bilinearN", "bilinear"+n,
		"sampleN", "sample"+n, "quickN", "quick"+n, "smallN", "small"+n, "imageSrcN", "imageSrc"+n, "[N0]", fmt.Sprintf("[%d]", 2*image), "[N1]", fmt.Sprintf("[%d]", 2*image+1)).Replace(source)
}

// layoutUniforms declares where the levels of a shader's images lie.
func layoutUniforms(images int) string {
	switch {
	case images == 0:
		return ""
	case images == 1:
		return "\nvar Layout [2]vec4\n"
	}
	return fmt.Sprintf("\nvar Layouts [%d]vec4\n", 2*imagesPerDraw)
}

func compileShaders() (out [shaderCount]*ebiten.Shader) {
	for v, fragment := range fragments {
		source := shaderHead + layoutUniforms(imagesOf[v])
		for n := range imagesOf[v] {
			source += numbered(samplerSource, n)
		}
		if imagesOf[v] == 1 {
			source = strings.ReplaceAll(source, "LAYOUTS", "Layout")
		}
		source = strings.ReplaceAll(source, "LAYOUTS", "Layouts")
		s, err := ebiten.NewShader([]byte(source + fragment))
		if err != nil {
			panic(fmt.Sprintf("ebitengine: shader %d does not compile: %v", v, err))
		}
		out[v] = s
	}
	return out
}
