package kinds

import "sojourn/assets"

// Builtin gives the specs of all kinds below [assets.NumBuiltinKinds], in
// their order, for [assets.Options]. Payload types are [assets.Texture],
// [assets.Mesh], [assets.Model], [assets.Material], [assets.Sound],
// [assets.Scene], [assets.Particles] and, for the rest, [assets.Blob]. The slice is the caller's
// to append a guest's kinds to.
func Builtin() []assets.KindSpec {
	return []assets.KindSpec{
		assets.KindTexture:   texture(),
		assets.KindMesh:      mesh(),
		assets.KindModel:     model(),
		assets.KindMaterial:  material(),
		assets.KindSound:     sound(),
		assets.KindFont:      blob(assets.KindFont, FontBytesMax, ".ttf", ".otf"),
		assets.KindBlob:      blob(assets.KindBlob, BlobBytesMax, ""),
		assets.KindScene:     scene(),
		assets.KindScript:    blob(assets.KindScript, BlobBytesMax, ".script"),
		assets.KindParticle:  particles(),
		assets.KindShader:    blob(assets.KindShader, BlobBytesMax, ".shader"),
		assets.KindCollision: blob(assets.KindCollision, BlobBytesMax, ".collision"),
	}
}

// Limits on files that are taken as they are; larger ones are refused with
// [assets.ErrTooLarge].
const (
	BlobBytesMax = 1 << 30
	FontBytesMax = 128 << 20
)
