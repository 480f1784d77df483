package bank.report;

import static bank.model.Money.ZERO; // ⟦ ref Money import ; ref Money.ZERO import ⟧

import bank.ledger.Entry; // ⟦ ref Entry import ⟧
import bank.ledger.Ledger; // ⟦ ref Ledger import ⟧
import bank.ledger.Listener; // ⟦ ref Listener import ⟧
import bank.model.Money; // ⟦ ref Money import ⟧
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

public class Totals implements Listener { // ⟦ def Totals ; impl Totals of Listener ; ref Listener type ⟧
    private Money total = ZERO; // ⟦ def Totals.total ; ref Money type ; ref Money.ZERO read ⟧

    @Override
    public void booked(Entry entry) { // ⟦ def Totals.booked ; impl Totals.booked of Listener.booked ; ref Entry type ⟧
        total = total.plus(entry.amount()); // ⟦ ref Totals.total write ; call Money.plus from Totals.booked ; call Entry.amount from Totals.booked ⟧
    }

    public Money total() { // ⟦ def Totals.method.total ; ref Money type ⟧
        return total; // ⟦ ref Totals.total read ⟧
    }

    static <T, R extends Comparable<R>> T largest(List<T> items, Function<T, R> key) { // ⟦ def largest ⟧
        return items.stream().max(Comparator.comparing(key)).orElseThrow();
    }

    public static String summary(Ledger ledger) { // ⟦ def summary ; ref Ledger type ⟧
        List<Entry> entries = ledger.page(0).entries(); // ⟦ ref Entry type ; call Ledger.page from summary ; call Page.entries from summary ⟧
        Entry top = largest(entries, Entry::amount); // ⟦ ref Entry read ; call largest from summary ; ref Entry.amount read ⟧
        return entries.stream().map(Entry::describe).toList() + " top " + top.describe(); // ⟦ ref Entry read ; ref Entry.describe read ; call Entry.describe from summary ⟧
    }
}
