package stock

/** Whatever has a price. */
trait Priced { // ⟦ def Priced ⟧
  def price: BigDecimal // ⟦ def Priced.price ⟧
  def cheap: Boolean = price < Limits.Cheap // ⟦ def Priced.cheap ; call Priced.price from Priced.cheap ; may Item.price, Fragile.price, Bundle.price ; ref Limits ; ref Limits.Cheap read ⟧
}

object Limits { // ⟦ def Limits ⟧
  val Cheap = BigDecimal(10) // ⟦ def Limits.Cheap ⟧
  val Packing = BigDecimal(2) // ⟦ def Limits.Packing ⟧
}

class Item(val code: String, val base: BigDecimal) extends Priced { // ⟦ def Item ; def Item.code ; def Item.base ; ref Priced type ; impl Item of Priced ⟧
  def price: BigDecimal = base // ⟦ def Item.price ; impl Item.price of Priced.price ; ref Item.base read ⟧
  def describe(): String = s"$code at ${Money.format(price)}" // ⟦ def Item.describe ; ref Item.code read ; ref Money ; call Money.format from Item.describe ; call Item.price from Item.describe ; may Fragile.price ⟧
}

class Fragile(label: String, cost: BigDecimal) extends Item(label, cost) { // ⟦ def Fragile ; ref Item type ; impl Fragile of Item ⟧
  override def price: BigDecimal = super.price + Limits.Packing // ⟦ def Fragile.price ; impl Fragile.price of Item.price ; call Item.price from Fragile.price ; ref Limits ; ref Limits.Packing read ⟧
  override def describe(): String = super.describe() + " (fragile)" // ⟦ def Fragile.describe ; impl Fragile.describe of Item.describe ; call Item.describe from Fragile.describe ⟧
}

class Bundle(items: List[Item]) extends Priced { // ⟦ def Bundle ; ref Item type ; ref Priced type ; impl Bundle of Priced ⟧
  def price: BigDecimal = items.map(_.price).sum // ⟦ def Bundle.price ; impl Bundle.price of Priced.price ; call Item.price from Bundle.price ; may Fragile.price ⟧
}

object Money { // ⟦ def Money ⟧
  def format(amount: BigDecimal): String = "$" + amount.setScale(2) // ⟦ def Money.format ⟧
}
