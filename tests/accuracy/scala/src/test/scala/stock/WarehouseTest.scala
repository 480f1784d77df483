package stock

import stock.report.Report // ⟦ ref Report import ⟧
import stock.report.Report.{format => write} // ⟦ ref Report ; ref Report.format import ⟧

class WarehouseTest { // ⟦ def WarehouseTest ⟧
  def filled(): Warehouse = { // ⟦ def WarehouseTest.filled ; ref Warehouse type ⟧
    val warehouse = new Warehouse // ⟦ call Warehouse from WarehouseTest.filled ⟧
    val vase = new Fragile("V1", BigDecimal(30)) // ⟦ call Fragile from WarehouseTest.filled ⟧
    warehouse.replay(List(Arrived(vase, 3), Sold("V1", 1), Audit)) // ⟦ call Warehouse.replay from WarehouseTest.filled ; call Arrived from WarehouseTest.filled ; call Sold from WarehouseTest.filled ; ref Audit ⟧
    warehouse
  }

  def testValue(): Unit = { // ⟦ def WarehouseTest.testValue ⟧
    assert(filled().value("V1") == BigDecimal(64)) // ⟦ call WarehouseTest.filled from WarehouseTest.testValue ; call Warehouse.value from WarehouseTest.testValue ⟧
    assert(write(filled(), Seq("V1")).endsWith("$64.00")) // ⟦ call Report.format from WarehouseTest.testValue ; call WarehouseTest.filled from WarehouseTest.testValue ⟧
    assert(Report.format(new Warehouse, Nil) == Money.format(0)) // ⟦ ref Report ; call Report.format from WarehouseTest.testValue ; call Warehouse from WarehouseTest.testValue ; ref Money ; call Money.format from WarehouseTest.testValue ⟧
  }

  def testOutOfStock(): Unit = { // ⟦ def WarehouseTest.testOutOfStock ⟧
    try filled().take("V1", 5) // ⟦ call WarehouseTest.filled from WarehouseTest.testOutOfStock ; call Warehouse.take from WarehouseTest.testOutOfStock ⟧
    catch { case problem: OutOfStock => assert(problem.sku == "V1") } // ⟦ ref OutOfStock type ⟧
  }

  def testBundle(): Unit = { // ⟦ def WarehouseTest.testBundle ⟧
    val pen = new Item("P1", BigDecimal(4)) // ⟦ call Item from WarehouseTest.testBundle ⟧
    val pair = new Bundle(List(pen, pen)) // ⟦ call Bundle from WarehouseTest.testBundle ⟧
    assert(pair.price == pen.price * 2 && pair.cheap) // ⟦ call Bundle.price from WarehouseTest.testBundle ; call Item.price from WarehouseTest.testBundle ; call Priced.cheap from WarehouseTest.testBundle ⟧
    assert(new Shelf[Item]("spare").add(pen).add(pen).size == 2) // ⟦ call Shelf from WarehouseTest.testBundle ; ref Item type ; call Shelf.add from WarehouseTest.testBundle ; call Shelf.size from WarehouseTest.testBundle ⟧
  }
}

object WarehouseTestRunner extends App {
  val test = new WarehouseTest // ⟦ call WarehouseTest from - ⟧
  test.testValue() // ⟦ call WarehouseTest.testValue from - ⟧
  test.testOutOfStock() // ⟦ call WarehouseTest.testOutOfStock from - ⟧
  test.testBundle() // ⟦ call WarehouseTest.testBundle from - ⟧
}
