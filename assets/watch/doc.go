// Package watch tells which files of a folder changed, once each change is
// complete.
//
// Editors and exporters save in several ways: in place and slowly, through a
// temporary file that is renamed, or by moving the old file aside first. The
// watcher therefore watches folders, never files, gathers bursts, and reports
// a path only when two looks in a row saw the same size and time. Names that
// programs use for temporary and backup files are ignored, and so is
// everything whose name starts with a dot.
//
// A removed file is not reported: many programs remove a file on the way to
// saving it.
//
// Where the system refuses to watch (a limit is reached, or it can't), the
// watcher says so in [Watcher.Trouble] and compares the tree itself at every
// look instead.
package watch
