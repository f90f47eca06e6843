package assets

// MapSlot is one of the nine texture maps of a material.
type MapSlot uint8

// The map slots, in the order of the device row.
const (
	MapBaseColor MapSlot = iota
	MapNormal
	MapORM // occlusion, roughness, metalness in R, G, B
	MapEmissive
	MapOpacity
	MapSpecular
	MapHeight
	MapAnisotropy
	MapClearcoat

	// MapSlots is the number of slots.
	MapSlots
)

// MapSlotNames are the slots' names in documents.
var mapSlotNames = [MapSlots]string{
	"base_color", "normal", "orm", "emissive", "opacity", "specular", "height", "anisotropy", "clearcoat",
}

// String is the slot's name in documents.
func (s MapSlot) String() string {
	if s < MapSlots {
		return mapSlotNames[s]
	}
	return "map-?"
}

// Material is a parsed material document. Colours are linear, straight alpha.
type Material struct {
	BaseColor   [4]float32
	Emissive    [3]float32
	Metallic    float32
	Roughness   float32
	NormalScale float32
	Occlusion   float32
	AlphaCutoff float32 // 0: no cut-out
	Blend       bool    // drawn blended, back to front
	DoubleSided bool
	Unlit       bool
	Maps        [MapSlots]string // texture stems; empty where unused
}

// Transform is a placement in a document: translation, rotation quaternion
// (x, y, z, w) and scale.
type Transform struct {
	Pos   [3]float32
	Rot   [4]float32
	Scale [3]float32
}

// IdentityTransform places at the origin, unrotated, at scale one.
func IdentityTransform() Transform {
	return Transform{Rot: [4]float32{0, 0, 0, 1}, Scale: [3]float32{1, 1, 1}}
}

// ModelNode is one node of a model's hierarchy; a parent comes before its
// children.
type ModelNode struct {
	Name   string
	Parent int32 // -1: a root
	Local  Transform
	// World is the product of the locals from the root: column-major 4x4.
	// It can hold shears that no Transform can.
	World [16]float32
}

// ModelPart is one mesh with one material on one node. It is the unit of
// binding: a model of many parts comes in over several frames.
type ModelPart struct {
	Node     int32
	Mesh     string // mesh stem
	Material string // material stem; empty: the default material
}

// Model is a parsed model: parts on nodes.
type Model struct {
	Nodes  []ModelNode
	Parts  []ModelPart
	Bounds Bounds
}

// SceneEntity is one placement in a scene document. Exactly one of Model and
// Sound is set.
type SceneEntity struct {
	ID    string // unique within its scene
	At    Transform
	Model string // model stem
	// Material, where set, replaces the material of every part of Model.
	Material string
	Sound    string  // sound stem
	Gain     float32 // of Sound; 1 is as recorded
	Radius   float32 // of Sound: silent from here on, metres
	Loop     bool    // of Sound
}

// Scene is a parsed scene document.
type Scene struct {
	Entities []SceneEntity
	Effects  []SceneEffect
	Skybox   string // texture stem, empty: none

	// What its entities are, counted once where the built-in kind decodes it;
	// no part of the document.
	Uses   []SceneUse
	Sounds int // entities that are heard
}

// SceneUse is how many entities of a scene show one model with one material.
type SceneUse struct {
	Model, Material string
	Entities        int
}
