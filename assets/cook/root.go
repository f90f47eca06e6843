package cook

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sync"

	"sojourn/assets"
)

// root is one content folder. Nothing outside it is ever read, whatever links
// or paths say. Safe for any goroutine.
type root struct {
	dir    string
	fs     *os.Root
	hashes sync.Map // path -> func() (string, error)
}

func openRoot(dir string) (*root, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &root{dir: dir, fs: r}, nil
}

// open opens a regular file of at most [FileBytesMax].
func (r *root) open(name string) (*os.File, int64, error) {
	if !fs.ValidPath(name) {
		return nil, 0, fmt.Errorf("%q: %w", name, ErrOutside)
	}
	// Asked before opening: opening a named pipe would wait for its writer.
	info, err := r.fs.Stat(name)
	if err != nil {
		return nil, 0, r.reason(name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%q is not a regular file", name)
	}
	if info.Size() > FileBytesMax {
		return nil, 0, fmt.Errorf("%w: %d bytes, the limit is %d", assets.ErrTooLarge, info.Size(), int64(FileBytesMax))
	}
	f, err := r.fs.Open(name)
	if err != nil {
		return nil, 0, r.reason(name, err)
	}
	return f, info.Size(), nil
}

// reason says what is wrong without the words of the system call.
func (r *root) reason(name string, err error) error {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%q: %w", name, fs.ErrNotExist)
	case errors.As(err, &pe) && pe.Err.Error() == "path escapes from parent":
		return fmt.Errorf("%q leads %w", name, ErrOutside)
	case errors.As(err, &pe):
		return fmt.Errorf("%q: %w", name, pe.Err)
	}
	return err
}

// read gives a whole file and its hash.
func (r *root) read(name string) (data []byte, hash string, err error) {
	f, size, err := r.open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	data = make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, "", fmt.Errorf("%q changed while it was read: %w", name, err)
	}
	sum := sha256.Sum256(data)
	return data, hex.EncodeToString(sum[:]), nil
}

// absent is the hash of a file that is not there.
const absent = ""

// hash is the content hash of a file, worked out once a run without holding
// the content; [absent] where there is no such file.
func (r *root) hash(name string) (string, error) {
	once, _ := r.hashes.LoadOrStore(name, sync.OnceValues(func() (string, error) {
		f, _, err := r.open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return absent, nil
		}
		if err != nil {
			return "", err
		}
		defer f.Close()
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil {
			return "", err
		}
		return hex.EncodeToString(h.Sum(nil)), nil
	}))
	return once.(func() (string, error))()
}

// walk calls yield with every regular file, dot files and folders left out,
// and skip with what it could not or would not enter.
func (r *root) walk(yield func(name string, bytes int64), skip func(name string, err error)) error {
	return fs.WalkDir(r.fs.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if name != "." && path.Base(name)[0] == '.' {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err != nil {
			if name == "." {
				return err
			}
			skip(name, r.reason(name, err))
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, err := r.fs.Stat(name)
		switch {
		case err != nil:
			skip(name, r.reason(name, err))
		case info.IsDir():
			skip(name, errors.New("links to folders are not followed"))
		case !info.Mode().IsRegular():
			skip(name, errors.New("not a regular file"))
		default:
			yield(name, info.Size())
		}
		return nil
	})
}
