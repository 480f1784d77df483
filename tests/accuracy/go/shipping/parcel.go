// Package shipping packs parcels.
package shipping

import "example.org/warehouse/stock"

// Capacity is the weight a parcel takes.
const Capacity = 2000 // ⟦ def shipping.Capacity ⟧

type Parcel struct { // ⟦ def Parcel ⟧
	Items  []stock.Item // ⟦ def Parcel.Items ; ref Item type ⟧
	Weight int          // ⟦ def Parcel.Weight ⟧
	next   *Parcel      // ⟦ def Parcel.next ; ref Parcel type ⟧
}

func New(items ...stock.Item) *Parcel { // ⟦ def shipping.New ; ref Item type ; ref Parcel type ⟧
	parcel := new(Parcel) // ⟦ ref Parcel type ⟧
	for _, item := range items {
		parcel.Put(item) // ⟦ call Parcel.Put from shipping.New ⟧
	}
	return parcel
}

// Put adds an item, to a further parcel when this one is full.
func (p *Parcel) Put(item stock.Item) { // ⟦ def Parcel.Put ; ref Parcel type ; ref Item type ⟧
	weight := item.TotalWeight() // ⟦ call Item.TotalWeight from Parcel.Put ⟧
	if p.Weight+weight <= Capacity { // ⟦ ref Parcel.Weight read ; ref shipping.Capacity read ⟧
		p.Items = append(p.Items, item) // ⟦ ref Parcel.Items write ⟧
		p.Weight += weight              // ⟦ ref Parcel.Weight write ⟧
		return
	}
	p.overflow(item) // ⟦ call Parcel.overflow from Parcel.Put ⟧
}

func (p *Parcel) overflow(item stock.Item) { // ⟦ def Parcel.overflow ; ref Parcel type ; ref Item type ⟧
	if p.next == nil { // ⟦ ref Parcel.next read ⟧
		p.next = &Parcel{Weight: 0} // ⟦ ref Parcel.next write ; call Parcel from Parcel.overflow ; ref Parcel.Weight write ⟧
	}
	p.next.Put(item) // ⟦ ref Parcel.next read ; call Parcel.Put from Parcel.overflow ⟧
}

// Count gives the number of parcels.
func (p *Parcel) Count() int { // ⟦ def Parcel.Count ; ref Parcel type ⟧
	if p == nil {
		return 0
	}
	return 1 + p.next.Count() // ⟦ ref Parcel.next read ; call Parcel.Count from Parcel.Count ⟧
}
