package stock

// Crate holds one thing.
type Crate[T any] struct { // ⟦ def Crate ⟧
	held T // ⟦ def Crate.held ⟧
}

func Pack[T any](thing T) *Crate[T] { // ⟦ def Pack ; ref Crate type ⟧
	return &Crate[T]{held: thing} // ⟦ call Crate from Pack ; ref Crate.held write ⟧
}

func (c *Crate[T]) Top() T { // ⟦ def Crate.Top ; ref Crate type ⟧
	return c.held // ⟦ ref Crate.held read ⟧
}

// First gives the first of several.
func First[T any](all []T) T { // ⟦ def First ⟧
	return all[0]
}

// Cold is a shelf for what does not keep.
type Cold struct { // ⟦ def Cold ; impl Cold of Shelf ⟧
	*Shelf      // ⟦ ref Shelf type ⟧
	Degrees int // ⟦ def Cold.Degrees ⟧
}

func (c *Cold) Chill() { // ⟦ def Cold.Chill ; ref Cold type ⟧
	c.Shelf.Each(func(item *Item) { item.Amount-- }) // ⟦ ref Shelf read ; call Shelf.Each from Cold.Chill ; ref Item type ; ref Item.Amount write ⟧
}

func weigh(crate *Crate[Item], mixed []any) int { // ⟦ def weigh ; ref Crate type ; ref Item type ⟧
	cold := &Cold{Shelf: New(), Degrees: 4} // ⟦ call Cold from weigh ; ref Shelf write ; call stock.New from weigh ; ref Cold.Degrees write ⟧
	cold.Chill()                           // ⟦ call Cold.Chill from weigh ⟧
	total := crate.Top().TotalWeight()     // ⟦ call Crate.Top from weigh ; call Item.TotalWeight from weigh ⟧
	top := crate.Top()                     // ⟦ call Crate.Top from weigh ⟧
	total += top.TotalWeight()             // ⟦ call Item.TotalWeight from weigh ⟧
	total += First([]Item{top}).TotalWeight() // ⟦ call First from weigh ; ref Item type ; call Item.TotalWeight from weigh ⟧
	for _, one := range mixed {
		total += one.(Item).TotalWeight() // ⟦ ref Item type ; call Item.TotalWeight from weigh ⟧
	}
	return total
}
