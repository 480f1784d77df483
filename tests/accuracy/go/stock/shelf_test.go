package stock

import "testing"

func filled(t *testing.T) *Shelf { // ⟦ def filled ; ref Shelf type ⟧
	t.Helper()
	shelf := New()                                                    // ⟦ call stock.New from filled ⟧
	if err := shelf.Put(Item{SKU: "tea", Amount: 2}); err != nil { // ⟦ call Shelf.Put from filled ; call Item from filled ; ref Item.SKU write ; ref Item.Amount write ⟧
		t.Fatal(err)
	}
	return shelf
}

func TestPut(t *testing.T) { // ⟦ def TestPut ⟧
	shelf := filled(t)                          // ⟦ call filled from TestPut ⟧
	_ = shelf.Put(Item{SKU: "tea", Amount: 3}) // ⟦ call Shelf.Put from TestPut ; call Item from TestPut ; ref Item.SKU write ; ref Item.Amount write ⟧
	if item, ok := shelf.Find("tea"); !ok || item.Amount != 5 { // ⟦ call Shelf.Find from TestPut ; ref Item.Amount read ⟧
		t.Errorf("Put lost something: %v", item)
	}
}

func TestSpoil(t *testing.T) { // ⟦ def TestSpoil ⟧
	var lost []string
	milk := Perishable{Item: Item{SKU: "milk", Amount: 1}, BestBefore: 10} // ⟦ call Perishable from TestSpoil ; call Item from TestSpoil ; ref Item.SKU write ; ref Item.Amount write ; ref Perishable.BestBefore write ⟧
	milk.onSpoil = func(item Item) { lost = append(lost, item.SKU) }     // ⟦ ref Perishable.onSpoil write ; ref Item type ; ref Item.SKU read ⟧
	if !milk.Spoil(11) || len(lost) != 1 || milk.TotalWeight() != 0 {      // ⟦ call Perishable.Spoil from TestSpoil ; call Item.TotalWeight from TestSpoil ⟧
		t.Error("milk keeps for ever")
	}
}

func TestWeigh(t *testing.T) { // ⟦ def TestWeigh ⟧
	if weigh(Pack(Item{Amount: 1, Weight: 3}), nil) != 9 { // ⟦ call weigh from TestWeigh ; call Pack from TestWeigh ; call Item from TestWeigh ; ref Item.Amount write ; ref Item.Weight write ⟧
		t.Error("a crate weighs what is in it")
	}
}
