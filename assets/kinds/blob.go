package kinds

import "sojourn/assets"

func blob(kind assets.Kind, bytesMax int64, suffixes ...string) assets.KindSpec {
	return assets.NewKindSpec(assets.KindOptions[assets.Blob]{
		Kind: kind, Name: kind.String(), Suffixes: suffixes,
		Decode: func(l *assets.Load, out *assets.Blob) (err error) {
			out.Data, err = whole(l, bytesMax)
			return err
		},
		Free: func(b *assets.Blob) { b.Data.Free() },
		Size: func(b *assets.Blob) assets.Footprint { return bytesFootprint(&b.Data) },
	})
}
