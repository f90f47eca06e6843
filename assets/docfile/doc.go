// Package docfile reads and writes documents: materials, scenes, models and
// particle sources.
//
// Materials, scenes and particle sources are written by people as JSON, which is read strictly:
// an unknown or repeated key, a value out of range, a number that is not
// finite or anything after the document is refused, with name, line and
// column. Packs hold all of them as a compact sequence of CBOR items, which is
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
// Beside "entities" a scene may have "effects". Each has an id, may have pos,
// rot and scale, and is one of these. A decal lies on a square of edge one in X
// and Y, a zone fills a cube of edge one, both moved, turned and scaled. In a
// zone nothing is required; distances are metres, grace is seconds:
//
//	{"effects": [
//	  {"id": "fire", "particles": "fx/fire", "pos": [0, 1, 0]},
//	  {"id": "oil", "decal": "marks/oil", "scale": [2, 2, 1]},
//	  {"id": "hall", "probe": "sky/hall", "radius": 10},
//	  {"id": "dusk", "look_up": "grades/dusk"},
//	  {"id": "cave", "scale": [10, 5, 10], "zone": {
//	    "sound": "drip", "gain": 1, "look_up": "grades/cave",
//	    "fog": {"color": [0, 0, 0], "start": 1, "end": 20},
//	    "hysteresis": 2, "grace": 5, "keep": ["texture:walls/moss"]}}]}
//
// A particle source, with its defaults (a texture is required; without
// "end_color" the first colour fades):
//
//	{"texture": "fx/puff", "rate": 8, "life": 2, "size": [0.25, 0.5],
//	 "color": [1, 1, 1, 1], "end_color": [1, 1, 1, 0], "velocity": [0, 0.5, 0],
//	 "spread": 0.1, "acceleration": [0, 0, 0], "radius": 0, "seed": 0}
//
// Errors wrap [assets.ErrCorrupt] or [assets.ErrTooLarge]; those of reading
// begin with the document's name. All functions may be called from any
// goroutine.
package docfile
