// Package stock knows what lies on the shelves.
package stock

import "fmt"

// Unit says how an item is counted.
type Unit int // ⟦ def Unit ⟧

const (
	Piece Unit = iota // ⟦ def Piece ; ref Unit type ⟧
	Kilogram             // ⟦ def Kilogram ⟧
)

func (u Unit) String() string { // ⟦ def Unit.String ; ref Unit type ⟧
	if u == Kilogram { // ⟦ ref Kilogram read ⟧
		return "kg"
	}
	return "pcs"
}

type Item struct { // ⟦ def Item ⟧
	SKU    string // ⟦ def Item.SKU ⟧
	Unit   Unit   // ⟦ def Item.Unit ; ref Unit type ⟧
	Amount int    // ⟦ def Item.Amount ⟧
	Weight int    // ⟦ def Item.Weight ⟧
}

func (i Item) TotalWeight() int { // ⟦ def Item.TotalWeight ; ref Item type ⟧
	return i.Amount * i.Weight // ⟦ ref Item.Amount read ; ref Item.Weight read ⟧
}

func (i Item) String() string { // ⟦ def Item.String ; ref Item type ⟧
	return fmt.Sprintf("%s: %d %s", i.SKU, i.Amount, i.Unit.String()) // ⟦ ref Item.SKU read ; ref Item.Amount read ; ref Item.Unit read ; call Unit.String from Item.String ⟧
}

// Perishable is an Item that does not keep.
type Perishable struct { // ⟦ def Perishable ; impl Perishable of Item ⟧
	Item            // ⟦ ref Item type ⟧
	BestBefore int  // ⟦ def Perishable.BestBefore ⟧
	onSpoil    Hook // ⟦ def Perishable.onSpoil ; ref Hook type ⟧
}

// Hook is called with what has spoiled.
type Hook func(Item) // ⟦ def Hook ; ref Item type ⟧

func (p *Perishable) Spoil(today int) bool { // ⟦ def Perishable.Spoil ; ref Perishable type ⟧
	if today <= p.BestBefore { // ⟦ ref Perishable.BestBefore read ⟧
		return false
	}
	if p.onSpoil != nil { // ⟦ ref Perishable.onSpoil read ⟧
		p.onSpoil(p.Item) // ⟦ ref Perishable.onSpoil read ; ref Item read ⟧
	}
	p.Amount = 0 // ⟦ ref Item.Amount write ⟧
	return true
}
