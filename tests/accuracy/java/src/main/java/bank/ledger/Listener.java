package bank.ledger;

@FunctionalInterface
public interface Listener { // ⟦ def Listener ⟧
    void booked(Entry entry); // ⟦ def Listener.booked ; ref Entry type ⟧

    default Listener and(Listener next) { // ⟦ def Listener.and ; ref Listener type ⟧
        return entry -> {
            booked(entry); // ⟦ call Listener.booked from Listener.and ; may Totals.booked, Labels.counting.booked ⟧
            next.booked(entry); // ⟦ call Listener.booked from Listener.and ; may Totals.booked, Labels.counting.booked ⟧
        };
    }
}
