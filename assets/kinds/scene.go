package kinds

import (
	"slices"
	"sync"

	"sojourn/assets"
	"sojourn/assets/docfile"
)

// tallyYield is how many entities are counted between two looks at whether the
// decode goes on.
const tallyYield = 1024

// sceneUses decodes a scene and counts what its entities are. Workers share them,
// one at a time, so that a decode does not make tables of its own.
type sceneUses struct {
	at   map[sceneLook]int
	uses []assets.SceneUse
	docs docfile.SceneDecoder
}

// sceneLook is what entities of one use have in common.
type sceneLook struct{ model, material string }

// sceneDecoder decodes scenes and counts what their entities are: the game
// goroutine makes room for them before it makes them.
func sceneDecoder() func(name string, b []byte, yield func() error) (assets.Scene, error) {
	spare := sync.Pool{New: func() any { return &sceneUses{at: make(map[sceneLook]int)} }}
	return func(name string, b []byte, yield func() error) (assets.Scene, error) {
		u := spare.Get().(*sceneUses)
		defer func() {
			clear(u.at) // the stems are the scene's
			clear(u.uses)
			u.uses = u.uses[:0]
			spare.Put(u)
		}()
		s, err := u.docs.Decode(name, b, yield)
		if err != nil {
			return assets.Scene{}, err
		}
		if s.Sounds, err = u.count(s.Entities, yield); err != nil {
			return assets.Scene{}, err
		}
		s.Uses = slices.Clone(u.uses)
		return s, nil
	}
}

func (u *sceneUses) count(entities []assets.SceneEntity, yield func() error) (sounds int, err error) {
	for i := range entities {
		if i%tallyYield == tallyYield-1 {
			if err := yield(); err != nil {
				return 0, err
			}
		}
		e := &entities[i]
		if e.Sound != "" {
			sounds++
			continue
		}
		l := sceneLook{e.Model, e.Material}
		k, known := u.at[l]
		if !known {
			k = len(u.uses)
			u.at[l] = k
			u.uses = append(u.uses, assets.SceneUse{Model: e.Model, Material: e.Material})
		}
		u.uses[k].Entities++
	}
	return sounds, nil
}
