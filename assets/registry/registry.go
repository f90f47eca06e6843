package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/google/uuid"

	"sojourn/assets"
)

// EntryName is the entry of a cooked pack that lists its assets.
const EntryName = ".cook/registry"

// EntryBytesMax bounds it.
const EntryBytesMax = 256 << 20

var (
	// ErrNoFallback is wrapped by every Ingest before [Registry.SetFallbacks]:
	// the order of starting up is wrong.
	ErrNoFallback = errors.New("no fallback: call SetFallbacks with a texture and a material before the first ingest")
	// ErrConflict is wrapped when one UUID stands for two assets, or one asset
	// has two.
	ErrConflict = errors.New("conflicting identities")
	// ErrUnknown is wrapped when an asset is not in the registry.
	ErrUnknown = errors.New("not registered")
)

// Registry is the identities of assets. Close it before its store.
type Registry struct {
	store     *assets.Store
	textures  *assets.Residency[assets.Texture]
	meshes    *assets.Residency[assets.Mesh]
	models    *assets.Residency[assets.Model]
	materials *assets.Residency[assets.Material]

	mu struct {
		sync.RWMutex
		byUUID   map[uuid.UUID]*row
		byKey    map[assets.Key]*row
		byHandle map[assets.Handle]*row

		fallbackTexture, fallbackMaterial assets.Handle

		// What was ingested.
		texture  map[assets.Handle]struct{}
		mesh     map[assets.Handle]assets.Bounds
		material map[assets.Handle]MaterialMaps
		model    map[assets.Handle][]assets.Handle // its meshes, one a part
		place    map[assets.Handle]Place           // by mesh
	}
}

// row is one known asset. Its handle keeps the entry's name.
type row struct {
	uuid   uuid.UUID
	key    assets.Key
	handle assets.Handle // zero until asked for
}

// MaterialMaps are the textures a material shows, the fallback where one is
// named and cannot be had; zero where none is named.
type MaterialMaps [assets.MapSlots]assets.Handle

// Place is where a mesh hangs: a part of a model, on one of its nodes.
type Place struct {
	Model assets.Handle
	Part  int32
	Node  int32
}

// New makes an empty registry of a store with the built-in kinds.
func New(store *assets.Store) *Registry {
	r := &Registry{
		store:     store,
		textures:  assets.Of[assets.Texture](store, assets.KindTexture),
		meshes:    assets.Of[assets.Mesh](store, assets.KindMesh),
		models:    assets.Of[assets.Model](store, assets.KindModel),
		materials: assets.Of[assets.Material](store, assets.KindMaterial),
	}
	r.mu.byUUID, r.mu.byKey = map[uuid.UUID]*row{}, map[assets.Key]*row{}
	r.mu.byHandle = map[assets.Handle]*row{}
	r.mu.texture, r.mu.mesh = map[assets.Handle]struct{}{}, map[assets.Handle]assets.Bounds{}
	r.mu.material, r.mu.model = map[assets.Handle]MaterialMaps{}, map[assets.Handle][]assets.Handle{}
	r.mu.place = map[assets.Handle]Place{}
	return r
}

