package shipping.pricing

import shipping.model.MAX_WEIGHT // ⟦ ref MAX_WEIGHT import ⟧
import shipping.model.Parcel // ⟦ ref Parcel import ⟧
import shipping.model.Zone // ⟦ ref Zone import ⟧

class TooHeavy(val weight: Double) : Exception("too heavy: $weight") // ⟦ def TooHeavy ⟧

interface Tariff { // ⟦ def Tariff ⟧
    val label: String // ⟦ def Tariff.label ⟧
    fun price(parcel: Parcel): Double // ⟦ def Tariff.price ; ref Parcel type ⟧
    fun price(parcels: List<Parcel>): Double = parcels.map { price(it) }.sum() // ⟦ def Tariff.all.price ; ref Parcel type ; call Tariff.price from Tariff.all.price ; may Flat.price, ByWeight.price, Express.price ⟧
}

class Flat(private val amount: Double) : Tariff { // ⟦ def Flat ; def Flat.amount ; ref Tariff type ; impl Flat of Tariff ⟧
    override val label = "flat" // ⟦ def Flat.label ; impl Flat.label of Tariff.label ⟧
    override fun price(parcel: Parcel): Double = amount // ⟦ def Flat.price ; impl Flat.price of Tariff.price ; ref Parcel type ; ref Flat.amount read ⟧
}

open class ByWeight(protected val rate: Double) : Tariff { // ⟦ def ByWeight ; def ByWeight.rate ; ref Tariff type ; impl ByWeight of Tariff ⟧
    override val label: String get() = "by weight" // ⟦ def ByWeight.label ; impl ByWeight.label of Tariff.label ⟧

    override fun price(parcel: Parcel): Double { // ⟦ def ByWeight.price ; impl ByWeight.price of Tariff.price ; ref Parcel type ⟧
        if (parcel.weight > MAX_WEIGHT) throw TooHeavy(parcel.weight) // ⟦ ref Parcel.weight read ; ref MAX_WEIGHT read ; call TooHeavy from ByWeight.price ⟧
        return round(parcel.weight * rate * parcel.target.zone.factor) // ⟦ call round from ByWeight.price ; ref Parcel.weight read ; ref ByWeight.rate read ; ref Parcel.target read ; ref Address.zone read ; ref Zone.factor read ⟧
    }
}

class Express(rate: Double) : ByWeight(rate) { // ⟦ def Express ; ref ByWeight type ; impl Express of ByWeight ⟧
    override fun price(parcel: Parcel): Double { // ⟦ def Express.price ; impl Express.price of ByWeight.price ; ref Parcel type ⟧
        val base = super.price(parcel) // ⟦ call ByWeight.price from Express.price ⟧
        val surcharge = if (parcel.target.zone == Zone.LOCAL) 2.0 else 5.0 // ⟦ ref Parcel.target read ; ref Address.zone read ; ref Zone ; ref Zone.LOCAL read ⟧
        return base + surcharge
    }
}

/** Rounds an amount to cents. */
fun round(amount: Double): Double = Math.round(amount * 100) / 100.0 // ⟦ def round ⟧

interface Slot { // ⟦ def Slot ⟧
    fun free(): Int // ⟦ def Slot.free ⟧
}

class Rack { companion object { fun of(count: Int) = count } } // ⟦ def Rack ; def Rack.of ⟧

interface Shelf<T> { // ⟦ def Shelf ⟧
    fun put(item: T): Boolean // ⟦ def Shelf.put ⟧
    fun top(): T? // ⟦ def Shelf.top ⟧
}

class Stack : Shelf<Parcel> { // ⟦ def Stack ; ref Shelf type ; ref Parcel type ; impl Stack of Shelf ⟧
    private val items = mutableListOf<Parcel>() // ⟦ def Stack.items ; ref Parcel type ⟧
    override fun put(item: Parcel): Boolean = items.add(item) // ⟦ def Stack.put ; impl Stack.put of Shelf.put ; ref Parcel type ; ref Stack.items read ⟧
    override fun top(): Parcel? = items.lastOrNull() // ⟦ def Stack.top ; impl Stack.top of Shelf.top ; ref Parcel type ; ref Stack.items read ⟧
}

fun heaviest(shelf: Shelf<Parcel>): String { // ⟦ def heaviest ; ref Shelf type ; ref Parcel type ⟧
    val first = shelf.top() // ⟦ call Shelf.top from heaviest ; may Stack.top ⟧
    return (first?.describe() ?: "") + shelf.top()?.isHeavy() // ⟦ call Parcel.describe from heaviest ; call Shelf.top from heaviest ; may Stack.top ; call Parcel.isHeavy from heaviest ⟧
}

fun narrow(rows: Int): Slot = // ⟦ def narrow ; ref Slot type ⟧
    object : Slot { // ⟦ ref Slot type ⟧
        override fun free(): Int = rows / 2 // ⟦ def narrow.free ; impl narrow.free of Slot.free ⟧
    }

fun both(slot: Slot): Int = slot.free() + narrow(2).free() // ⟦ def both ; ref Slot type ; call Slot.free from both ; may narrow.free ; call narrow from both ⟧
