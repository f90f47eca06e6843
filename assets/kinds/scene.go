package kinds

import (
	"sojourn/assets"
	"sojourn/assets/docfile"
)

// tallyYield is how many entities are counted between two looks at whether the
// decode goes on.
const tallyYield = 1024

// decodeScene decodes a scene and counts what its entities are: the game
// goroutine makes room for them before it makes them.
func decodeScene(name string, b []byte, yield func() error) (assets.Scene, error) {
	s, err := docfile.DecodeSceneChunks(name, b, yield)
	if err != nil {
		return assets.Scene{}, err
	}
	type look struct{ model, material string }
	at := map[look]int{}
	for i := range s.Entities {
		if i%tallyYield == tallyYield-1 {
			if err := yield(); err != nil {
				return assets.Scene{}, err
			}
		}
		e := &s.Entities[i]
		if e.Sound != "" {
			s.Sounds++
			continue
		}
		l := look{e.Model, e.Material}
		k, known := at[l]
		if !known {
			k = len(s.Uses)
			at[l] = k
			s.Uses = append(s.Uses, assets.SceneUse{Model: e.Model, Material: e.Material})
		}
		s.Uses[k].Entities++
	}
	return s, nil
}
