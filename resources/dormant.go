package resources

import (
	"sojourn/assets"
	"sojourn/gpu"
)

// DormantMax bounds the records of one world.
const DormantMax = 16384

// DormantSpawn is one thing a game put into a layer, as the layer left it.
type DormantSpawn struct {
	Model string // stem
	World gpu.Mat4
}

// Dormant keeps what games put into layers that are gone, by the layer's
// document, so that a revisit finds it where it was.
type Dormant struct {
	records map[assets.Key][]DormantSpawn
	order   []assets.Key // of first record, oldest first; may name what is gone
	live    int
	lost    int64
}

// NewDormant makes an empty list.
func NewDormant() *Dormant { return &Dormant{records: make(map[assets.Key][]DormantSpawn)} }

// Add keeps one record. Past [DormantMax] the document whose records are
// oldest loses all of its.
func (d *Dormant) Add(document assets.Key, s DormantSpawn) {
	for d.live >= DormantMax {
		oldest := d.order[0]
		d.order = append(d.order[:0], d.order[1:]...)
		d.live -= len(d.records[oldest])
		d.lost += int64(len(d.records[oldest]))
		delete(d.records, oldest)
	}
	list, known := d.records[document]
	if !known {
		d.order = append(d.order, document)
	}
	d.records[document] = append(list, s)
	d.live++
}

// Waiting is how many records a document has.
func (d *Dormant) Waiting(document assets.Key) int { return len(d.records[document]) }

// Take gives the record added last and forgets it; ok is false for none.
func (d *Dormant) Take(document assets.Key) (s DormantSpawn, ok bool) {
	list := d.records[document]
	n := len(list)
	if n == 0 {
		return DormantSpawn{}, false
	}
	s = list[n-1]
	d.live--
	if n > 1 {
		d.records[document] = list[:n-1]
		return s, true
	}
	delete(d.records, document)
	for i, key := range d.order {
		if key == document {
			d.order = append(d.order[:i], d.order[i+1:]...)
			break
		}
	}
	return s, true
}

// Live is the number of records; Lost how many there was no room for.
func (d *Dormant) Live() int   { return d.live }
func (d *Dormant) Lost() int64 { return d.lost }
