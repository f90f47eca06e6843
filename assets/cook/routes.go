package cook

import (
	"strings"

	"sojourn/assets"
	"sojourn/assets/cook/model"
	"sojourn/assets/cook/picture"
	"sojourn/assets/cook/sound"
	"sojourn/assets/cook/unit"
)

// route says which importer takes a file. kind is that of the file's primary
// asset, at the file's stem.
type route struct {
	ending   string // lower case
	kind     assets.Kind
	importer unit.Importer
	// growth is about how many bytes of memory cooking takes for each byte of
	// the file; pictures are measured instead.
	growth int64
}

// routes lists the endings, longer ones before those they end in.
func routes() []route {
	return []route{
		{".material.json", assets.KindMaterial, importMaterial, 8},
		{".scene.json", assets.KindScene, importScene, 8},
		{".particle.json", assets.KindParticle, importParticles, 8},
		{".png", assets.KindTexture, picture.Import, 1},
		{".jpg", assets.KindTexture, picture.Import, 1},
		{".jpeg", assets.KindTexture, picture.Import, 1},
		{".webp", assets.KindTexture, picture.Import, 1},
		{".gltf", assets.KindModel, model.Import, 8},
		{".glb", assets.KindModel, model.Import, 8},
		{".wav", assets.KindSound, sound.ImportWAV, 4},
		{".ogg", assets.KindSound, sound.ImportOGG, 24},
		{".mp3", assets.KindSound, sound.ImportMP3, 24},
		{".ttf", assets.KindFont, importFont, 3},
		{".otf", assets.KindFont, importFont, 3},
	}
}

// blobRoute takes everything else.
func blobRoute() route { return route{"", assets.KindBlob, importBlob, 3} }

// routeOf finds the importer by the path's ending, in any case, and the stem.
func routeOf(table []route, path string) (r route, stem string) {
	lower := strings.ToLower(path)
	for _, r := range table {
		if strings.HasSuffix(lower, r.ending) && !strings.HasSuffix(lower, "/"+r.ending) {
			return r, path[:len(path)-len(r.ending)]
		}
	}
	return blobRoute(), path
}
