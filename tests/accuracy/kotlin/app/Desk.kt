package shipping.app

import shipping.model.Address // ⟦ ref Address import ⟧
import shipping.model.Parcel // ⟦ ref Parcel import ⟧
import shipping.model.Zone // ⟦ ref Zone import ⟧
import shipping.pricing.ByWeight // ⟦ ref ByWeight import ⟧
import shipping.pricing.Express // ⟦ ref Express import ⟧
import shipping.pricing.Flat as FixedPrice // ⟦ ref Flat import ⟧
import shipping.pricing.Tariff // ⟦ ref Tariff import ⟧
import shipping.pricing.TooHeavy // ⟦ ref TooHeavy import ⟧

class Desk(private val tariff: Tariff) { // ⟦ def Desk ; def Desk.tariff ; ref Tariff type ⟧
    private val queue = mutableListOf<Parcel>() // ⟦ def Desk.queue ; ref Parcel type ⟧
    private var refused = 0 // ⟦ def Desk.refused ⟧

    fun accept(parcel: Parcel): Boolean { // ⟦ def Desk.accept ; ref Parcel type ⟧
        try {
            tariff.price(parcel) // ⟦ ref Desk.tariff read ; call Tariff.price from Desk.accept ; may Flat.price, ByWeight.price, Express.price ⟧
        } catch (problem: TooHeavy) { // ⟦ ref TooHeavy type ⟧
            refused += 1 // ⟦ ref Desk.refused write ⟧
            return false
        }
        return queue.add(parcel) // ⟦ ref Desk.queue read ⟧
    }

    fun total(): Double = tariff.price(queue) // ⟦ def Desk.total ; ref Desk.tariff read ; call Tariff.all.price from Desk.total ; ref Desk.queue read ⟧

    fun report(format: (Parcel) -> String): String { // ⟦ def Desk.report ; ref Parcel type ⟧
        val lines = queue.map(format) // ⟦ ref Desk.queue read ⟧
        return lines.joinToString("\n") + "\nrefused: $refused" // ⟦ ref Desk.refused read ⟧
    }
}

fun short(parcel: Parcel): String = parcel.target.city.short(3) // ⟦ def short ; ref Parcel type ; ref Parcel.target read ; ref Address.city read ; call String.short from short ⟧

/** The first letters of a text, in capitals. */
fun String.short(count: Int): String = take(count).uppercase() // ⟦ def String.short ⟧

fun choose(name: String): Tariff = when (name) { // ⟦ def choose ; ref Tariff type ⟧
    "flat" -> FixedPrice(4.5) // ⟦ call Flat from choose ⟧
    "express" -> Express(2.5) // ⟦ call Express from choose ⟧
    else -> ByWeight(1.2) // ⟦ call ByWeight from choose ⟧
}

fun main() { // ⟦ def main ⟧
    val desk = Desk(choose("by weight")) // ⟦ call Desk from main ; call choose from main ⟧
    val home = Address("Lisbon", Zone.EUROPE) // ⟦ call Address from main ; ref Zone ; ref Zone.EUROPE read ⟧
    desk.accept(Parcel(3.0, home)) // ⟦ call Desk.accept from main ; call Parcel from main ⟧
    desk.accept(Parcel.letter(home)) // ⟦ call Desk.accept from main ; ref Parcel ; call Parcel.letter from main ⟧
    println(desk.report(::short)) // ⟦ call Desk.report from main ; ref short read ⟧
    println(desk.report { it.describe() }) // ⟦ call Desk.report from main ; call Parcel.describe from main ⟧
    val price = desk.total() // ⟦ call Desk.total from main ⟧
    println("price: $price with ${choose("flat").label}") // ⟦ call choose from main ; ref Tariff.label read ; may Flat.label, ByWeight.label ⟧
}
