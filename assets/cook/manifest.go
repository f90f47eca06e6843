package cook

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"sojourn/assets"
	"sojourn/assets/pack"
)

// Entries of a cooked pack that are not assets, both JSON.
const (
	// ManifestName holds what the next run needs to know.
	ManifestName = ".cook/manifest"
	// RegistryName lists uuid, kind and stem of every asset, sorted by stem
	// and kind.
	RegistryName = ".cook/registry"
)

// importersVersion changes whenever the same source gives another output.
const importersVersion = "1"

// Version names everything in this program that decides what a source file
// becomes. A pack of another version is not reused.
var Version = sync.OnceValue(func() string {
	parts := []string{importersVersion, runtime.Version()}
	decisive := []string{
		"github.com/hajimehoshi/go-mp3", "github.com/jfreymuth/oggvorbis", "github.com/jfreymuth/vorbis",
		"github.com/klauspost/compress", "github.com/qmuntal/gltf", "golang.org/x/image", "github.com/fxamacker/cbor/v2",
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if slices.Contains(decisive, m.Path) {
				parts = append(parts, m.Path+"@"+m.Version)
			}
		}
	}
	return strings.Join(parts, " ")
})

type manifest struct {
	Version string       `json:"version"`
	Files   []fileRecord `json:"files"` // by path
}

// fileRecord is all that decided a file's outputs, and what they are.
type fileRecord struct {
	Path     string         `json:"path"`
	Hash     string         `json:"hash"`
	Reads    []readRecord   `json:"reads,omitempty"` // by path
	Outputs  []outputRecord `json:"outputs"`         // as emitted
	Warnings []string       `json:"warnings,omitempty"`
}

type readRecord struct {
	Path string `json:"path"`
	Hash string `json:"hash"` // empty: it was not there
}

type outputRecord struct {
	Stem   string      `json:"stem"`
	Kind   assets.Kind `json:"kind"`
	Suffix string      `json:"suffix,omitempty"`
	Raw    bool        `json:"raw,omitempty"`
	Bytes  int64       `json:"bytes"`
	CRC    uint32      `json:"crc"`
}

func (o *outputRecord) entry() string   { return o.Stem + o.Suffix }
func (o *outputRecord) key() assets.Key { return assets.Key{Stem: o.Stem, Kind: o.Kind} }

type registryRow struct {
	UUID uuid.UUID `json:"uuid"`
	Kind string    `json:"kind"`
	Stem string    `json:"stem"`
}

// lines encodes rows as JSON, one a line, so that packs can be compared with
// ordinary tools.
func lines[T any](rows []T) ([]byte, error) {
	out := []byte("[")
	for i, row := range rows {
		line, err := json.Marshal(row)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, '\n'), line...)
	}
	return append(out, "\n]"...), nil
}

func (m *manifest) encode() ([]byte, error) {
	files, err := lines(m.Files)
	if err != nil {
		return nil, err
	}
	version, err := json.Marshal(m.Version)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "{\"version\":%s,\"files\":%s}\n", version, files), nil
}

// manifestBytesMax bounds the manifest of an old pack.
const manifestBytesMax = 256 << 20

// oldPack is what the run before left.
type oldPack struct {
	*pack.Pack
	files map[string]*fileRecord
}

// openOld opens a pack to reuse; the error says why it can't be.
func openOld(path string) (*oldPack, error) {
	p, err := pack.Open(path)
	if err != nil {
		return nil, err
	}
	o := &oldPack{Pack: p, files: map[string]*fileRecord{}}
	if err := o.readManifest(); err != nil {
		p.Close()
		return nil, err
	}
	return o, nil
}

func (o *oldPack) readManifest() error {
	info, ok := o.Stat(ManifestName)
	if !ok {
		return fmt.Errorf("it has no %s", ManifestName)
	}
	if info.SizeBytes > manifestBytesMax {
		return fmt.Errorf("%s has %d bytes, the limit is %d", ManifestName, info.SizeBytes, manifestBytesMax)
	}
	e, err := o.Open(ManifestName)
	if err != nil {
		return err
	}
	defer e.Close()
	text, err := io.ReadAll(io.NewSectionReader(e, 0, info.SizeBytes))
	if err != nil {
		return err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("%s: %w", ManifestName, err)
	}
	if m.Version != Version() {
		return errOtherVersion
	}
	for i := range m.Files {
		o.files[m.Files[i].Path] = &m.Files[i]
	}
	return nil
}

// record gives what the old pack knows about a source file, if the entries it
// names are there and are what they were.
func (o *oldPack) record(s *source) (*fileRecord, bool) {
	rec, ok := o.files[s.path]
	if !ok {
		return nil, false
	}
	for i := range rec.Outputs {
		out := &rec.Outputs[i]
		info, ok := o.Stat(out.entry())
		if !ok || info.SizeBytes != out.Bytes || info.CRC32 != out.CRC || info.Raw != out.Raw {
			return nil, false
		}
	}
	return rec, true
}
