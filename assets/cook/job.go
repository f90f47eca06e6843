package cook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/google/uuid"

	"sojourn/assets"
	"sojourn/assets/cook/picture"
	"sojourn/assets/cook/unit"
)

// cooked is a file that went through.
type cooked struct {
	source *source
	record fileRecord
	uuid   uuid.UUID // from a sidecar, or zero
	spans  []span    // of the outputs; none when they are in the old pack
	reused bool
}

// errSpool marks faults that are ours, not the file's: they end the run.
var errSpool = errors.New("cannot keep outputs")

// job cooks one file. It belongs to one worker.
type job struct {
	ctx    context.Context
	lane   *lane
	spool  *spool
	source *source
	out    *cooked
	reads  map[string]string // path -> hash
	held   int64             // source bytes in memory
	inLane bool
	err    error // first fault of emitting
}

// lane lets one large file at a time take memory, whatever the number of jobs.
// Who is in it waits for nothing else.
type lane chan struct{}

// laneBytesMin is the estimated memory from which a file counts as large.
const laneBytesMin = 96 << 20

func (j *job) enterLane(bytes int64) error {
	if j.inLane || bytes < laneBytesMin {
		return nil
	}
	select {
	case *j.lane <- struct{}{}:
		j.inLane = true
		return nil
	case <-j.ctx.Done():
		return context.Cause(j.ctx)
	}
}

func (j *job) leaveLane() {
	if j.inLane {
		<-*j.lane
		j.inLane = false
	}
}

// run leaves the outcome in out.
func (j *job) run(old *oldPack) (err error) {
	var id uuid.UUID
	if j.source.sidecar != "" {
		if id, err = readSidecar(j.source); err != nil {
			return err
		}
	}
	if old == nil || !j.reuse(old) {
		if err := j.cook(); err != nil {
			return err
		}
	}
	j.out.uuid = id
	return nil
}

// reuse tells whether the old pack has what this file would become.
func (j *job) reuse(old *oldPack) bool {
	s := j.source
	rec, ok := old.record(s)
	if !ok {
		return false
	}
	if h, err := s.root.hash(s.path); err != nil || h != rec.Hash {
		return false
	}
	for _, r := range rec.Reads {
		if h, err := s.root.hash(r.Path); err != nil || h != r.Hash {
			return false
		}
	}
	j.out = &cooked{source: s, record: *rec, reused: true}
	return true
}

// cook imports the file and spools what comes out.
func (j *job) cook() error {
	defer j.leaveLane()
	s := j.source
	if err := j.enterLane(s.bytes * s.route.growth); err != nil {
		return err
	}
	data, hash, err := s.root.read(s.path)
	if err != nil {
		return err
	}
	if s.route.kind == assets.KindTexture {
		info, err := picture.Inspect(data)
		if err != nil {
			return err
		}
		if err := j.enterLane(info.WorkBytes); err != nil {
			return err
		}
	}
	j.out = &cooked{source: s, record: fileRecord{Path: s.path, Hash: hash, Outputs: []outputRecord{}}}
	j.reads = map[string]string{}
	j.held = int64(len(data))
	start := j.spool.end
	err = j.importGuarded(data)
	if err == nil {
		err = j.err
	}
	if err == nil && len(j.out.record.Outputs) == 0 {
		err = fmt.Errorf("%w: nothing in it can be cooked", assets.ErrCorrupt)
	}
	if err != nil {
		j.spool.end = start
		return err
	}
	for path, hash := range j.reads {
		j.out.record.Reads = append(j.out.record.Reads, readRecord{path, hash})
	}
	slices.SortFunc(j.out.record.Reads, func(a, b readRecord) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func (j *job) importGuarded(data []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, r)
		}
	}()
	return j.source.route.importer(&unit.Input{
		Path: j.source.path, Stem: j.source.stem, Data: data,
		Read: j.read,
		Warn: func(format string, args ...any) {
			j.out.record.Warnings = append(j.out.record.Warnings, fmt.Sprintf(format, args...))
		},
	}, j.emit)
}

// read is [unit.Input.Read].
func (j *job) read(path string) ([]byte, error) {
	if err := context.Cause(j.ctx); err != nil {
		return nil, err
	}
	f, size, err := j.source.root.open(path)
	if err == nil {
		f.Close()
		j.held += size
		if err := j.enterLane(j.held * j.source.route.growth); err != nil {
			return nil, err
		}
		var data []byte
		var hash string
		if data, hash, err = j.source.root.read(path); err == nil {
			j.reads[path] = hash
			return data, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		j.reads[path] = absent
	}
	return nil, err
}

func (j *job) emit(o unit.Output) {
	if j.err != nil {
		return
	}
	if j.err = context.Cause(j.ctx); j.err != nil {
		return
	}
	if j.err = assets.CheckStem(o.Key.Stem); j.err != nil {
		return
	}
	if assets.StemFamily(o.Key.Stem) != j.source.stem {
		j.err = fmt.Errorf("%w: %q is no part of %q", assets.ErrBadStem, o.Key.Stem, j.source.stem)
		return
	}
	if len(o.Data) > FileBytesMax {
		j.err = fmt.Errorf("%w: %s%s would have %d bytes, the limit is %d",
			assets.ErrTooLarge, o.Key.Stem, o.Suffix, len(o.Data), int64(FileBytesMax))
		return
	}
	at, crc, err := j.spool.add(o.Data, o.Raw)
	if err != nil {
		j.err = fmt.Errorf("%w: %w", errSpool, err)
		return
	}
	j.out.spans = append(j.out.spans, at)
	j.out.record.Outputs = append(j.out.record.Outputs, outputRecord{
		Stem: o.Key.Stem, Kind: o.Key.Kind, Suffix: o.Suffix, Raw: o.Raw, Bytes: int64(len(o.Data)), CRC: crc,
	})
}
