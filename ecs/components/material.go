package components

import (
	"sojourn/assets"
	"sojourn/gpu"
)

// Material is one material of a world, on an entity of its own, shared by all
// primitives that name the same document. Until the document is parsed its
// row shows a stand-in.
type Material struct {
	document assets.Handle

	Row    uint32
	Users  int32 // primitives; at zero the entity goes
	Joined [assets.MapSlots]gpu.TextureRef
	// Wanted are the maps the document names; zero where it names none or
	// where the map failed.
	Wanted [assets.MapSlots]assets.Handle
	// Destination is the world's generation whose reveal waits for it; 0: none
	// ever did.
	Destination uint32
	Failed      bool // the document could not be loaded: the stand-in stays
}

// NewMaterial names a document and its row.
func NewMaterial(document assets.Handle, row uint32) Material {
	return Material{document: document, Row: row}
}

// Document is the material document's handle; zero for the default material.
func (m *Material) Document() assets.Handle { return m.document }

// PendingMaterial marks a material that still shows its stand-in.
type PendingMaterial struct{}

// PendingMaps marks a material with named maps that are not joined yet.
type PendingMaps struct{}
