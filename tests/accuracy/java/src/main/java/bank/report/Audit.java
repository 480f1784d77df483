package bank.report;

import java.util.List;

import bank.ledger.Entry; // ⟦ ref Entry import ⟧
import bank.model.Account; // ⟦ ref Account import ⟧

/** Counts twice. What its names mean depends on the block. */
public final class Audit { // ⟦ def Audit ⟧
    private final Account one; // ⟦ def Audit.one ; ref Account type ⟧

    Audit(Account one) { // ⟦ def Audit.Audit ; ref Account type ⟧
        this.one = one; // ⟦ ref Audit.one write ⟧
    }

    int lengths(List<Entry> entries) { // ⟦ def Audit.lengths ; ref Entry type ⟧
        int total = 0;
        for (Entry one : entries) { // ⟦ ref Entry type ⟧
            total += one.describe().length(); // ⟦ call Entry.describe from Audit.lengths ⟧
        }
        entries.forEach((Entry one) -> one.reversed().describe()); // ⟦ ref Entry type ; call Entry.reversed from Audit.lengths ; call Entry.describe from Audit.lengths ⟧
        return total + one.describe().length(); // ⟦ ref Audit.one read ; call Account.describe from Audit.lengths ; may Savings.describe ⟧
    }
}
