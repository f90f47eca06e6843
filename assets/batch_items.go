package assets

// The life of one batch item. Everything here runs under the store's lock.

func (b *Batch) newItemLocked(h Handle) int32 {
	b.listLocked()
	i := int32(len(b.items))
	b.items = append(b.items, batchItem{handle: h})
	b.index[h] = i
	b.pending.Add(1)
	b.total.Add(1)
	return i
}

// sendLocked answers an item out of what is known, or joins the load of its
// entry, or starts one.
func (b *Batch) sendLocked(i int32) {
	s := b.store
	h := b.items[i].handle
	e := s.entryLocked(h.Slot())
	switch {
	case e.hasPayload && e.reloadPending:
		b.failLocked(i, notReady(e.key))
		return
	case e.hasPayload && !b.followsLocked(h.Kind()):
		if !s.retainLocked(h.Slot(), 1) {
			b.failLocked(i, tooManyRetains(e.key))
			return
		}
		b.landLocked(i, 0)
		return
	case e.err != nil && !e.hasPayload:
		b.failLocked(i, e.err)
		return
	}
	b.items[i].state = itemWaiting
	if e.job == nil {
		e.job = s.newJobLocked(h, b.o.Priority)
		s.addWaiterLocked(e.job, b, i)
		s.pushJobLocked(e.job)
		s.refreshLocked(h.Slot())
		return
	}
	s.addWaiterLocked(e.job, b, i)
	e.job.stop.Store(false)
	s.setJobPriorityLocked(e.job, e.job.lowestPriority())
}

// landLocked records the receipt of an item, whose retain was just taken.
func (b *Batch) landLocked(i int32, charge int64) {
	item := &b.items[i]
	item.state = itemLanded
	b.chargeLocked(item, charge)
	b.landed = append(b.landed, i)
	b.store.coolAt(item.handle.Slot()).owner.Store(b.ownerID)
	b.store.forgetLocked(item.handle)
	b.pending.Add(-1)
}

// expandLocked is landLocked for an item whose needs come first.
func (b *Batch) expandLocked(i int32, charge int64) {
	b.items[i].state = itemExpanding
	b.chargeLocked(&b.items[i], charge)
	b.store.coolAt(b.items[i].handle.Slot()).owner.Store(b.ownerID)
}

// expandedLocked lands an item whose needs were followed, or could not be.
func (b *Batch) expandedLocked(i int32, err error) {
	item := &b.items[i]
	if err != nil {
		k := b.store.entryLocked(item.handle.Slot()).key
		b.failures = append(b.failures, Failure{Handle: item.handle, Key: k, Err: err})
	}
	b.landLocked(i, item.charge)
}

// chargeLocked keeps what an item's load declared, or gives it back (0).
func (b *Batch) chargeLocked(item *batchItem, n int64) {
	k := item.handle.Kind()
	b.store.unadoptedLocked(k, n-item.charge)
	if n == 0 {
		b.store.dischargeLocked(k, item.charge)
	}
	item.charge = n
}

// failLocked ends an item that holds a name.
func (b *Batch) failLocked(i int32, err error) {
	h := b.items[i].handle
	k := b.store.entryLocked(h.Slot()).key
	b.failures = append(b.failures, Failure{Handle: h, Key: k, Err: err})
	b.store.forgetLocked(h)
	b.endItemLocked(i)
}

// endItemLocked ends an item that holds nothing any more.
func (b *Batch) endItemLocked(i int32) {
	b.items[i].state = itemOver
	b.pending.Add(-1)
	b.unlistIfOverLocked()
}

func (b *Batch) cancelLocked() {
	s := b.store
	b.turn++
	for i := range b.items {
		item := &b.items[i]
		h, state := item.handle, item.state
		item.state = itemOver
		b.chargeLocked(item, 0)
		switch state {
		case itemNamed:
			s.forgetLocked(h)
		case itemWaiting:
			s.dropWaiterLocked(s.entryLocked(h.Slot()).job, b, int32(i))
			s.forgetLocked(h)
		case itemExpanding:
			s.releaseLocked(h.Slot())
			s.forgetLocked(h)
		case itemLanded:
			s.releaseLocked(h.Slot())
		}
	}
	b.landed, b.taken = b.landed[:0], 0
	b.unsent = len(b.items)
	b.pending.Store(0)
	b.unlistIfOverLocked()
}

// The store lists the batches that hold or wait for something, so that
// diagnostics and Close find them.

func (b *Batch) listLocked() {
	if b.listed {
		return
	}
	b.listed, b.prev, b.next = true, nil, b.store.mu.batches
	if b.next != nil {
		b.next.prev = b
	}
	b.store.mu.batches = b
}

func (b *Batch) unlistIfOverLocked() {
	if !b.listed || b.pending.Load() > 0 || b.heldLocked() > 0 {
		return
	}
	if b.prev == nil {
		b.store.mu.batches = b.next
	} else {
		b.prev.next = b.next
	}
	if b.next != nil {
		b.next.prev = b.prev
	}
	b.listed, b.prev, b.next = false, nil, nil
}
