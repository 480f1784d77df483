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

/** Writes cents as an amount of money. */
function format(int $cents): string // ⟦ def Billing.format ⟧
{
    return sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
}
