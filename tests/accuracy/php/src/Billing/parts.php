<?php

namespace App\Billing;

/** Percent of the net amount. */
const TAX = 20; // ⟦ def TAX ⟧

enum Level: string // ⟦ def Level ⟧
{
    case Basic = 'basic'; // ⟦ def Level.Basic ⟧
    case Gold = 'gold'; // ⟦ def Level.Gold ⟧

    public function name(): string // ⟦ def Level.name ⟧
    {
        return ucfirst($this->value);
    }
}

class Customer // ⟦ def Customer ⟧
{
    private Level $level = Level::Basic; // ⟦ def Customer.level ; ref Level ; ref Level.Basic read ⟧

    public function __construct(private string $name) // ⟦ def Customer.prop.name ⟧
    {
    }

    public function name(): string // ⟦ def Customer.name ⟧
    {
        return $this->name . ' (' . $this->level->name() . ')'; // ⟦ ref Customer.prop.name read ; ref Customer.level read ; call Level.name from Customer.name ⟧
    }

    public static function named(string $name): static // ⟦ def Customer.named ⟧
    {
        return new static($name); // ⟦ call Customer from Customer.named ⟧
    }

    public static function nobody(): self // ⟦ def Customer.nobody ; may Customer ⟧
    {
        $made = new self('nobody'); // ⟦ call Customer from Customer.nobody ⟧
        $made->promote(Level::Basic); // ⟦ call Customer.promote from Customer.nobody ; ref Level ; ref Level.Basic read ⟧
        return $made;
    }

    public function promote(Level $level): void // ⟦ def Customer.promote ; ref Level type ⟧
    {
        $this->level = $level; // ⟦ ref Customer.level write ⟧
    }
}

class Line // ⟦ def Line ⟧
{
    public function __construct(public string $text, private int $cents) // ⟦ def Line.text ; def Line.cents ⟧
    {
    }

    public function total(): int // ⟦ def Line.total ⟧
    {
        return $this->cents; // ⟦ ref Line.cents read ⟧
    }
}

class Reminder // ⟦ def Reminder ⟧
{
    public string $head; // ⟦ def Reminder.head ⟧

    public function __construct(private readonly Customer $customer, public ?Reminder $before = null) // ⟦ def Reminder.__construct ; def Reminder.customer ; def Reminder.before ; ref Customer type ; ref Reminder type ⟧
    {
        $this->head = $customer->name(); // ⟦ ref Reminder.head write ; ref Reminder.customer read ; call Customer.name from Reminder.__construct ⟧
    }

    public function name(): string // ⟦ def Reminder.name ⟧
    {
        return $this->head . $this->customer->name(); // ⟦ ref Reminder.head read ; ref Reminder.customer read ; call Customer.name from Reminder.name ⟧
    }

    public function first(): string // ⟦ def Reminder.first ⟧
    {
        return $this->before?->customer->name() ?? $this->name(); // ⟦ ref Reminder.before read ; ref Reminder.customer read ; call Customer.name from Reminder.first ; call Reminder.name from Reminder.first ⟧
    }
}

/** Writes cents as an amount of money. */
function format(int $cents): string // ⟦ def Billing.format ⟧
{
    return sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
}
