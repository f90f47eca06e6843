// Package model imports glTF 2.0, as .gltf and as .glb: one model document,
// and as its parts the meshes, materials and textures it is made of.
//
// Part names are stem#mesh-NAME-P (P the primitive's place in its mesh),
// stem#material-NAME, stem#image-N (colour), stem#opaque-N (colour whose alpha
// the material does not use), stem#normal-N and stem#orm-... (linear). Names
// are reduced to portable characters and made unique without regard to case,
// always in the same way for the same file.
//
// A colour image that is a file of its own inside the content root is not
// copied: the material names its stem, since the cook turns that file into a
// texture anyway.
//
// What is not imported is reported through [unit.Input.Warn]: animations,
// skins, morph targets, points and lines, optional extensions. An extension
// that the file requires and this package lacks is an error.
//
// glTF's axes are the engine's (right-handed, +Y up, metres) and both have the
// origin of texture coordinates at the top left, so nothing is converted. A
// node with a mirrored scale keeps it: its world matrix has a negative
// determinant, and whoever draws it turns the winding around.
package model

import (
	"sojourn/assets"
	"sojourn/assets/meshfile"
)

// Limits on one model, refused with [assets.ErrTooLarge]. Nothing is allocated
// for a count before it was compared with its limit.
const (
	jsonBytesMax     = 256 << 20 // the JSON text
	bufferBytesMax   = 1 << 30   // all buffers together
	nodesMax         = 1 << 16   // nodes in the file
	partsMax         = 1 << 16   // (node, primitive) pairs
	primitivesMax    = 1 << 16   // of all meshes together
	materialsMax     = 1 << 12   // materials that are used
	imagesMax        = 1 << 12   // images in the file
	texelsMax        = 1 << 30   // of all textures cooked as parts
	verticesTotalMax = 16 << 20  // of all meshes together
	indicesTotalMax  = 64 << 20  // of all meshes together

	// coordinateMax bounds positions and transforms, in metres.
	coordinateMax = meshfile.CoordinateMax
	// nameBytesMax bounds a name inside a part's stem, and a node's name.
	nameBytesMax = 64
)

// elementsMax bounds one accessor.
const elementsMax = max(assets.MeshVerticesMax, assets.MeshIndicesMax)
