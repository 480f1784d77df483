package shipping.model

/** The heaviest parcel that any carrier takes, in kilograms. */
const val MAX_WEIGHT = 30.0 // ⟦ def MAX_WEIGHT ⟧

enum class Zone(val factor: Double) { // ⟦ def Zone ; def Zone.factor ⟧
    LOCAL(1.0), // ⟦ def Zone.LOCAL ⟧
    EUROPE(1.8), // ⟦ def Zone.EUROPE ⟧
    WORLD(3.5); // ⟦ def Zone.WORLD ⟧

    fun isFar(): Boolean = this == WORLD // ⟦ def Zone.isFar ; ref Zone.WORLD read ⟧
}

class Address(val city: String, val zone: Zone) { // ⟦ def Address ; def Address.city ; def Address.zone ; ref Zone type ⟧
    fun describe(): String = "$city (${zone.name})" // ⟦ def Address.describe ; ref Address.city read ; ref Address.zone read ⟧
}

data class Parcel(val weight: Double, val target: Address) { // ⟦ def Parcel ; def Parcel.weight ; def Parcel.target ; ref Address type ⟧
    fun isHeavy(): Boolean = weight > MAX_WEIGHT / 2 // ⟦ def Parcel.isHeavy ; ref Parcel.weight read ; ref MAX_WEIGHT read ⟧

    fun describe(): String { // ⟦ def Parcel.describe ⟧
        val place = target.describe() // ⟦ ref Parcel.target read ; call Address.describe from Parcel.describe ⟧
        return "$weight kg to $place" // ⟦ ref Parcel.weight read ⟧
    }

    companion object {
        fun letter(target: Address): Parcel = Parcel(0.1, target) // ⟦ def Parcel.letter ; ref Address type ; ref Parcel type ; call Parcel from Parcel.letter ⟧
    }
}
