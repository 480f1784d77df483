package bank.model;

import java.util.function.Function;

public enum Kind { // ⟦ def Kind ⟧
    CHECKING("c", number -> new Account.Checking(number, Money.of(500))), // ⟦ def Kind.CHECKING ; ref Account type ; call Checking from - ; ref Money read ; call Money.of from - ⟧
    SAVINGS("s", Account.Savings::new); // ⟦ def Kind.SAVINGS ; ref Account read ; ref Savings read ⟧

    private final String prefix; // ⟦ def Kind.prefix ⟧
    private final Function<String, Account> maker; // ⟦ def Kind.maker ; ref Account type ⟧

    Kind(String prefix, Function<String, Account> maker) { // ⟦ def Kind.Kind ; ref Account type ⟧
        this.prefix = prefix; // ⟦ ref Kind.prefix write ⟧
        this.maker = maker; // ⟦ ref Kind.maker write ⟧
    }

    public Account open(int serial) { // ⟦ def Kind.open ; ref Account type ⟧
        return maker.apply(prefix + serial); // ⟦ ref Kind.maker read ; ref Kind.prefix read ⟧
    }
}
