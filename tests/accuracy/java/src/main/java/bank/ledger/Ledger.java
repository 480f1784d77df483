package bank.ledger;

import bank.model.*;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Ledger { // ⟦ def Ledger ⟧
    public static final int PAGE = 20; // ⟦ def Ledger.PAGE ⟧

    private final Map<String, Account> accounts = new HashMap<>(); // ⟦ def Ledger.accounts ; ref Account type ⟧
    private final List<Entry> entries = new ArrayList<>(PAGE); // ⟦ def Ledger.entries ; ref Entry type ; ref Ledger.PAGE read ⟧
    private Listener listener = entry -> { }; // ⟦ def Ledger.listener ; ref Listener type ⟧

    public Account open(Kind kind) { // ⟦ def Ledger.open ; ref Account type ; ref Kind type ⟧
        Account account = kind.open(accounts.size() + 1); // ⟦ ref Account type ; call Kind.open from Ledger.open ; ref Ledger.accounts read ⟧
        accounts.put(account.number(), account); // ⟦ ref Ledger.accounts read ; call Account.method.number from Ledger.open ⟧
        return account;
    }

    public Ledger listen(Listener further) { // ⟦ def Ledger.listen ; ref Ledger type ; ref Listener type ⟧
        listener = listener.and(further); // ⟦ ref Ledger.listener write ; call Listener.and from Ledger.listen ⟧
        return this;
    }

    @Audited(by = "central bank") // ⟦ ref Audited type ; ref Audited.by ⟧
    public boolean post(String number, Money amount) { // ⟦ def Ledger.post ; ref Money type ⟧
        return post(new Entry(accounts.get(number), amount)); // ⟦ call Ledger.entry.post from Ledger.post ; call Entry from Ledger.post ; ref Ledger.accounts read ⟧
    }

    @Audited // ⟦ ref Audited type ⟧
    public boolean post(Entry entry) { // ⟦ def Ledger.entry.post ; ref Entry type ⟧
        if (!entry.account().book(entry.amount())) { // ⟦ call Entry.account from Ledger.entry.post ; call Account.book from Ledger.entry.post ; may Checking.book, Savings.book ; call Entry.amount from Ledger.entry.post ⟧
            return false;
        }
        entries.add(entry); // ⟦ ref Ledger.entries read ⟧
        listener.booked(entry); // ⟦ ref Ledger.listener read ; call Listener.booked from Ledger.entry.post ; may Totals.booked, Labels.counting.booked ⟧
        return true;
    }

    public void undo() { // ⟦ def Ledger.undo ⟧
        Entry last = entries.get(entries.size() - 1); // ⟦ ref Entry type ; ref Ledger.entries read ⟧
        post(last.reversed()); // ⟦ call Ledger.entry.post from Ledger.undo ; call Entry.reversed from Ledger.undo ⟧
    }

    public Page page(int index) { // ⟦ def Ledger.page ; ref Page type ⟧
        return new Page(index); // ⟦ call Page from Ledger.page ⟧
    }

    /** A part of the entries of the ledger around it. */
    public class Page { // ⟦ def Page ⟧
        private final int index; // ⟦ def Page.index ⟧

        Page(int index) { // ⟦ def Page.Page ⟧
            this.index = index; // ⟦ ref Page.index write ⟧
        }

        public List<Entry> entries() { // ⟦ def Page.entries ; ref Entry type ⟧
            int from = index * PAGE; // ⟦ ref Page.index read ; ref Ledger.PAGE read ⟧
            return entries.subList(from, Math.min(from + PAGE, entries.size())); // ⟦ ref Ledger.entries read ; ref Ledger.PAGE read ⟧
        }
    }
}
