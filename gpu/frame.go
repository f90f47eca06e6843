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
}
