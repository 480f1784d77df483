package stock

import scala.annotation.tailrec
import scala.collection.mutable

sealed trait Movement // ⟦ def Movement ⟧
case class Arrived(item: Item, count: Int) extends Movement // ⟦ def Arrived ; ref Item type ; ref Movement type ; impl Arrived of Movement ⟧
case class Sold(sku: String, count: Int) extends Movement // ⟦ def Sold ; ref Movement type ; impl Sold of Movement ⟧
case object Audit extends Movement // ⟦ def Audit ; ref Movement type ; impl Audit of Movement ⟧

class OutOfStock(val sku: String) extends Exception(s"out of $sku") // ⟦ def OutOfStock ⟧

class Shelf[A](val name: String) { // ⟦ def Shelf ; def Shelf.name ⟧
  private val things = mutable.ListBuffer.empty[A] // ⟦ def Shelf.things ⟧

  def add(thing: A): Shelf[A] = { // ⟦ def Shelf.add ; ref Shelf type ⟧
    things += thing // ⟦ ref Shelf.things ⟧
    this
  }

  def find(test: A => Boolean): Option[A] = things.find(test) // ⟦ def Shelf.find ; ref Shelf.things read ⟧
  def size: Int = things.size // ⟦ def Shelf.size ; ref Shelf.things read ⟧
}

class Warehouse { // ⟦ def Warehouse ⟧
  private val shelf = new Shelf[Item]("main") // ⟦ def Warehouse.shelf ; call Shelf from - ; ref Item type ⟧
  private val counts = mutable.Map.empty[String, Int].withDefaultValue(0) // ⟦ def Warehouse.counts ⟧
  private var audits = 0 // ⟦ def Warehouse.audits ⟧

  def add(item: Item, count: Int): Unit = { // ⟦ def Warehouse.add ; ref Item type ⟧
    shelf.add(item) // ⟦ ref Warehouse.shelf read ; call Shelf.add from Warehouse.add ⟧
    counts(item.code) += count // ⟦ ref Warehouse.counts ; ref Item.code read ⟧
  }

  def take(sku: String, count: Int): Unit = { // ⟦ def Warehouse.take ⟧
    if (counts(sku) < count) throw new OutOfStock(sku) // ⟦ ref Warehouse.counts read ; call OutOfStock from Warehouse.take ⟧
    counts(sku) -= count // ⟦ ref Warehouse.counts ⟧
  }

  def apply(movement: Movement): Unit = movement match { // ⟦ def Warehouse.apply ; ref Movement type ⟧
    case Arrived(item, count) => add(item, count) // ⟦ ref Arrived ; call Warehouse.add from Warehouse.apply ⟧
    case Sold(sku, count) => take(sku, count) // ⟦ ref Sold ; call Warehouse.take from Warehouse.apply ⟧
    case Audit => audits += 1 // ⟦ ref Audit ; ref Warehouse.audits write ⟧
  }

  @tailrec
  final def replay(movements: List[Movement]): Int = movements match { // ⟦ def Warehouse.replay ; ref Movement type ⟧
    case Nil => audits // ⟦ ref Warehouse.audits read ⟧
    case first :: rest =>
      this.apply(first) // ⟦ call Warehouse.apply from Warehouse.replay ⟧
      replay(rest) // ⟦ call Warehouse.replay from Warehouse.replay ⟧
  }

  def find(sku: String): Option[Item] = shelf.find(_.code == sku) // ⟦ def Warehouse.find ; ref Item type ; ref Warehouse.shelf read ; call Shelf.find from Warehouse.find ; ref Item.code read ⟧
  def value(sku: String): BigDecimal = find(sku).map(_.price * counts(sku)).getOrElse(BigDecimal(0)) // ⟦ def Warehouse.value ; call Warehouse.find from Warehouse.value ; call Item.price from Warehouse.value ; may Fragile.price ; ref Warehouse.counts read ⟧
}
