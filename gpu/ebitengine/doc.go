// Package ebitengine is the device that draws: textured, lit, fogged triangles
// in perspective, through Ebitengine. Files that need Ebitengine are left out
// under the tag headless; this one is not, so that naming the package is always
// possible.
//
// Ebitengine has neither a depth buffer nor vertex shaders of one's own, so
// the processor transforms, lights and clips, and the order of drawing decides
// what hides what. Items are ordered by planes that separate their boxes: if a
// plane parts two boxes, the one on the camera's side is never hidden by the
// other. That order is exact for what does not interpenetrate, needs no
// splitting, and leaves most pairs free, which lets items of one look be drawn
// in one call. A frame of more than a few thousand visible items has only what
// reaches far along the view, such as floors, ordered so, and the rest by depth.
// Pixels do the rest: perspective-correct coordinates, a blend of two mip
// levels, fog, and for materials that have them normal,
// occlusion-roughness-metal and emissive maps.
//
// Everything is drawn from the camera's own place, so that it looks the same
// however far from the world's origin it is.
//
// Sprites are ordered among the items as one box a group, and within it far to
// near. A probe gives the ambient light of a frame the average colour of its
// picture, in the brightness it had. A frame with a look-up table is drawn aside
// and through the table into its target, which is one more pass.
//
// Colours of a frame and of materials are linear. Textures hold sRGB; the
// device takes its curve for a square, which is near enough and cheap.
//
// The internal size follows the frame time when Options.Adaptive is set. What
// costs most on a software renderer is passes over the whole window, so a
// window does best to take Device.RenderSize as its layout: the device then
// draws straight into the image it is given, and Ebitengine's own last pass
// does the scaling.
package ebitengine
