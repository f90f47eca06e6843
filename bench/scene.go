package main

import (
	"fmt"

	"sojourn"
	"sojourn/assets"
	"sojourn/assets/docfile"
	"sojourn/assets/pack"
)

// scenePack writes the props, the rooms they stand in, a level of all of them
// and a lobby with the last one.
func scenePack(w *pack.Writer) error {
	if err := addLevels(w); err != nil {
		return err
	}
	var meshes [naiveUnique]encoded
	var textures [naiveUnique][]byte
	for i := range naiveUnique {
		b, err := gridMesh(naiveQuads, uint64(i))
		if err == nil {
			meshes[i], err = encode(b)
		}
		if err == nil {
			textures[i], err = noiseTexture(naiveEdge, uint64(i))
		}
		if err != nil {
			return err
		}
	}
	for i := range naiveProps + 1 {
		if err := addProp(w, i, &meshes[i%naiveUnique], textures[i%naiveUnique]); err != nil {
			return err
		}
	}
	for i := range naiveRooms {
		const per = naiveProps / naiveRooms
		if err := addRoom(w, roomStem(i), i*per, (i+1)*per); err != nil {
			return err
		}
	}
	return nil
}

// addLevels writes the scenes whose names come before the props'.
func addLevels(w *pack.Writer) error {
	if err := addRoom(w, "level", 0, naiveProps); err != nil {
		return err
	}
	return addRoom(w, "lobby", naiveProps, naiveProps+1)
}

func propStem(i int) string { return fmt.Sprintf("props/%03d", i) }

func addProp(w *pack.Writer, i int, mesh *encoded, texture []byte) error {
	stem := propStem(i)
	if err := w.Add(stem+".ktx2", texture, true); err != nil {
		return err
	}
	material := docfile.DefaultMaterial()
	material.Maps[assets.MapBaseColor] = stem
	b, err := docfile.EncodeMaterial(&material)
	if err != nil {
		return err
	}
	if err := w.Add(stem+".material", b, false); err != nil {
		return err
	}
	if err := mesh.addTo(w, stem+".mesh"); err != nil {
		return err
	}
	b, err = docfile.EncodeModel(&assets.Model{
		Nodes: []assets.ModelNode{{Name: "root", Parent: -1, Local: assets.IdentityTransform(), World: sojourn.At(0, 0, 0)}},
		Parts: []assets.ModelPart{{Mesh: stem, Material: stem}},
	})
	if err != nil {
		return err
	}
	return w.Add(stem+".model", b, false)
}

func addRoom(w *pack.Writer, stem string, from, to int) error {
	var s assets.Scene
	for i := from; i < to; i++ {
		at := assets.IdentityTransform()
		at.Pos = [3]float32{float32(i%10) - 5, 0, -5 - float32(i/10)}
		s.Entities = append(s.Entities, assets.SceneEntity{ID: propStem(i), Model: propStem(i), At: at})
	}
	b, err := docfile.EncodeScene(&s)
	if err != nil {
		return err
	}
	return w.Add(stem+".scene", b, false)
}