// Read makes every asset known that a cooked source lists, and tells how many
// were new. A source without a list has none. Reading the list of a pack that
// was made anew, or renamed, changes nothing for assets that are known: their
// UUIDs are the same. The error names the source; on error nothing changes.
func (r *Registry) Read(src assets.Source) (added int, err error) {
	e, err := src.Open(EntryName)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer e.Close()
	if e.SizeBytes() > EntryBytesMax {
		return 0, fmt.Errorf("%s: %s: %w: %d bytes, at most %d", src.Name(), EntryName, assets.ErrTooLarge, e.SizeBytes(), EntryBytesMax)
	}
	var list []struct {
		UUID uuid.UUID `json:"uuid"`
		Kind string    `json:"kind"`
		Stem string    `json:"stem"`
	}
	if err := json.NewDecoder(io.NewSectionReader(e, 0, e.SizeBytes())).Decode(&list); err != nil {
		return 0, fmt.Errorf("%s: %s: %w: %w", src.Name(), EntryName, assets.ErrCorrupt, err)
	}
	rows := make([]*row, 0, len(list))
	for _, item := range list {
		kind, ok := r.store.KindByName(item.Kind)
		if !ok {
			return 0, fmt.Errorf("%s: %s: %w: %q", src.Name(), EntryName, assets.ErrUnknownKind, item.Kind)
		}
		key, err := assets.NewKey(item.Stem, kind)
		if err != nil {
			return 0, fmt.Errorf("%s: %s: %w", src.Name(), EntryName, err)
		}
		rows = append(rows, &row{uuid: item.UUID, key: key})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range rows {
		if err := r.conflictLocked(row.uuid, row.key); err != nil {
			return 0, fmt.Errorf("%s: %s: %w", src.Name(), EntryName, err)
		}
	}
	for _, row := range rows {
		added += r.addLocked(row)
	}
	return added, nil
}

// Register makes one asset known by hand. Doing so again does nothing.
func (r *Registry) Register(id uuid.UUID, k assets.Key) error {
	if err := assets.CheckStem(k.Stem); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.conflictLocked(id, k); err != nil {
		return err
	}
	r.addLocked(&row{uuid: id, key: k})
	return nil
}

func (r *Registry) conflictLocked(id uuid.UUID, k assets.Key) error {
	if id == uuid.Nil {
		return fmt.Errorf("%w: %s has no UUID", ErrConflict, k)
	}
	if other, ok := r.mu.byUUID[id]; ok && other.key != k {
		return fmt.Errorf("%w: %s is %s and %s", ErrConflict, id, other.key, k)
	}
	if other, ok := r.mu.byKey[k]; ok && other.uuid != id {
		return fmt.Errorf("%w: %s is %s and %s", ErrConflict, k, other.uuid, id)
	}
	return nil
}

func (r *Registry) addLocked(row *row) int {
	if _, ok := r.mu.byUUID[row.uuid]; ok {
		return 0
	}
	r.mu.byUUID[row.uuid], r.mu.byKey[row.key] = row, row
	return 1
}

// Len is the number of known assets.
func (r *Registry) Len() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.mu.byUUID)
}

// Key is the asset a UUID stands for.
func (r *Registry) Key(id uuid.UUID) (assets.Key, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if row, ok := r.mu.byUUID[id]; ok {
		return row.key, true
	}
	return assets.Key{}, false
}

// UUID is an asset's identity.
func (r *Registry) UUID(k assets.Key) (uuid.UUID, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if row, ok := r.mu.byKey[k]; ok {
		return row.uuid, true
	}
	return uuid.Nil, false
}

// UUIDOf is the identity behind a handle that [Registry.Handle] gave.
func (r *Registry) UUIDOf(h assets.Handle) (uuid.UUID, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if row, ok := r.mu.byHandle[h]; ok {
		return row.uuid, true
	}
	return uuid.Nil, false
}

// Handle is the handle of a known asset, good until [Registry.Close]. It loads
// nothing. The error wraps [ErrUnknown], or what naming it says.
func (r *Registry) Handle(id uuid.UUID) (assets.Handle, error) {
	r.mu.RLock()
	row, ok := r.mu.byUUID[id]
	if ok && row.handle != 0 {
		defer r.mu.RUnlock()
		return row.handle, nil
	}
	r.mu.RUnlock()
	if !ok {
		return 0, fmt.Errorf("UUID %s: %w", id, ErrUnknown)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nameLocked(row)
}

func (r *Registry) nameLocked(row *row) (assets.Handle, error) {
	if row.handle == 0 {
		h, err := r.store.Name(row.key)
		if err != nil {
			return 0, err
		}
		row.handle = h
		r.mu.byHandle[h] = row
	}
	return row.handle, nil
}

// Close gives up every name and the fallbacks' retains.
func (r *Registry) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for h := range r.mu.byHandle {
		r.store.Forget(h)
	}
	for _, row := range r.mu.byUUID {
		row.handle = 0
	}
	clear(r.mu.byHandle)
	r.clearIngestedLocked()
	r.dropFallbacksLocked()
}
