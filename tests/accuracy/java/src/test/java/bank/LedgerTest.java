package bank;

import bank.ledger.Ledger; // ⟦ ref Ledger import ⟧
import bank.model.Account; // ⟦ ref Account import ⟧
import bank.model.Account.Savings; // ⟦ ref Account import ; ref Savings import ⟧
import bank.model.Kind; // ⟦ ref Kind import ⟧
import bank.model.Money; // ⟦ ref Money import ⟧
import bank.report.Labels; // ⟦ ref Labels import ⟧

public class LedgerTest { // ⟦ def LedgerTest ⟧
    private final Ledger ledger = new Ledger(); // ⟦ def LedgerTest.ledger ; ref Ledger type ; call Ledger from - ⟧

    void refusesWhatExceedsTheLimit() { // ⟦ def LedgerTest.refusesWhatExceedsTheLimit ⟧
        Account account = ledger.open(Kind.CHECKING); // ⟦ ref Account type ; call Ledger.open from LedgerTest.refusesWhatExceedsTheLimit ; ref LedgerTest.ledger read ; ref Kind read ; ref Kind.CHECKING read ⟧
        assert !ledger.post(account.number(), Money.of(-501)); // ⟦ ref LedgerTest.ledger read ; call Ledger.post from LedgerTest.refusesWhatExceedsTheLimit ; call Account.method.number from LedgerTest.refusesWhatExceedsTheLimit ; ref Money read ; call Money.of from LedgerTest.refusesWhatExceedsTheLimit ⟧
        assert ledger.post(account.number(), Money.of(-500)); // ⟦ ref LedgerTest.ledger read ; call Ledger.post from LedgerTest.refusesWhatExceedsTheLimit ; call Account.method.number from LedgerTest.refusesWhatExceedsTheLimit ; ref Money read ; call Money.of from LedgerTest.refusesWhatExceedsTheLimit ⟧
        ledger.undo(); // ⟦ ref LedgerTest.ledger read ; call Ledger.undo from LedgerTest.refusesWhatExceedsTheLimit ⟧
        assert account.balance() == Money.ZERO : "undo left something in the balance"; // ⟦ call Account.method.balance from LedgerTest.refusesWhatExceedsTheLimit ; ref Money read ; ref Money.ZERO read ⟧
    }

    void savingsDescribeThemselves() { // ⟦ def LedgerTest.savingsDescribeThemselves ⟧
        Savings savings = new Savings("s7"); // ⟦ ref Savings type ; call Savings from LedgerTest.savingsDescribeThemselves ⟧
        assert savings.book(Money.of(1, 5)); // ⟦ call Savings.book from LedgerTest.savingsDescribeThemselves ; ref Money read ; call Money.euros.of from LedgerTest.savingsDescribeThemselves ⟧
        assert savings.describe().equals("savings s7 1.5"); // ⟦ call Savings.describe from LedgerTest.savingsDescribeThemselves ⟧
    }

    void labelsAreRanked() { // ⟦ def LedgerTest.labelsAreRanked ⟧
        Labels labels = new Labels(); // ⟦ ref Labels type ; call Labels from LedgerTest.labelsAreRanked ⟧
        ledger.listen(labels.counting()); // ⟦ ref LedgerTest.ledger read ; call Ledger.listen from LedgerTest.labelsAreRanked ; call Labels.counting from LedgerTest.labelsAreRanked ⟧
        assert labels.of(Kind.CHECKING).equals("checking"); // ⟦ call Labels.of from LedgerTest.labelsAreRanked ; ref Kind read ; ref Kind.CHECKING read ⟧
        assert labels.rank(Kind.SAVINGS) == 2; // ⟦ call Labels.rank from LedgerTest.labelsAreRanked ; ref Kind read ; ref Kind.SAVINGS read ⟧
    }

    public static void main(String[] args) { // ⟦ def LedgerTest.main ⟧
        LedgerTest test = new LedgerTest(); // ⟦ ref LedgerTest type ; call LedgerTest from LedgerTest.main ⟧
        test.refusesWhatExceedsTheLimit(); // ⟦ call LedgerTest.refusesWhatExceedsTheLimit from LedgerTest.main ⟧
        test.labelsAreRanked(); // ⟦ call LedgerTest.labelsAreRanked from LedgerTest.main ⟧
        test.savingsDescribeThemselves(); // ⟦ call LedgerTest.savingsDescribeThemselves from LedgerTest.main ⟧
    }
}
