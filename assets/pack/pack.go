package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"sojourn/assets"
	"sojourn/assets/mapped"
)

// Pack is an open zip file. It implements [assets.Source]; every method may be
// called from any goroutine.
//
// One descriptor serves all entries. The file is mapped as a whole when an
// entry is first mapped, and stays so until the pack is closed and the last
// lease is released.
type Pack struct {
	path      string
	file      *os.File
	fileBytes int64
	dir       *directory
	closed    atomic.Bool // set under mu

	mu struct {
		sync.Mutex
		mapping *mapped.File
		noMap   bool // mapping failed once; not tried again
		spare   []*codec
	}
}

var _ assets.Source = (*Pack)(nil)

// Open opens a zip file and reads its directory. The error names the file and,
// where one is at fault, the entry; it wraps [assets.ErrCorrupt] for damaged
// and [assets.ErrTooLarge] for oversized directories. The caller closes the
// pack.
func Open(path string) (*Pack, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w", path, err)
	}
	p, err := open(path, f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("pack %s: %w", path, err)
	}
	return p, nil
}

func open(path string, f *os.File) (*Pack, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	d, err := readDirectory(f, info.Size())
	if err != nil {
		return nil, err
	}
	return &Pack{path: path, file: f, fileBytes: info.Size(), dir: d}, nil
}

// Name is the path the pack was opened by.
func (p *Pack) Name() string { return p.path }

// Len is the number of entries.
func (p *Pack) Len() int { return len(p.dir.records) }

// Info describes an entry as the directory declares it.
type Info struct {
	Name         string
	SizeBytes    int64 // of the content
	EncodedBytes int64 // in the file
	CRC32        uint32
	Raw          bool // stored uncompressed: can be mapped and read in ranges
}

// Stat describes an entry without reading the file.
func (p *Pack) Stat(name string) (info Info, ok bool) {
	r := p.dir.find(name)
	if r == nil {
		return Info{}, false
	}
	return Info{
		Name: p.dir.name(r), SizeBytes: r.sizeBytes, EncodedBytes: r.encodedBytes,
		CRC32: r.crc, Raw: r.method == methodStore,
	}, true
}

// List yields every entry in ascending order of names.
func (p *Pack) List(yield func(name string, sizeBytes int64) bool) error {
	if p.closed.Load() {
		return fmt.Errorf("pack %s: %w", p.path, assets.ErrClosed)
	}
	for i := range p.dir.records {
		r := &p.dir.records[i]
		if !yield(p.dir.name(r), r.sizeBytes) {
			return nil
		}
	}
	return nil
}

// Open gives one entry; the caller closes it. Only the entry's header is read
// here and compared with the directory, so that a declared size can be trusted
// before anyone allocates by it; very large compressed entries have their
// frame headers added up, too.
func (p *Pack) Open(name string) (assets.Entry, error) {
	if p.closed.Load() {
		return nil, fmt.Errorf("pack %s: entry %q: %w", p.path, name, assets.ErrClosed)
	}
	r := p.dir.find(name)
	if r == nil {
		return nil, p.missing("open", name)
	}
	e := entry{pack: p, record: r}
	if err := e.resolve(); err != nil {
		return nil, err
	}
	switch r.method {
	case methodStore:
		return &rawEntry{entry: e}, nil
	case methodZstd:
		z := &zstdEntry{entry: e}
		if err := z.checkDeclared(); err != nil {
			z.Close()
			return nil, err
		}
		return z, nil
	default:
		return &deflateEntry{entry: e}, nil
	}
}

func (p *Pack) missing(verb, name string) error {
	return fmt.Errorf("pack %s: %s %q: %w", p.path, verb, name, fs.ErrNotExist)
}

// Close ends reads, also of entries that are open. Leases stay valid until
// released; the mapping goes with the last one. Closing twice does nothing.
func (p *Pack) Close() error {
	p.mu.Lock()
	if p.closed.Swap(true) {
		p.mu.Unlock()
		return nil
	}
	m, spare := p.mu.mapping, p.mu.spare // the mapping stays known: Leases counts
	p.mu.spare = nil
	p.mu.Unlock()
	if m != nil {
		m.Close()
	}
	for _, c := range spare {
		c.close()
	}
	if err := p.file.Close(); err != nil {
		return fmt.Errorf("pack %s: %w", p.path, err)
	}
	return nil
}

// lease maps the file on first use. It refuses when the file has been
// shortened: the caller then reads and gets an error instead of a fault.
func (p *Pack) lease(off, n int64) (assets.Lease, bool) {
	info, err := p.file.Stat()
	if err != nil || info.Size() < p.fileBytes {
		return nil, false
	}
	m := p.mapping()
	if m == nil {
		return nil, false
	}
	l, ok := m.Lease(off, n)
	if !ok {
		return nil, false
	}
	return l, true
}

func (p *Pack) mapping() *mapped.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mu.mapping == nil && !p.mu.noMap && !p.closed.Load() {
		m, err := mapped.Open(p.file, p.fileBytes)
		p.mu.mapping, p.mu.noMap = m, err != nil
	}
	return p.mu.mapping
}
