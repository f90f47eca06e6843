package picture

import (
	"image"
	"image/color"
	"image/draw"
)

// straight copies any decoded image to tight, straight-alpha RGBA.
func straight(src image.Image) *image.NRGBA {
	b := src.Bounds()
	switch s := src.(type) {
	case *image.NRGBA:
		if s.Stride == 4*b.Dx() && b.Min == (image.Point{}) {
			return s
		}
	case *image.NRGBA64:
		return reduce(s.Pix, s.Stride, b, 4)
	case *image.RGBA64: // opaque: that is how PNG's 16-bit true colour comes
		if s.Opaque() {
			return reduce(s.Pix, s.Stride, b, 4)
		}
	case *image.Gray16:
		return reduce(s.Pix, s.Stride, b, 1)
	case *image.Paletted:
		return lookUp(s)
	case *image.NYCbCrA:
		m := videoRange(&s.YCbCr)
		for y := range b.Dy() {
			row := m.Pix[y*m.Stride:]
			for x, a := range s.A[s.AOffset(b.Min.X, b.Min.Y+y):][:b.Dx()] {
				row[4*x+3] = a
			}
		}
		return m
	case interface{ Opaque() bool }:
		if s.Opaque() {
			return opaque(src)
		}
	}
	m := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			m.Set(x, y, src.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return m
}

// opaque uses the library's fast converters, which exist for RGBA only; for an
// opaque image straight and multiplied colour are the same.
func opaque(src image.Image) *image.NRGBA {
	b := src.Bounds()
	m := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(m, m.Bounds(), src, b.Min, draw.Src)
	return &image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
}

// reduce rounds 16-bit channels, big-endian, to 8 bits. One channel is grey.
func reduce(pix []byte, stride int, b image.Rectangle, channels int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		from, to := pix[y*stride:][:b.Dx()*channels*2], m.Pix[y*m.Stride:][:b.Dx()*4]
		if channels == 1 {
			for x := range b.Dx() {
				v := narrow(from[2*x], from[2*x+1])
				to[4*x], to[4*x+1], to[4*x+2], to[4*x+3] = v, v, v, 0xff
			}
			continue
		}
		for i := range to {
			to[i] = narrow(from[2*i], from[2*i+1])
		}
	}
	return m
}

func narrow(high, low byte) byte {
	return byte((uint32(high)<<8 | uint32(low) + 128) / 257)
}

func lookUp(s *image.Paletted) *image.NRGBA {
	var palette [256]color.NRGBA
	for i, c := range s.Palette {
		palette[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
	}
	b := s.Bounds()
	m := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		to := m.Pix[y*m.Stride:]
		for x, index := range s.Pix[y*s.Stride:][:b.Dx()] {
			c := palette[index]
			to[4*x], to[4*x+1], to[4*x+2], to[4*x+3] = c.R, c.G, c.B, c.A
		}
	}
	return m
}

// videoRange converts WebP's luma and chroma, which run over 16..235 and
// 16..240; the library's own conversion takes them for JPEG's full range and
// comes out grey.
func videoRange(s *image.YCbCr) *image.NRGBA {
	// ITU-R BT.601 in 1/65536.
	const (
		luma, redV            = 76309, 104597
		greenU, greenV, blueU = 25675, 53279, 132201
		half                  = 1 << 15
	)
	b := s.Bounds()
	m := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		to := m.Pix[y*m.Stride:]
		for x := range b.Dx() {
			c := s.COffset(b.Min.X+x, b.Min.Y+y)
			l := luma*(int32(s.Y[s.YOffset(b.Min.X+x, b.Min.Y+y)])-16) + half
			u, v := int32(s.Cb[c])-128, int32(s.Cr[c])-128
			to[4*x] = clip((l + redV*v) >> 16)
			to[4*x+1] = clip((l - greenU*u - greenV*v) >> 16)
			to[4*x+2] = clip((l + blueU*u) >> 16)
			to[4*x+3] = 0xff
		}
	}
	return m
}

func clip(v int32) byte { return byte(min(max(v, 0), 255)) }
