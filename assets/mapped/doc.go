// Package mapped maps files read-only into memory and counts who looks.
//
// A mapping stays until its owner closed it and its last lease was released.
// Where the system or build has no mappings, [Open] says so and callers read
// instead.
package mapped
