package gpu

// Mat4 is a column-major 4x4 matrix, as mathgl's mgl32.Mat4.
type Mat4 = [16]float32

// Camera is where a frame is seen from. View looks down -Z, Y up;
// right-handed.
type Camera struct {
	View       Mat4
	Pos        [3]float32
	FovYRad    float32
	Near, Far  float32 // metres
	FogColor   [3]float32
	FogStart   float32 // metres; no fog up to here
	FogEnd     float32 // metres; all fog from here
	Ambient    [3]float32
	SunDir     [3]float32 // towards the light, unit length
	SunColor   [3]float32
	ClearColor [3]float32
}

// Item is one thing to draw: geometry with a material at a place.
type Item struct {
	Geometry GeometryID
	Material uint32 // row in the frame's material table
	Model    Mat4
	// Serial orders items of equal depth, so that frames are stable.
	Serial uint32
}

// Frame is what one Present draws.
type Frame struct {
	Camera    Camera
	Items     []Item
	Materials []MaterialRow
	// Textures maps the indices in a MaterialRow to images; the zero
	// TextureID means none.
	Textures []TextureID
	// Skybox is drawn behind everything, wrapped around the camera as an
	// equirectangular picture; zero: none.
	Skybox TextureID
	// Probe is a picture of what is around the camera: the ambient light takes
	// its average colour and keeps its own brightness; zero: it stays as it is.
	Probe TextureID
	// LookUp grades the finished picture: a strip of N squares of N by N texels,
	// red to the right and green downwards within a square, blue from square to
	// square. Texels and what is looked up are as displayed. A texture of
	// another shape, and zero, leave colours as they are.
	LookUp TextureID
	// Sprites are groups of Quads, drawn blended among the items.
	Sprites []Sprites
	Quads   []Quad
}

// Sprites are quads of one texture: a decal, or the particles of one source.
// They are ordered against items as one thing.
type Sprites struct {
	Texture TextureID
	First   int32 // in the frame's Quads
	Count   int32
	Serial  uint32 // as an Item's
	Lit     bool   // by ambient light and sun, as a surface
}

// Quad is a rectangle in the world, seen from both sides.
type Quad struct {
	Center [3]float32
	Right  [3]float32 // from the centre to the right edge
	Up     [3]float32 // and to the upper edge
	Color  [4]float32 // times the texture; linear, straight alpha
}

// LookUpEdge is the number of texels along a look-up table's squares, or 0
// where a texture of this size is none.
func LookUpEdge(width, height int) int {
	if height < 2 || height > lookUpEdgeMax || width != height*height {
		return 0
	}
	return height
}

const lookUpEdgeMax = 64
