package com.example
package tool

import scala.collection.mutable
import scala.util.{Try, Success => Won, Failure as Lost, *}
import java.io._
export internals.{open, close}

/** A shape with corners.
  * It has two lines.
  */
@FunctionalInterface
sealed trait Shape[+T <: Number] extends Sized with Named[T] { self: Printable =>
  type Corner
  type Pair[A] = (A, A)
  val limit: Int
  var name: String = ""
  def corner(at: Int): T
  def isSmall: Boolean = size < limit && size >= 0 || name == ""
}

// Says what follows.
case class Point[T](
  x: Int,
  private val y: T,
  names: String*
)(using order: Ordering[T])
    extends Base(x) with Shape[T] with java.io.Serializable derives Eq {
  def this(both: Int) = this(both, both)
  private[tool] val (left, right) = (1, 2)
  protected lazy val deep: Int = 3
  private var a, b = 1
  def +(other: Point[T]): Point[T] = Point(x + other.x, y)
  def put(item: T): Unit = put(item, 0)
  private[tool] def put(item: T, at: Int): Unit = { this.a = at; b += 1 }
}

object Point {
  private val größe = 3
  def apply(x: Int) = new Point[Int](x, 1)
  implicit class Rich(val text: String) extends AnyVal { def size2 = text.length }
}

class Box(width: Int, val height: Int = 1) extends Container {
  protected def close(): Unit = ()
}

enum Planet(val mass: Double) extends Named:
  /** The first. */
  case Mercury extends Planet(3.3)
  case Venus, Mars
  case Other(distance: Int)
  def pull: Double = mass * 2

given intOrder: Ordering[Int] with
  def compare(one: Int, other: Int): Int = one - other

given Show[String] with
  def show(text: String): String = text

extension [T](items: List[T])
  /** Every other one. */
  def halves(step: Int): List[T] = items
  def `strange name` = 1

opaque type Id = Long
val top: Int = 1
var changing = top

/** Goes every way. */
@main def ways[A: Ordering](thing: Any, more: => Int, rest: A*): Int =
	val point = Point(1)
	val maker = new Maker[Int] { def make(n: Int) = n }
	def local(n: Int) = n * 2
	var sum = 0
	for (i <- 0 to 3; j = i if j > 1) sum += i
	while (sum > 0) { sum = sum - 1 }
	if sum == 0 && more > 1 then println(s"sum $sum ${point.x}") else local(sum)
	try load() catch { case problem: Exception => problem.printStackTrace() } finally finish()
	rest.map(r => r).filter((r: A) => r != null).collect[Int] { case n: Int => n }
	thing match
		case Point(x, y) if x > 1 => 1
		case whole @ Other(_) => 2
		case text: String => 3
		case Nil | None => 4
		case other => 5

def noted(first: Int, // the first
          second: Int): Int = // why
  // Nothing yet.
  first
