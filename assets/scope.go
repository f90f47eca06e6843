package assets

import (
	"sync"

	"sojourn/chunked"
)

// Scope holds many retains that end together: a cell, a preload, a layer. It
// belongs to one goroutine. Once its buffer has grown, filling and emptying it
// allocates nothing.
type Scope struct {
	noCopy  noCopy
	store   *Store
	owner   string
	ownerID uint32
	listed  bool // on the store's list; only the scope's goroutine looks

	mu struct {
		sync.Mutex // taken by diagnostics too
		held       chunked.List[Handle]
	}
	prev, next *Scope // guarded by the list's lock
}

// NewScope makes an empty scope without an owner's name.
func NewScope(s *Store) *Scope { return NewScopeOwned(s, "") }

// NewScopeOwned makes an empty scope whose owner diagnostics name.
func NewScopeOwned(s *Store, owner string) *Scope {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Scope{store: s, owner: owner, ownerID: s.ownerIDLocked(owner)}
}

// Owner is the name given when the scope was made.
func (c *Scope) Owner() string { return c.owner }

// Len is the number of retains held.
func (c *Scope) Len() int { return c.mu.held.Len() }

// Reserve makes room for n more retains.
func (c *Scope) Reserve(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.held.Reserve(c.mu.held.Len() + n)
}

// TryRetain takes a retain on an asset that is in memory and holds it; see
// [Store.TryRetain]. Retaining one asset twice holds it twice.
func (c *Scope) TryRetain(h Handle) bool {
	if !c.store.TryRetain(h) {
		return false
	}
	c.link()
	c.store.coolAt(h.Slot()).owner.Store(c.ownerID)
	c.mu.Lock()
	c.mu.held.Add(h)
	c.mu.Unlock()
	return true
}

// ReleaseAll gives back every retain, in the reverse of the order they were
// taken, and keeps the buffer. On an empty scope it does nothing.
func (c *Scope) ReleaseAll() {
	c.mu.Lock()
	held := c.mu.held
	c.mu.held = chunked.List[Handle]{} // diagnostics must not list what is going
	c.mu.Unlock()
	for held.Len() > 0 {
		c.store.Release(held.Take())
	}
	c.mu.Lock()
	c.mu.held = held
	c.mu.Unlock()
	c.unlink()
}

// ReleaseSome gives back up to n retains, the last taken first, and tells how
// many it gave back.
func (c *Scope) ReleaseSome(n int) int {
	done := 0
	for done < n && c.mu.held.Len() > 0 {
		c.mu.Lock()
		h := c.mu.held.Take()
		c.mu.Unlock()
		c.store.Release(h)
		done++
	}
	if c.mu.held.Len() == 0 {
		c.unlink()
	}
	return done
}

// scopeList is the scopes that hold something, for diagnostics and Close.
type scopeList struct {
	mu struct {
		sync.Mutex
		first *Scope
	}
}

func (c *Scope) link() {
	if c.listed {
		return
	}
	c.listed = true
	list := &c.store.scopes
	list.mu.Lock()
	defer list.mu.Unlock()
	c.prev, c.next = nil, list.mu.first
	if c.next != nil {
		c.next.prev = c
	}
	list.mu.first = c
}

func (c *Scope) unlink() {
	if !c.listed {
		return
	}
	c.listed = false
	list := &c.store.scopes
	list.mu.Lock()
	defer list.mu.Unlock()
	if c.prev == nil {
		list.mu.first = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next != nil {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
}

// holders names the scopes that hold an asset.
func (l *scopeList) holders(h Handle) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var names []string
	for c := l.mu.first; c != nil; c = c.next {
		c.mu.Lock()
		for i := range c.mu.held.Len() {
			if *c.mu.held.At(i) == h {
				names = append(names, ownerOr(c.owner, "a scope"))
				break
			}
		}
		c.mu.Unlock()
	}
	return names
}

func ownerOr(owner, otherwise string) string {
	if owner == "" {
		return otherwise
	}
	return owner
}
