package bank.ledger;

import bank.model.Account; // ⟦ ref Account import ⟧
import bank.model.Money; // ⟦ ref Money import ⟧

public record Entry(Account account, Money amount) { // ⟦ def Entry ; def Entry.account ; def Entry.amount ; ref Account type ; ref Money type ⟧
    public Entry reversed() { // ⟦ def Entry.reversed ; ref Entry type ⟧
        return new Entry(account, amount.negate()); // ⟦ call Entry from Entry.reversed ; ref Entry.account read ; ref Entry.amount read ; call Money.negate from Entry.reversed ⟧
    }

    public String describe() { // ⟦ def Entry.describe ⟧
        return account.describe() + ": " + amount; // ⟦ ref Entry.account read ; call Account.describe from Entry.describe ; may Savings.describe ; ref Entry.amount read ⟧
    }
}
