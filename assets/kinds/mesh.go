package kinds

import (
	"sojourn/assets"
	"sojourn/assets/meshfile"
)

func mesh() assets.KindSpec {
	return assets.NewKindSpec(assets.KindOptions[assets.Mesh]{
		Kind: assets.KindMesh, Name: assets.KindMesh.String(), Suffixes: []string{".mesh"},
		Decode: func(l *assets.Load, out *assets.Mesh) error {
			data, err := whole(l, meshfile.FileBytesMax)
			if err != nil {
				return err
			}
			if *out, err = meshfile.DecodeChunks(data, l.Yield); err != nil {
				data.Free()
			}
			return err
		},
		Free: freeMesh,
		Size: func(m *assets.Mesh) assets.Footprint { return bytesFootprint(&m.Data) },
	})
}

func freeMesh(m *assets.Mesh) {
	// The views go first: they must not outlive what they show.
	m.Vertices, m.Indices = nil, nil
	m.Data.Free()
}
