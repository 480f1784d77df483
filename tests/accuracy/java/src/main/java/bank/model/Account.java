package bank.model;

import java.util.Objects;

public abstract class Account { // ⟦ def Account ⟧
    private final String number; // ⟦ def Account.number ⟧
    protected Money balance = Money.ZERO; // ⟦ def Account.balance ; ref Money type ; ref Money.ZERO read ⟧

    protected Account(String number) { // ⟦ def Account.Account ⟧
        this.number = Objects.requireNonNull(number); // ⟦ ref Account.number write ⟧
    }

    public String number() { // ⟦ def Account.method.number ⟧
        return number; // ⟦ ref Account.number read ⟧
    }

    public Money balance() { // ⟦ def Account.method.balance ; ref Money type ⟧
        return balance; // ⟦ ref Account.balance read ⟧
    }

    /** Books the amount, or refuses it. */
    public abstract boolean book(Money amount); // ⟦ def Account.book ; ref Money type ⟧

    public String describe() { // ⟦ def Account.describe ⟧
        return number + " " + balance(); // ⟦ ref Account.number read ; call Account.method.balance from Account.describe ⟧
    }

    public static class Checking extends Account { // ⟦ def Checking ; impl Checking of Account ; ref Account type ⟧
        private final Money limit; // ⟦ def Checking.limit ; ref Money type ⟧

        public Checking(String number, Money limit) { // ⟦ def Checking.Checking ; ref Money type ⟧
            super(number); // ⟦ call Account from Checking.Checking ⟧
            this.limit = limit; // ⟦ ref Checking.limit write ⟧
        }

        @Override
        public boolean book(Money amount) { // ⟦ def Checking.book ; impl Checking.book of Account.book ; ref Money type ⟧
            Money balance = this.balance.plus(amount); // ⟦ ref Money type ; ref Account.balance read ; call Money.plus from Checking.book ⟧
            if (balance.plus(limit).isNegative()) { // ⟦ call Money.plus from Checking.book ; ref Checking.limit read ; call Money.isNegative from Checking.book ⟧
                return false;
            }
            this.balance = balance; // ⟦ ref Account.balance write ⟧
            return true;
        }
    }

    public static class Savings extends Account { // ⟦ def Savings ; impl Savings of Account ; ref Account type ⟧
        public Savings(String number) { // ⟦ def Savings.Savings ⟧
            super(number); // ⟦ call Account from Savings.Savings ⟧
        }

        @Override
        public boolean book(Money amount) { // ⟦ def Savings.book ; impl Savings.book of Account.book ; ref Money type ⟧
            balance = balance.plus(amount); // ⟦ ref Account.balance write ; call Money.plus from Savings.book ⟧
            return !balance.isNegative(); // ⟦ ref Account.balance read ; call Money.isNegative from Savings.book ⟧
        }

        @Override
        public String describe() { // ⟦ def Savings.describe ; impl Savings.describe of Account.describe ⟧
            return "savings " + super.describe(); // ⟦ call Account.describe from Savings.describe ⟧
        }
    }
}
