// Package window is the front door with a picture: it runs one demo in a
// window, turns keyboard and mouse into the demo's input, takes screenshots and
// shows the residency panel.
//
// What the panel says is prepared without a window, as lines of text and
// gauges, by the files without a build tag; the others put it on the screen and
// are left out of headless builds.
package window
