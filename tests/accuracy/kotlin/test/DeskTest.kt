package shipping.test

import shipping.app.Desk // ⟦ ref Desk import ⟧
import shipping.app.choose // ⟦ ref choose import ⟧
import shipping.model.*
import shipping.pricing.*

class DeskTest { // ⟦ def DeskTest ⟧
    private fun near(): Address = Address("Porto", Zone.LOCAL) // ⟦ def DeskTest.near ; ref Address type ; call Address from DeskTest.near ; ref Zone ; ref Zone.LOCAL read ⟧

    fun refusesWhatIsTooHeavy() { // ⟦ def DeskTest.refusesWhatIsTooHeavy ⟧
        val desk = Desk(ByWeight(1.0)) // ⟦ call Desk from DeskTest.refusesWhatIsTooHeavy ; call ByWeight from DeskTest.refusesWhatIsTooHeavy ⟧
        check(!desk.accept(Parcel(MAX_WEIGHT + 1, near()))) // ⟦ call Desk.accept from DeskTest.refusesWhatIsTooHeavy ; call Parcel from DeskTest.refusesWhatIsTooHeavy ; ref MAX_WEIGHT read ; call DeskTest.near from DeskTest.refusesWhatIsTooHeavy ⟧
        check(desk.total() == 0.0) // ⟦ call Desk.total from DeskTest.refusesWhatIsTooHeavy ⟧
    }

    fun expressCostsMore() { // ⟦ def DeskTest.expressCostsMore ⟧
        val parcel = Parcel.letter(near()) // ⟦ ref Parcel ; call Parcel.letter from DeskTest.expressCostsMore ; call DeskTest.near from DeskTest.expressCostsMore ⟧
        val fast = Express(1.0) // ⟦ call Express from DeskTest.expressCostsMore ⟧
        check(fast.price(parcel) > ByWeight(1.0).price(parcel)) // ⟦ call Express.price from DeskTest.expressCostsMore ; call ByWeight from DeskTest.expressCostsMore ; call ByWeight.price from DeskTest.expressCostsMore ⟧
        check(!parcel.isHeavy() && !parcel.target.zone.isFar()) // ⟦ call Parcel.isHeavy from DeskTest.expressCostsMore ; ref Parcel.target read ; ref Address.zone read ; call Zone.isFar from DeskTest.expressCostsMore ⟧
        check(choose("express").price(parcel) > 0) // ⟦ call choose from DeskTest.expressCostsMore ; call Tariff.price from DeskTest.expressCostsMore ; may Flat.price, ByWeight.price, Express.price ⟧
    }
}

fun main() { // ⟦ def test.main ⟧
    val test = DeskTest() // ⟦ call DeskTest from test.main ⟧
    test.refusesWhatIsTooHeavy() // ⟦ call DeskTest.refusesWhatIsTooHeavy from test.main ⟧
    test.expressCostsMore() // ⟦ call DeskTest.expressCostsMore from test.main ⟧
}
