package sound

import (
	"bytes"
	"encoding/binary"
)

// mp3Header is what a frame's header says.
type mp3Header struct {
	rate    int
	frames  int // PCM frames that one MP3 frame holds
	mono    bool
	mpeg1   bool
	crc     bool
	padding bool
	bytes   int // of the whole frame
	// misread tells that the decoding library takes the frame for a byte
	// shorter than it is, and then makes noise of the rest.
	misread bool
}

// parseMP3Header reads four bytes. It is not ok for what is no frame of layer
// III with a stated bit rate.
func parseMP3Header(b []byte) (h mp3Header, ok bool) {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return h, false
	}
	version, layer := b[1]>>3&3, b[1]>>1&3
	rateIndex, bitrateIndex := int(b[2]>>2&3), int(b[2]>>4)
	if version == 1 || layer != 1 || rateIndex == 3 || bitrateIndex == 0 || bitrateIndex == 15 || b[3]&3 == 2 {
		return h, false
	}
	h.mpeg1, h.mono, h.crc, h.padding = version == 3, b[3]>>6 == 3, b[1]&1 == 0, b[2]&2 != 0
	h.rate = [...]int{44100, 48000, 32000}[rateIndex]
	var bitrate int // thousands of bits per second
	switch version {
	case 3:
		bitrate = [...]int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}[bitrateIndex]
		h.frames = 1152
	case 2:
		h.rate /= 2
	case 0:
		h.rate /= 4
	}
	if version != 3 {
		bitrate = [...]int{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}[bitrateIndex]
		h.frames = 576
	}
	h.bytes = h.frames / 8 * bitrate * 1000 / h.rate
	if h.padding {
		h.bytes++
		// The library halves the size of MPEG 2 frames after adding the padding.
		h.misread = !h.mpeg1 && h.frames/4*bitrate*1000/h.rate%2 == 0
	}
	return h, true
}

// sideBytes is the size of a frame's side information.
func (h mp3Header) sideBytes() int {
	switch {
	case h.mpeg1 && h.mono:
		return 17
	case h.mpeg1:
		return 32
	case h.mono:
		return 9
	}
	return 17
}

// mp3Stream is what a scan of a file found: the frames with sound, without
// tags, and what the encoder's own frame says of them.
type mp3Stream struct {
	shape
	audio   []byte
	count   int // MP3 frames in audio
	perMP3  int // PCM frames in each
	delay   int // PCM frames of the encoder's before the sound
	padding int // and after it
	gapless bool
}

// scanMP3 walks the frames of a file. What comes between or after them must be
// a tag.
func scanMP3(b []byte) (s mp3Stream, junkBytes int, err error) {
	if len(b) == 0 {
		return s, 0, corruptf("the file is empty")
	}
	at, err := skipTags(b)
	if err != nil {
		return s, 0, err
	}
	start := firstMP3Frame(b, at)
	if start < 0 {
		return s, 0, corruptf("no MP3 frame")
	}
	junkBytes = start - at
	first, _ := parseMP3Header(b[start:])
	s.rate, s.channels, s.perMP3 = first.rate, 1, first.frames
	declared := s.readInfo(b[start:min(start+first.bytes, len(b))], first)
	if declared >= 0 {
		start += first.bytes // that frame holds no sound
	}
	at = start
	for at < len(b) && !isTrailer(b[at:]) {
		h, ok := parseMP3Header(b[at:])
		if !ok || h.rate != first.rate || h.mpeg1 != first.mpeg1 {
			if len(b)-at < 4 {
				return s, 0, corruptf("truncated: unexpected end in a frame's header")
			}
			return s, 0, corruptf("damaged: no MP3 frame at byte %d, after %d frames", at, s.count)
		}
		if h.bytes > len(b)-at {
			return s, 0, corruptf("truncated: unexpected end in frame %d, %d bytes are missing", s.count, h.bytes-(len(b)-at))
		}
		if h.misread {
			return s, 0, corruptf("MP3 of %d frames per second at this bit rate is not supported, convert it to WAV or Ogg", h.rate)
		}
		if !h.mono {
			s.channels = 2
		}
		at += h.bytes
		s.count++
	}
	if s.count == 0 {
		return s, 0, corruptf("truncated: no frame with sound")
	}
	if declared > 0 && s.count < declared {
		return s, 0, corruptf("truncated: unexpected end after %d of %d frames", s.count, declared)
	}
	s.audio = b[start:at]
	return s, junkBytes, s.check(int64(s.count) * int64(s.perMP3))
}

