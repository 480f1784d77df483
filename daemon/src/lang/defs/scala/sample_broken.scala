package broken

import a.b.C

/** Still whole. */
class Before {
  private val count = 1

  def first(): Int = count

  def damaged(a: Int): Int = {
    val x = count + )
    first()
  }

  /** Comes after the damage. */
  def last(name: String): Int = name.length
}

class After extends Before {
  def end(): Int = last("")
}
