package assets

import "strconv"

// Kind is the type of an asset. Different kinds at one stem are different
// assets. Kinds below [NumBuiltinKinds] are the engine's; a guest registers
// its own from there up to [KindsMax].
type Kind uint8

// The engine's own kinds.
const (
	KindTexture Kind = iota
	KindMesh
	KindModel
	KindMaterial
	KindSound
	KindFont
	KindBlob
	KindScene
	KindScript
	KindParticle
	KindShader
	KindCollision

	// NumBuiltinKinds is the first kind a guest may take.
	NumBuiltinKinds
)

// KindsMax is the number of kinds one store can hold: six bits of a [Handle].
const KindsMax = 64

var builtinKindNames = [...]string{
	KindTexture:   "texture",
	KindMesh:      "mesh",
	KindModel:     "model",
	KindMaterial:  "material",
	KindSound:     "sound",
	KindFont:      "font",
	KindBlob:      "blob",
	KindScene:     "scene",
	KindScript:    "script",
	KindParticle:  "particle",
	KindShader:    "shader",
	KindCollision: "collision",
}

// String is the built-in kind's name, or "kind-N" for a guest's kind, whose
// name only its store knows ([Store.KindName]).
func (k Kind) String() string {
	if int(k) < len(builtinKindNames) {
		return builtinKindNames[k]
	}
	return "kind-" + strconv.Itoa(int(k))
}

// KindSet is a set of kinds, one bit each.
type KindSet uint64

// AllKinds names every kind.
const AllKinds KindSet = 1<<KindsMax - 1

// Kinds makes a set.
func Kinds(kinds ...Kind) KindSet {
	var s KindSet
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

// Has tells whether k is in the set.
func (s KindSet) Has(k Kind) bool { return s&(1<<k) != 0 }

// Overlaps tells whether the two sets share a kind.
func (s KindSet) Overlaps(o KindSet) bool { return s&o != 0 }
