package sound

import (
	"path"
	"testing"
)

func testCases(t *testing.T, item string) {
	for _, e := range expectations(t, item) {
		t.Run(path.Base(e.File), func(t *testing.T) {
			got := run(t, e.File)
			got.check(t, e)
		})
	}
}

func TestCaseA14_WAVHeaders(t *testing.T) { testCases(t, "A14") }

// Both readings of a file without its pad byte must come to the same two
// samples; loading is what we do.
func TestCaseA14_ForgottenPadByte(t *testing.T) {
	got := run(t, "a14/odd_list_no_pad.wav")
	if got.err != nil || got.sound.Frames() != 2 || got.sound.Samples[0] != 100 || got.sound.Samples[1] != -100 {
		t.Errorf("%v %v", got.sound.Samples, got.err)
	}
}

func TestCaseA15_OggPages(t *testing.T) { testCases(t, "A15") }

// A cut or damaged stream is never passed off as a whole one, and a legal
// empty page is no reason to refuse it.
func TestCaseA15_WholeOrError(t *testing.T) {
	for file, whole := range map[string]bool{
		"a15/cut_in_audio.ogg": false, "a15/bad_page_checksum.ogg": false, "a15/zero_segment_page_inside.ogg": true,
	} {
		if got := run(t, file); (got.err == nil) != whole {
			t.Errorf("%s: error %v", file, got.err)
		}
	}
}
