package assets

// Adopt moves the receipts that have landed into a scope, which then holds
// their retains, and tells how many. It may be called at any time; a batch
// larger than the in-flight ceiling goes on as it is adopted, and one load at a
// time where it is not.
func (b *Batch) Adopt(scope *Scope) (adopted int) {
	s := b.store
	b.checkScope(scope)
	s.mu.Lock()
	defer s.unlock()
	for b.heldLocked() > 0 {
		b.adoptLocked(scope)
		adopted++
	}
	b.unlistIfOverLocked()
	return adopted
}

// Landed tells what the next receipt to adopt brings into memory, in payload
// bytes: zero where the asset was there before, or is another batch's load that
// this one joined. ok is false when none has landed. It lets a frame's budget
// see each before [Batch.AdoptOne].
func (b *Batch) Landed() (bytes int64, ok bool) {
	s := b.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.heldLocked() == 0 {
		return 0, false
	}
	item := &b.items[b.landed[b.taken]]
	if item.charge == 0 {
		return 0, true
	}
	return s.entryLocked(item.handle.Slot()).cost.Total(), true
}

// AdoptOne moves the receipt that [Batch.Landed] told of, the first that
// landed, into a scope, and tells whether there was one. See [Batch.Adopt].
func (b *Batch) AdoptOne(scope *Scope) bool {
	s := b.store
	b.checkScope(scope)
	s.mu.Lock()
	defer s.unlock()
	if b.heldLocked() == 0 {
		return false
	}
	b.adoptLocked(scope)
	b.unlistIfOverLocked()
	return true
}

func (b *Batch) checkScope(scope *Scope) {
	if scope == nil || scope.store != b.store {
		panic("assets: a batch adopts into no scope of its store")
	}
}

// heldLocked is how many receipts have landed and were not adopted.
func (b *Batch) heldLocked() int { return len(b.landed) - b.taken }

// adoptLocked hands the first receipt over.
func (b *Batch) adoptLocked(scope *Scope) {
	item := &b.items[b.landed[b.taken]]
	b.taken++
	if b.taken == len(b.landed) {
		b.landed, b.taken = b.landed[:0], 0
	}
	scope.link()
	scope.mu.Lock()
	scope.mu.held.Add(item.handle)
	scope.mu.Unlock()
	b.store.coolAt(item.handle.Slot()).owner.Store(scope.ownerID)
	b.chargeLocked(item, 0)
	item.state = itemOver
}