// skipTags gives where the ID3v2 tags at the start end.
func skipTags(b []byte) (int, error) {
	const tagHeaderBytes = 10
	at := 0
	for len(b)-at >= tagHeaderBytes && string(b[at:at+3]) == "ID3" {
		size := 0
		for _, c := range b[at+6 : at+10] {
			size = size<<7 | int(c&0x7f)
		}
		if b[at+5]&0x10 != 0 { // a copy of the header follows the tag
			size += tagHeaderBytes
		}
		if size > len(b)-at-tagHeaderBytes {
			return 0, corruptf("truncated: an ID3 tag declares %d bytes, %d are left", size, len(b)-at-tagHeaderBytes)
		}
		at += tagHeaderBytes + size
	}
	return at, nil
}

// firstMP3Frame finds the first frame within 64 KiB: one that another follows,
// as junk may look like a header. -1: none.
func firstMP3Frame(b []byte, at int) int {
	const searchBytesMax = 64 << 10
	for i := at; i < min(len(b), at+searchBytesMax); i++ {
		h, ok := parseMP3Header(b[i:])
		if !ok {
			continue
		}
		rest := b[min(i+h.bytes, len(b)):]
		if i == at || isTrailer(rest) {
			return i
		}
		if next, ok := parseMP3Header(rest); ok && next.rate == h.rate && next.mpeg1 == h.mpeg1 {
			return i
		}
	}
	return -1
}

// isTrailer tells whether what follows the frames is a tag, or zeros.
func isTrailer(b []byte) bool {
	for _, tag := range [...]string{"TAG", "APETAGEX", "LYRICSBEGIN", "ID3", "3DI"} {
		if bytes.HasPrefix(b, []byte(tag)) {
			return true
		}
	}
	return len(bytes.Trim(b, "\x00")) == 0
}

// readInfo reads the frame that encoders put first to describe the rest. It
// gives how many frames there should be, 0 where it does not say, -1 when this
// frame is sound.
func (s *mp3Stream) readInfo(frame []byte, h mp3Header) int {
	const headerBytes, vbriAt = 4, 36
	if len(frame) >= vbriAt+18 && string(frame[vbriAt:vbriAt+4]) == "VBRI" {
		return int(binary.BigEndian.Uint32(frame[vbriAt+14:]))
	}
	at := headerBytes + h.sideBytes()
	if h.crc && len(frame) > at+6 && string(frame[at:at+4]) != "Xing" && string(frame[at:at+4]) != "Info" {
		at += 2
	}
	if len(frame) < at+8 || string(frame[at:at+4]) != "Xing" && string(frame[at:at+4]) != "Info" {
		return -1
	}
	flags := binary.BigEndian.Uint32(frame[at+4:])
	at += 8
	declared := 0
	for _, field := range [...]struct {
		flag uint32
		size int
	}{{1, 4}, {2, 4}, {4, 100}, {8, 4}} {
		if flags&field.flag == 0 {
			continue
		}
		if len(frame) < at+field.size {
			return declared
		}
		if field.flag == 1 {
			declared = int(binary.BigEndian.Uint32(frame[at:]))
		}
		at += field.size
	}
	// LAME and those who copy it say here how much silence they added.
	const gaplessAt = 21
	if len(frame) >= at+gaplessAt+3 && (string(frame[at:at+4]) == "LAME" || string(frame[at:at+3]) == "Lav") {
		g := frame[at+gaplessAt:]
		s.delay, s.padding = int(g[0])<<4|int(g[1])>>4, int(g[1]&15)<<8|int(g[2])
		s.gapless = true
	}
	return declared
}
