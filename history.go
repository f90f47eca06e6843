package sojourn

import "sojourn/stages/work"

// historyFrames is how many frames of account a session keeps.
const historyFrames = 240

// history is a ring of the last frames' accounts.
type history struct {
	frames [historyFrames]work.Facts
	n      int64
}

func (h *history) add(f work.Facts) {
	h.frames[h.n%historyFrames] = f
	h.n++
}

// LastFrame is the account of the frame that was presented last.
func (s *Session) LastFrame() work.Facts {
	if s.history.n == 0 {
		return work.Facts{}
	}
	return s.history.frames[(s.history.n-1)%historyFrames]
}

// History appends the last frames' accounts, oldest first.
func (s *Session) History(dst []work.Facts) []work.Facts {
	for i := max(0, s.history.n-historyFrames); i < s.history.n; i++ {
		dst = append(dst, s.history.frames[i%historyFrames])
	}
	return dst
}
