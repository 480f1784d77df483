package shipping

import "example.org/warehouse/stock"

// Carrier takes parcels away.
type Carrier interface { // ⟦ def Carrier ⟧
	Name() string              // ⟦ def Carrier.Name ⟧
	Collect(parcel *Parcel) int // ⟦ def Carrier.Collect ; ref Parcel type ⟧
}

type Bike struct{} // ⟦ def Bike ; impl Bike of Carrier ⟧

func (Bike) Name() string { return "bike" } // ⟦ def Bike.Name ; impl Bike.Name of Carrier.Name ; ref Bike type ⟧

func (Bike) Collect(parcel *Parcel) int { // ⟦ def Bike.Collect ; impl Bike.Collect of Carrier.Collect ; ref Bike type ; ref Parcel type ⟧
	return parcel.Weight // ⟦ ref Parcel.Weight read ⟧
}

type Truck struct { // ⟦ def Truck ; impl Truck of Carrier ⟧
	toll int // ⟦ def Truck.toll ⟧
}

func (t *Truck) Name() string { return "truck" } // ⟦ def Truck.Name ; impl Truck.Name of Carrier.Name ; ref Truck type ⟧

func (t *Truck) Collect(parcel *Parcel) int { // ⟦ def Truck.Collect ; impl Truck.Collect of Carrier.Collect ; ref Truck type ; ref Parcel type ⟧
	return t.toll + parcel.Count() // ⟦ ref Truck.toll read ; call Parcel.Count from Truck.Collect ⟧
}

var carriers = []Carrier{Bike{}, &Truck{toll: 12}} // ⟦ def carriers ; ref Carrier type ; call Bike from - ; call Truck from - ; ref Truck.toll write ⟧

// Choose gives the carrier with the lowest price.
func Choose(parcel *Parcel) Carrier { // ⟦ def Choose ; ref Parcel type ; ref Carrier type ⟧
	best := carriers[0] // ⟦ ref carriers read ⟧
	for _, carrier := range carriers[1:] { // ⟦ ref carriers read ⟧
		if carrier.Collect(parcel) < best.Collect(parcel) { // ⟦ call Carrier.Collect from Choose ; may Bike.Collect, Truck.Collect ⟧
			best = carrier
		}
	}
	return best
}

// Dispatch packs what is found and says who brings it.
func Dispatch(from stock.Finder, skus ...string) string { // ⟦ def Dispatch ; ref Finder type ⟧
	parcel := New() // ⟦ call shipping.New from Dispatch ⟧
	for _, sku := range skus {
		if item, ok := from.Find(sku); ok { // ⟦ call Finder.Find from Dispatch ; may Shelf.Find ⟧
			parcel.Put(*item) // ⟦ call Parcel.Put from Dispatch ⟧
		}
	}
	return Choose(parcel).Name() // ⟦ call Choose from Dispatch ; call Carrier.Name from Dispatch ; may Bike.Name, Truck.Name ⟧
}
