// Package gpu holds what the device has copies of: textures by store handle,
// geometry by key, material rows; and the contract a device fulfils.
//
// Nothing here draws. Device implementations live in gpu/ebitengine and
// gpu/headless. Everything runs on the game goroutine, without locks and
// without allocating in a frame that has nothing new.
//
// # Order of a frame
//
// Step 3 and 4 of a tick join and leave. Then, before the frame's list is
// published, the retirement is pumped, then [Uploads] (or both tables). After
// each present, [Retirement.Presented]. On close: the tables, then
// [Retirement.Flush], then the device.
//
// # Detail of textures
//
// A texture is resident from a base level down to its smallest. It is admitted
// at the finest base that fits into what is free of the budget, a sixteenth of
// which only guaranteed tails (the four smallest levels) may enter. When bytes
// come free, textures that lack detail are replaced by finer images, oldest
// first, at most the meter's transitions a frame, and only where that leaves
// room to spare, so that nothing moves back and forth. A new texture that
// finds no room for its tail has the largest resident one demoted, which is
// not upgraded again for 30 frames. What is published is replaced, never taken
// away, while somebody holds a ref.
//
// Bytes count for each live device handle, from its creation to its
// destruction by the retirement: both images of a replacement, and those that
// age. That sum never exceeds the budget.
//
// # Caveats
//
//   - A ref is shared by all users of a key: leaving twice takes away somebody
//     else's use.
//   - Where a file is read as it is mapped and another program truncates it,
//     the texture or mesh fails; the device never sees the mapping.
package gpu
