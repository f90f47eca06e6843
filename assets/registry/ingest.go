package registry

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sojourn/assets"
	"sojourn/assets/meshfile"
)

// SetFallbacks loads what stands in for textures and materials that cannot be
// had, and holds them until Close. It must be called before the first ingest.
// It decodes on the calling goroutine: for starting up.
func (r *Registry) SetFallbacks(ctx context.Context, texture, material assets.Key) error {
	if texture.Kind != assets.KindTexture || material.Kind != assets.KindMaterial {
		return fmt.Errorf("fallbacks %s and %s: %w", texture, material, assets.ErrUnknownKind)
	}
	t, err := r.store.Retain(ctx, texture)
	if err != nil {
		return fmt.Errorf("fallback texture: %w", err)
	}
	m, err := r.store.Retain(ctx, material)
	if err != nil {
		r.store.Release(t)
		return fmt.Errorf("fallback material: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropFallbacksLocked()
	r.mu.fallbackTexture, r.mu.fallbackMaterial = t, m
	return nil
}

func (r *Registry) dropFallbacksLocked() {
	if r.mu.fallbackTexture != 0 {
		r.store.Release(r.mu.fallbackTexture)
		r.store.Release(r.mu.fallbackMaterial)
		r.mu.fallbackTexture, r.mu.fallbackMaterial = 0, 0
	}
}

// Fallbacks are the handles that stand in; zero before SetFallbacks.
func (r *Registry) Fallbacks() (texture, material assets.Handle) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.mu.fallbackTexture, r.mu.fallbackMaterial
}

// beginLocked checks the order of starting up and names the asset.
func (r *Registry) beginLocked(id uuid.UUID, kind assets.Kind) (assets.Handle, error) {
	if r.mu.fallbackTexture == 0 {
		return 0, fmt.Errorf("ingest of %v %s: %w", kind, id, ErrNoFallback)
	}
	row, ok := r.mu.byUUID[id]
	if !ok {
		return 0, fmt.Errorf("ingest of %v %s: %w", kind, id, ErrUnknown)
	}
	if row.key.Kind != kind {
		return 0, fmt.Errorf("ingest of %s as %v: %w", row.key, kind, ErrConflict)
	}
	return r.nameLocked(row)
}

func (r *Registry) notResident(h assets.Handle) error {
	key, _ := r.store.KeyOf(h)
	return fmt.Errorf("ingest of %s: %w: hold it retained", key, assets.ErrNotReady)
}

// IngestTexture takes up a texture and gives the handle to show: its own, or
// the fallback's where the store knows that it cannot be had. A second ingest
// gives the same.
func (r *Registry) IngestTexture(id uuid.UUID) (assets.Handle, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, err := r.beginLocked(id, assets.KindTexture)
	if err != nil {
		return 0, err
	}
	return r.textureLocked(h), nil
}

func (r *Registry) textureLocked(h assets.Handle) assets.Handle {
	if _, ok := r.mu.texture[h]; ok {
		return h
	}
	switch r.store.State(h) {
	case assets.StateFailed, assets.StateMissing, assets.StateStale:
		return r.mu.fallbackTexture // not taken up: a later ingest may have more luck
	}
	r.mu.texture[h] = struct{}{}
	return h
}

// IngestMesh takes up a mesh that the caller holds retained, and computes its
// bounding sphere. A second ingest does nothing.
func (r *Registry) IngestMesh(id uuid.UUID) (assets.Handle, error) {
	h, done, err := r.beginMesh(id)
	if err != nil || done {
		return h, err
	}
	m := r.meshes.At(h)
	if m == nil {
		return 0, r.notResident(h)
	}
	// Outside the lock: look-ups must not wait for a large mesh.
	var b assets.Bounds
	if err := assets.Guard(func() { b = meshfile.BoundsOf(m.Vertices) }); err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.mesh[h] = b
	return h, nil
}

func (r *Registry) beginMesh(id uuid.UUID) (h assets.Handle, done bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h, err = r.beginLocked(id, assets.KindMesh); err != nil {
		return 0, false, err
	}
	_, done = r.mu.mesh[h]
	return h, done, nil
}

// Bounds are those of an ingested mesh.
func (r *Registry) Bounds(mesh assets.Handle) (assets.Bounds, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	b, ok := r.mu.mesh[mesh]
	return b, ok
}

// IngestMaterial takes up a material that the caller holds retained, and its
// textures with it, known or not. A second ingest does nothing.
func (r *Registry) IngestMaterial(id uuid.UUID) (assets.Handle, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, err := r.beginLocked(id, assets.KindMaterial)
	if err != nil {
		return 0, err
	}
	if _, ok := r.mu.material[h]; ok {
		return h, nil
	}
	m := r.materials.At(h)
	if m == nil {
		return 0, r.notResident(h)
	}
	var maps MaterialMaps
	for slot, stem := range m.Maps {
		if stem == "" {
			continue
		}
		maps[slot] = r.mu.fallbackTexture
		if row, ok := r.mu.byKey[assets.Key{Stem: stem, Kind: assets.KindTexture}]; ok {
			t, err := r.nameLocked(row)
			if err != nil {
				return 0, err
			}
			maps[slot] = r.textureLocked(t)
		}
	}
	r.mu.material[h] = maps
	return h, nil
}

// Maps are the textures of an ingested material.
func (r *Registry) Maps(material assets.Handle) (MaterialMaps, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	m, ok := r.mu.material[material]
	return m, ok
}

// IngestModel takes up a model that the caller holds retained: from then on
// each of its meshes knows its place in the hierarchy. A second ingest does
// nothing.
func (r *Registry) IngestModel(id uuid.UUID) (assets.Handle, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, err := r.beginLocked(id, assets.KindModel)
	if err != nil {
		return 0, err
	}
	if _, ok := r.mu.model[h]; ok {
		return h, nil
	}
	m := r.models.At(h)
	if m == nil {
		return 0, r.notResident(h)
	}
	meshes := make([]assets.Handle, len(m.Parts))
	for i := range m.Parts {
		row, ok := r.mu.byKey[assets.Key{Stem: m.Parts[i].Mesh, Kind: assets.KindMesh}]
		if !ok {
			continue // drawn all the same; it has no identity
		}
		if meshes[i], err = r.nameLocked(row); err != nil {
			return 0, err
		}
	}
	for i, mesh := range meshes {
		if _, taken := r.mu.place[mesh]; mesh != 0 && !taken {
			r.mu.place[mesh] = Place{Model: h, Part: int32(i), Node: m.Parts[i].Node}
		}
	}
	r.mu.model[h] = meshes
	return h, nil
}

// PlaceOf is where a mesh hangs, by the first ingested model that has it.
func (r *Registry) PlaceOf(mesh assets.Handle) (Place, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	p, ok := r.mu.place[mesh]
	return p, ok
}

// Forget drops what was ingested of the changed families, before a reload. The
// assets stay known.
func (r *Registry) Forget(c assets.Changes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for h, row := range r.mu.byHandle {
		if !c.Has(row.key) {
			continue
		}
		delete(r.mu.texture, h)
		delete(r.mu.mesh, h)
		delete(r.mu.material, h)
		for _, mesh := range r.mu.model[h] {
			if r.mu.place[mesh].Model == h {
				delete(r.mu.place, mesh)
			}
		}
		delete(r.mu.model, h)
	}
}

func (r *Registry) clearIngestedLocked() {
	clear(r.mu.texture)
	clear(r.mu.mesh)
	clear(r.mu.material)
	clear(r.mu.model)
	clear(r.mu.place)
}
