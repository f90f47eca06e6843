package kinds

import (
	"fmt"

	"sojourn/assets"
)

// bytesFootprint charges bytes to where they lie.
func bytesFootprint(b *assets.Bytes) assets.Footprint {
	if b.Mapped() {
		return assets.Footprint{MappedBytes: int64(b.Len())}
	}
	return assets.Footprint{OwnedBytes: int64(b.Len())}
}

func checkSize(l *assets.Load, bytesMax int64) error {
	if n := l.SizeBytes(); n > bytesMax {
		return fmt.Errorf("%w: %d bytes, at most %d", assets.ErrTooLarge, n, bytesMax)
	}
	return nil
}

// whole gives an entry without copying where the source can map it. An empty
// entry needs neither mapping nor block.
func whole(l *assets.Load, bytesMax int64) (assets.Bytes, error) {
	if err := checkSize(l, bytesMax); err != nil {
		return assets.Bytes{}, err
	}
	if l.SizeBytes() == 0 {
		return assets.Bytes{}, nil
	}
	return l.MapOrRead(0, l.SizeBytes())
}
