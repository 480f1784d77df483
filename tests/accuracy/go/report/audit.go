package report

import (
	ship "example.org/warehouse/shipping"
	"example.org/warehouse/stock"
)

// Audit counts twice. What its names mean depends on the block.
func Audit(one *Report, parcels []*ship.Parcel) string { // ⟦ def Audit ; ref Report type ; ref Parcel type ⟧
	one.Shelf.Each(func(one *stock.Item) { // ⟦ ref Report.Shelf read ; call Shelf.Each from Audit ; ref Item type ⟧
		_ = one.String() // ⟦ call Item.String from Audit ⟧
	})
	one.add("counted") // ⟦ call Report.add from Audit ⟧
	for _, one := range parcels {
		one.Put(stock.Item{Amount: one.Weight}) // ⟦ call Parcel.Put from Audit ; call Item from Audit ; ref Item.Amount write ; ref Parcel.Weight read ⟧
	}
	if one := stock.New(); len(parcels) > 0 { // ⟦ call stock.New from Audit ⟧
		one.Put(stock.Item{}) // ⟦ call Shelf.Put from Audit ; call Item from Audit ⟧
	}
	return one.String() // ⟦ call Report.String from Audit ⟧
}
