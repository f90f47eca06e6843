package docfile

import "sojourn/assets"

const (
	kindScene = "scene"
	// entityWireBytes is what an entity takes at least as [EncodeScene] writes it.
	entityWireBytes = 46
)

type wireEntity struct {
	_        struct{} `cbor:",toarray"`
	ID       string
	At       transform
	Model    uint32 // stem
	Material uint32 // stem
	Sound    uint32 // stem
	Gain     float32
	Radius   float32
	Loop     bool
}

// EncodeScene packs a scene. The result is the caller's; equal scenes give
// equal bytes. What [DecodeScene] would refuse is refused here.
func EncodeScene(s *assets.Scene) ([]byte, error) {
	if err := checkScene(s); err != nil {
		return nil, err
	}
	w := newWireWriter()
	var item wireEntity
	for i := range s.Entities {
		e := &s.Entities[i]
		item = wireEntity{
			ID: e.ID, At: transformOf(&e.At),
			Model: w.stems.add(e.Model), Material: w.stems.add(e.Material), Sound: w.stems.add(e.Sound),
			Gain: e.Gain, Radius: e.Radius, Loop: e.Loop,
		}
		if err := w.put(&item); err != nil {
			return nil, err
		}
	}
	if err := putEffects(w, s.Effects); err != nil {
		return nil, err
	}
	return w.finish(header{
		Kind: kindScene, Items: uint32(len(s.Entities)), Nodes: uint32(len(s.Effects)), Skybox: w.stems.add(s.Skybox),
	})
}

// DecodeScene reads a scene in either form: JSON where the name ends in
// ".json" or the text starts with '{', packed otherwise.
func DecodeScene(name string, b []byte) (assets.Scene, error) {
	return new(SceneDecoder).Decode(name, b, noYield)
}

// SceneDecoder decodes one scene after the other and keeps what it needed
// meanwhile for the next. The zero SceneDecoder is ready; it serves one goroutine
// at a time.
type SceneDecoder struct {
	ids   idSet
	stems []string
}

// sceneScratchMax is of how many entities, and of how many stems, a decoder
// keeps what it needed.
const sceneScratchMax = 4096

// Decode is [DecodeScene] for a worker: it calls yield between chunks of
// [assets.ChunkBytesMax] and returns yield's error.
func (d *SceneDecoder) Decode(name string, b []byte, yield func() error) (assets.Scene, error) {
	defer d.reset()
	if isJSON(name, b) {
		if d.ids == nil {
			d.ids = idSet{}
		}
		return parseScene(name, b, yield, d.ids)
	}
	r, h, err := newWireReader(name, kindScene, b, SceneBytesMax, yield, d.stems)
	if err != nil {
		return assets.Scene{}, err
	}
	d.stems = r.stems
	s, err := d.read(r, h)
	if err != nil {
		return assets.Scene{}, err
	}
	return s, nil
}

// reset forgets the scene; its strings are its own.
func (d *SceneDecoder) reset() {
	if len(d.ids) > sceneScratchMax || cap(d.stems) > sceneScratchMax {
		*d = SceneDecoder{}
		return
	}
	clear(d.ids)
	clear(d.stems)
	d.stems = d.stems[:0]
}

func (d *SceneDecoder) read(r *wireReader, h header) (s assets.Scene, err error) {
	switch {
	case h.Nodes > SceneEffectsMax:
		return s, r.named(tooLarge("effects", int64(h.Nodes), SceneEffectsMax))
	case h.Items > SceneEntitiesMax:
		return s, r.named(tooLarge("entities", int64(h.Items), SceneEntitiesMax))
	}
	if s.Skybox, err = r.stem(h.Skybox); err != nil {
		return s, err
	}
	if n := r.room(h.Items, entityWireBytes); n > 0 {
		s.Entities = make([]assets.SceneEntity, 0, n)
	}
	if d.ids == nil {
		d.ids = make(idSet, cap(s.Entities))
	}
	var item wireEntity
	for i := range h.Items {
		if err := r.next(&item); err != nil {
			return s, err
		}
		e := assets.SceneEntity{ID: item.ID, At: item.At.at(), Gain: item.Gain, Radius: item.Radius, Loop: item.Loop}
		if e.Model, err = r.stem(item.Model); err != nil {
			return s, err
		}
		if e.Material, err = r.stem(item.Material); err != nil {
			return s, err
		}
		if e.Sound, err = r.stem(item.Sound); err != nil {
			return s, err
		}
		if err := d.ids.check(int(i), &e); err != nil {
			return s, r.named(err)
		}
		s.Entities = append(s.Entities, e)
	}
	if s.Effects, err = readEffects(r, h.Nodes, d.ids); err != nil {
		return s, err
	}
	return s, r.end()
}
