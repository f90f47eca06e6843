package window

import (
	"errors"
	"fmt"
)

// Options describe the window and what the run is for.
type Options struct {
	Title         string
	About         string // one line on what is shown
	Width, Height int    // of the window, in device-independent pixels; 0: 1280x720
	// Frames ends the run after so many ticks, once the last is drawn; 0 goes
	// on until the window is closed.
	Frames int
	// PaceMax runs one tick per frame, as fast as frames come; otherwise there
	// are 60 ticks a second.
	PaceMax bool
	// Shots are the screenshots to take.
	Shots []Shot
	// LookOn says that the demo takes no input: the mouse is not captured, and
	// no keys are named that would do nothing.
	LookOn bool
	// Panel opens the residency panel from the start.
	Panel bool
}

// Shot is one screenshot: a PNG of the window's content, as a person sees it,
// drawn after tick Frame; the first tick is 1. A frame that was never drawn,
// because two ticks shared one, gives the next that was.
type Shot struct {
	Path  string
	Frame int
}

var (
	// ErrOptions is wrapped when a run cannot be what its options ask for.
	ErrOptions = errors.New("bad window options")
	// ErrShot is wrapped when a screenshot was not taken or not written.
	ErrShot = errors.New("screenshot")
)

// windowEdgeMax bounds a window asked for.
const windowEdgeMax = 16384

func (o *Options) complete() error {
	if o.Width == 0 && o.Height == 0 {
		o.Width, o.Height = 1280, 720
	}
	if o.Width < 1 || o.Height < 1 || o.Width > windowEdgeMax || o.Height > windowEdgeMax {
		return fmt.Errorf("%w: a window of %dx%d, must be 1x1 to %dx%d", ErrOptions, o.Width, o.Height, windowEdgeMax, windowEdgeMax)
	}
	if o.Frames < 0 {
		return fmt.Errorf("%w: %d frames", ErrOptions, o.Frames)
	}
	for _, s := range o.Shots {
		switch {
		case s.Path == "":
			return fmt.Errorf("%w: a screenshot at frame %d without a file", ErrOptions, s.Frame)
		case s.Frame < 1 || o.Frames > 0 && s.Frame > o.Frames:
			return fmt.Errorf("%w: screenshot %s at frame %d of %d", ErrOptions, s.Path, s.Frame, o.Frames)
		}
	}
	return nil
}
