package gpu

import (
	"fmt"

	"sojourn/assets"
)

// checkDirectory tells whether the levels are a chain, each half as large as
// the one before, with the bytes that takes, smallest first without gaps.
func checkDirectory(p *assets.Texture) error {
	if p.Levels < 1 || p.Levels > assets.MipsMax {
		return fmt.Errorf("%w: %d levels", assets.ErrCorrupt, p.Levels)
	}
	d := TextureDesc{Width: int(p.Width), Height: int(p.Height), Levels: int(p.Levels)}
	if err := d.Validate(); err != nil {
		return fmt.Errorf("%w: %w", assets.ErrCorrupt, err)
	}
	for level := range p.Levels {
		w, h := d.LevelSize(int(level))
		span := p.Mips[level]
		if int(span.Width) != w || int(span.Height) != h || span.SizeBytes != int64(w)*int64(h)*4 {
			return fmt.Errorf("%w: level %d of a %dx%d texture says %dx%d texels in %d bytes",
				assets.ErrCorrupt, level, p.Width, p.Height, span.Width, span.Height, span.SizeBytes)
		}
		if level > 0 && p.Mips[level-1].OffsetBytes < span.OffsetBytes+span.SizeBytes {
			return fmt.Errorf("%w: level %d begins before level %d ends", assets.ErrCorrupt, level-1, level)
		}
	}
	if p.TailLevel < 0 || p.TailLevel > p.TailStart() {
		return fmt.Errorf("%w: the tail begins at level %d of %d", assets.ErrCorrupt, p.TailLevel, p.Levels)
	}
	if _, n := p.SuffixSpan(p.TailLevel); int64(p.Tail.Len()) != n {
		return fmt.Errorf("%w: a tail of %d bytes instead of %d", assets.ErrCorrupt, p.Tail.Len(), n)
	}
	return nil
}
