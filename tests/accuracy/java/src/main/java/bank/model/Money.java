package bank.model;

/** An amount in cents. Use {@code plus} rather than arithmetic of your own. */
public final class Money implements Comparable<Money> { // ⟦ def Money ; ref Money type ⟧
    public static final Money ZERO = new Money(0); // ⟦ def Money.ZERO ; ref Money type ; call Money from - ⟧

    private final long cents; // ⟦ def Money.cents ⟧

    private Money(long cents) { // ⟦ def Money.Money ⟧
        this.cents = cents; // ⟦ ref Money.cents write ⟧
    }

    public static Money of(long cents) { // ⟦ def Money.of ; ref Money type ⟧
        return cents == 0 ? ZERO : new Money(cents); // ⟦ ref Money.ZERO read ; call Money from Money.of ⟧
    }

    public static Money of(long euros, long cents) { // ⟦ def Money.euros.of ; ref Money type ⟧
        return of(euros * 100 + cents); // ⟦ call Money.of from Money.euros.of ⟧
    }

    public Money plus(Money other) { // ⟦ def Money.plus ; ref Money type ⟧
        return of(cents + other.cents); // ⟦ call Money.of from Money.plus ; ref Money.cents read ⟧
    }

    public Money negate() { // ⟦ def Money.negate ; ref Money type ⟧
        return of(-cents); // ⟦ call Money.of from Money.negate ; ref Money.cents read ⟧
    }

    public boolean isNegative() { // ⟦ def Money.isNegative ⟧
        return cents < 0; // ⟦ ref Money.cents read ⟧
    }

    @Override
    public int compareTo(Money other) { // ⟦ def Money.compareTo ; ref Money type ⟧
        return Long.compare(cents, other.cents); // ⟦ ref Money.cents read ⟧
    }

    @Override
    public String toString() { // ⟦ def Money.toString ⟧
        return cents / 100 + "." + Math.abs(cents % 100); // ⟦ ref Money.cents read ⟧
    }
}
