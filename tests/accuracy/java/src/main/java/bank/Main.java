package bank;

import bank.ledger.Ledger; // ⟦ ref Ledger import ⟧
import bank.model.Account; // ⟦ ref Account import ⟧
import bank.model.Kind; // ⟦ ref Kind import ⟧
import bank.model.Money; // ⟦ ref Money import ⟧
import bank.report.Totals; // ⟦ ref Totals import ⟧

public class Main { // ⟦ def Main ⟧
    public static void main(String[] args) { // ⟦ def Main.main ⟧
        Totals totals = new Totals(); // ⟦ ref Totals type ; call Totals from Main.main ⟧
        Ledger ledger = new Ledger().listen(totals).listen(entry -> System.out.println(entry.describe())); // ⟦ ref Ledger type ; call Ledger from Main.main ; call Ledger.listen from Main.main ; call Entry.describe from Main.main ⟧
        Account account = ledger.open(Kind.SAVINGS); // ⟦ ref Account type ; call Ledger.open from Main.main ; ref Kind read ; ref Kind.SAVINGS read ⟧
        ledger.post(account.number(), Money.of(12, 50)); // ⟦ call Ledger.post from Main.main ; call Account.method.number from Main.main ; ref Money read ; call Money.euros.of from Main.main ⟧
        System.out.println(Totals.summary(ledger) + " total " + totals.total()); // ⟦ ref Totals read ; call summary from Main.main ; call Totals.method.total from Main.main ⟧
    }
}
