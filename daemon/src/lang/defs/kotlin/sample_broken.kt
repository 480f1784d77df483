package broken

import a.b.C

/** Still whole. */
class Before {
    private val count = 1

    fun first() = count

    fun damaged(a: Int) {
        val x = count + )
        first()
    }

    /** Comes after the damage. */
    fun last(name: String) = name.length
}

class After : Before() {
    fun end() {
        last("")
    }
}
