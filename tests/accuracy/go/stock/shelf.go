package stock

import (
	"errors"
	"sort"
)

// Capacity is the number of items a shelf takes.
const Capacity = 50 // ⟦ def Capacity ⟧

var ErrFull = errors.New("the shelf is at Capacity") // ⟦ def ErrFull ⟧

// Finder finds an item by its SKU.
type Finder interface { // ⟦ def Finder ⟧
	Find(sku string) (*Item, bool) // ⟦ def Finder.Find ; ref Item type ⟧
}

// Keeper can also take things in.
type Keeper interface { // ⟦ def Keeper ; impl Keeper of Finder ⟧
	Finder              // ⟦ ref Finder type ⟧
	Put(item Item) error // ⟦ def Keeper.Put ; ref Item type ⟧
}

type Shelf struct { // ⟦ def Shelf ; impl Shelf of Keeper ; impl Shelf of Finder ⟧
	items map[string]*Item // ⟦ def Shelf.items ; ref Item type ⟧
}

func New() *Shelf { // ⟦ def stock.New ; ref Shelf type ⟧
	return &Shelf{items: make(map[string]*Item)} // ⟦ call Shelf from stock.New ; ref Shelf.items write ; ref Item type ⟧
}

func (s *Shelf) Find(sku string) (*Item, bool) { // ⟦ def Shelf.Find ; impl Shelf.Find of Finder.Find ; ref Shelf type ; ref Item type ⟧
	item, ok := s.items[sku] // ⟦ ref Shelf.items read ⟧
	return item, ok
}

func (s *Shelf) Put(item Item) error { // ⟦ def Shelf.Put ; impl Shelf.Put of Keeper.Put ; ref Shelf type ; ref Item type ⟧
	if len(s.items) >= Capacity { // ⟦ ref Shelf.items read ; ref Capacity read ⟧
		return ErrFull // ⟦ ref ErrFull read ⟧
	}
	if known, ok := s.Find(item.SKU); ok { // ⟦ call Shelf.Find from Shelf.Put ; ref Item.SKU read ⟧
		known.Amount += item.Amount // ⟦ ref Item.Amount write ⟧
		return nil
	}
	s.items[item.SKU] = &item // ⟦ ref Shelf.items ; ref Item.SKU read ⟧
	return nil
}

// Each visits the items in the order of their SKU.
func (s *Shelf) Each(visit func(*Item)) { // ⟦ def Shelf.Each ; ref Shelf type ; ref Item type ⟧
	names := Keys(s.items) // ⟦ call Keys from Shelf.Each ; ref Shelf.items read ⟧
	for _, name := range names {
		visit(s.items[name]) // ⟦ ref Shelf.items read ⟧
	}
}

// Keys gives the keys of a map, sorted.
func Keys[V any](entries map[string]V) []string { // ⟦ def Keys ⟧
	keys := make([]string, 0, len(entries))
	for key := range entries {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
