package main

import (
	"fmt"
	"log"

	"example.org/warehouse/report"
	"example.org/warehouse/shipping"
	"example.org/warehouse/stock"
)

func load(keeper stock.Keeper) error { // ⟦ def load ; ref Keeper type ⟧
	return keeper.Put(stock.Item{SKU: "tea", Unit: stock.Kilogram, Amount: 4, Weight: 300}) // ⟦ call Keeper.Put from load ; may Shelf.Put ; call Item from load ; ref Item.SKU write ; ref Item.Unit write ; ref Kilogram read ; ref Item.Amount write ; ref Item.Weight write ⟧
}

func main() { // ⟦ def main ⟧
	shelf := stock.New()                // ⟦ call stock.New from main ⟧
	if err := load(shelf); err != nil { // ⟦ call load from main ⟧
		log.Fatal(err)
	}
	put := shelf.Put // ⟦ ref Shelf.Put read ⟧
	if err := put(stock.Item{SKU: "cup", Unit: stock.Piece, Amount: 2}); err != nil { // ⟦ may Shelf.Put ; call Item from main ; ref Item.SKU write ; ref Item.Unit write ; ref Piece read ; ref Item.Amount write ⟧
		log.Fatal(err)
	}
	tea, _ := shelf.Find("tea") // ⟦ call Shelf.Find from main ⟧
	heavy := report.Filter([]report.Entry{*tea}, report.Heavy) // ⟦ call Filter from main ; ref report.Entry type ; ref Heavy read ⟧
	fmt.Println(report.Inventory(shelf).String(), len(heavy)) // ⟦ call Inventory from main ; call Report.String from main ⟧
	fmt.Println(shipping.Dispatch(shelf, "tea", "Dispatch")) // ⟦ call Dispatch from main ⟧
}
