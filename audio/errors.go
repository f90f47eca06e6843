package audio

import "errors"

// Starting a voice.
var (
	// ErrNotReady is returned when the sound is not resident; ask again when
	// the store says it is.
	ErrNotReady = errors.New("sound not resident")
	// ErrFull is returned when every voice, or all room for prepared PCM, is
	// taken by sounds at least as loud.
	ErrFull = errors.New("no room for another voice")
	// ErrBadSound is wrapped when a sound cannot be played at all; the text
	// names the sound and the reason.
	ErrBadSound = errors.New("unplayable sound")
)

// errCancelled ends the preparation of a sound that nobody wants any more.
var errCancelled = errors.New("cancelled")
