// Package docfile reads and writes documents: materials, scenes and models.
//
// Materials and scenes are written by people as JSON, which is read strictly:
// an unknown or repeated key, a value out of range, a number that is not
// finite or anything after the document is refused, with name, line and
// column. Packs hold all three as a compact sequence of CBOR items, which is
// read under limits.
//
// A material, with its defaults (every key may be left out; maps are texture
// stems by slot name, see [assets.MapSlot]):
//
//	{"base_color": [1, 1, 1, 1], "emissive": [0, 0, 0], "metallic": 0,
//	 "roughness": 1, "normal_scale": 1, "occlusion": 1, "alpha_cutoff": 0,
//	 "blend": false, "double_sided": false, "unlit": false,
//	 "maps": {"base_color": "walls/brick"}}
//
// A scene ("id" and one of "model" and "sound" are required; pos, rot and
// scale may be left out; "material" goes with a model; gain, radius and loop,
// here with their defaults, go with a sound):
//
//	{"skybox": "sky/dusk", "entities": [
//	  {"id": "a", "model": "props/crate", "material": "props/painted",
//	   "pos": [0, 0, 0], "rot": [0, 0, 0, 1], "scale": [1, 1, 1]},
//	  {"id": "b", "sound": "hum", "gain": 1, "radius": 10, "loop": false}]}
//
// Errors wrap [assets.ErrCorrupt] or [assets.ErrTooLarge]; those of reading
// begin with the document's name. All functions may be called from any
// goroutine.
package docfile
