package bank.report;

import bank.ledger.Entry; // ⟦ ref Entry import ⟧
import bank.ledger.Listener; // ⟦ ref Listener import ⟧
import bank.model.Kind; // ⟦ ref Kind import ⟧
import bank.model.Money; // ⟦ ref Money import ⟧

/** One thing of a kind, or nothing yet. */
class Slot<T extends Comparable<T>> { // ⟦ def Slot ⟧
    private T held; // ⟦ def Slot.held ⟧

    Slot<T> put(T next) { // ⟦ def Slot.put ; ref Slot type ⟧
        held = next; // ⟦ ref Slot.held write ⟧
        return this;
    }

    T top() { // ⟦ def Slot.top ⟧
        return held; // ⟦ ref Slot.held read ⟧
    }
}

public class Labels { // ⟦ def Labels ⟧
    private int asked; // ⟦ def Labels.asked ⟧

    public String of(Kind kind) { // ⟦ def Labels.of ; ref Kind type ⟧
        asked += 1; // ⟦ ref Labels.asked write ⟧
        switch (kind) {
            case CHECKING: // ⟦ ref Kind.CHECKING read ⟧
                return "checking";
            case SAVINGS: // ⟦ ref Kind.SAVINGS read ⟧
                return "savings";
            default:
                return "other";
        }
    }

    public int rank(Kind kind) { // ⟦ def Labels.rank ; ref Kind type ⟧
        return switch (kind) {
            case CHECKING -> asked; // ⟦ ref Kind.CHECKING read ; ref Labels.asked read ⟧
            case SAVINGS -> 2; // ⟦ ref Kind.SAVINGS read ⟧
        };
    }

    public Listener counting() { // ⟦ def Labels.counting ; ref Listener type ⟧
        return new Listener() { // ⟦ call Listener from Labels.counting ⟧
            @Override
            public void booked(Entry entry) { // ⟦ def Labels.counting.booked ; impl Labels.counting.booked of Listener.booked ; ref Entry type ⟧
                asked += entry.describe().length(); // ⟦ ref Labels.asked write ; call Entry.describe from Labels.counting.booked ⟧
            }
        };
    }

    public static boolean isDebt(Slot<Money> slot) { // ⟦ def Labels.isDebt ; ref Slot type ; ref Money type ⟧
        var money = slot.put(Money.ZERO).top(); // ⟦ call Slot.put from Labels.isDebt ; ref Money read ; ref Money.ZERO read ; call Slot.top from Labels.isDebt ⟧
        return money.isNegative() || slot.top().negate().isNegative(); // ⟦ call Money.isNegative from Labels.isDebt ; call Slot.top from Labels.isDebt ; call Money.negate from Labels.isDebt ⟧
    }
}
