// Package registry finds cooked assets by the UUIDs the cook gave them, and
// keeps what a scene editor or an importer asks of assets beside their
// payloads: a mesh's bounding sphere and the hierarchy it hangs in, a
// material's textures.
//
// Knowing an asset and having ingested it are two things. [Registry.Read]
// makes every asset of a pack known; the Ingest methods look only into maps of
// their own for what they have, so that an asset that is merely known is not
// mistaken for one.
//
// Look-ups by UUID, by key and by handle are map accesses. Every method may be
// called from any goroutine.
package registry
