package stock.report

import stock.{Item, Money => Cash} // ⟦ ref Item import ; ref Money import ⟧
import stock.{Priced, Warehouse} // ⟦ ref Priced import ; ref Warehouse import ⟧

object Report { // ⟦ def Report ⟧
  def format(warehouse: Warehouse, codes: Seq[String]): String = { // ⟦ def Report.format ; ref Warehouse type ⟧
    val found = codes.flatMap(code => warehouse.find(code)) // ⟦ call Warehouse.find from Report.format ⟧
    val lines = found.map(line) // ⟦ ref Report.line read ⟧
    val value = codes.map(warehouse.value).sum // ⟦ ref Warehouse.value read ⟧
    (lines :+ Cash.format(value)).mkString("\n") // ⟦ ref Money ; call Money.format from Report.format ⟧
  }

  private def line(item: Item): String = { // ⟦ def Report.line ; ref Item type ⟧
    def star(thing: Priced): String = if (thing.cheap) "*" else " " // ⟦ def Report.line.star ; ref Priced type ; call Priced.cheap from Report.line.star ⟧
    star(item) + item.describe() // ⟦ call Report.line.star from Report.line ; call Item.describe from Report.line ; may Fragile.describe ⟧
  }
}
