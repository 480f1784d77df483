// Package report writes lists for people.
package report

import (
	"strings"

	ship "example.org/warehouse/shipping"
	"example.org/warehouse/stock"
)

// Entry is what a report is about.
type Entry = stock.Item // ⟦ def report.Entry ; ref Item type ⟧

type Report struct { // ⟦ def Report ⟧
	lines []string     // ⟦ def Report.lines ⟧
	Shelf *stock.Shelf // ⟦ def Report.Shelf ; ref Shelf type ⟧
}

func (r *Report) add(line string) *Report { // ⟦ def Report.add ; ref Report type ⟧
	r.lines = append(r.lines, line) // ⟦ ref Report.lines write ⟧
	return r
}

func (r *Report) String() string { // ⟦ def Report.String ; ref Report type ⟧
	return strings.Join(r.lines, "\n") // ⟦ ref Report.lines read ⟧
}

// Inventory lists everything, and how it would be packed.
func Inventory(shelf *stock.Shelf) *Report { // ⟦ def Inventory ; ref Shelf type ; ref Report type ⟧
	report := &Report{Shelf: shelf} // ⟦ call Report from Inventory ; ref Report.Shelf write ⟧
	parcel := ship.New()            // ⟦ call shipping.New from Inventory ⟧
	report.Shelf.Each(func(item *stock.Item) { // ⟦ ref Report.Shelf read ; call Shelf.Each from Inventory ; ref Item type ⟧
		parcel.Put(*item)         // ⟦ call Parcel.Put from Inventory ⟧
		report.add(item.String()) // ⟦ call Report.add from Inventory ; call Item.String from Inventory ⟧
	})
	return report.add("--").add(ship.Choose(parcel).Name()) // ⟦ call Report.add from Inventory ; call Choose from Inventory ; call Carrier.Name from Inventory ; may Bike.Name, Truck.Name ⟧
}

// Heavy tells what one person should not carry.
func Heavy(entry Entry) bool { // ⟦ def Heavy ; ref report.Entry type ⟧
	return entry.TotalWeight() > ship.Capacity // ⟦ call Item.TotalWeight from Heavy ; ref shipping.Capacity read ⟧
}

// Filter keeps the entries that a test accepts.
func Filter(entries []Entry, keep func(Entry) bool) []Entry { // ⟦ def Filter ; ref report.Entry type ⟧
	var kept []Entry // ⟦ ref report.Entry type ⟧
	for _, entry := range entries {
		if keep(entry) {
			kept = append(kept, entry)
		}
	}
	return kept
}
