<?php

namespace App\Billing;

interface Payable // ⟦ def Payable ⟧
{
    public function total(): int; // ⟦ def Payable.total ⟧
}

abstract class Document // ⟦ def Document ⟧
{
    public const PREFIX = 'D'; // ⟦ def Document.PREFIX ⟧
    private static int $made = 0; // ⟦ def Document.made ⟧
    protected int $number; // ⟦ def Document.number ⟧

    public function __construct()
    {
        self::$made++; // ⟦ ref Document.made write ⟧
        $this->number = self::$made; // ⟦ ref Document.number write ; ref Document.made read ⟧
    }

    public function title(): string // ⟦ def Document.title ⟧
    {
        return static::PREFIX . '-' . $this->number; // ⟦ ref Document.PREFIX read ; may Invoice.PREFIX ; ref Document.number read ⟧
    }

    abstract public function describe(): string; // ⟦ def Document.describe ⟧

    public static function count(): int // ⟦ def Document.count ⟧
    {
        return self::$made; // ⟦ ref Document.made read ⟧
    }
}

class Invoice extends Document implements Payable // ⟦ def Invoice ; ref Document type ; ref Payable type ; impl Invoice of Document ; impl Invoice of Payable ⟧
{
    public const PREFIX = 'INV'; // ⟦ def Invoice.PREFIX ⟧
    private array $lines = []; // ⟦ def Invoice.lines ⟧

    public function __construct(private Customer $customer) // ⟦ def Invoice.customer ; ref Customer type ⟧
    {
        parent::__construct();
    }

    public function add(string $text, int $cents): self // ⟦ def Invoice.add ⟧
    {
        $this->lines[] = new Line($text, $cents); // ⟦ ref Invoice.lines write ; call Line from Invoice.add ⟧
        return $this;
    }

    public function total(): int // ⟦ def Invoice.total ; impl Invoice.total of Payable.total ⟧
    {
        $total = 0;
        foreach ($this->lines as $line) { // ⟦ ref Invoice.lines read ⟧
            $total += $line->total(); // ⟦ may Line.total, Invoice.total, Payable.total ⟧
        }
        return $this->withTax($total); // ⟦ call Invoice.withTax from Invoice.total ⟧
    }

    public function title(): string // ⟦ def Invoice.title ; impl Invoice.title of Document.title ⟧
    {
        return parent::title() . ' for ' . $this->customer->name(); // ⟦ call Document.title from Invoice.title ; ref Invoice.customer read ; call Customer.name from Invoice.title ⟧
    }

    public function describe(): string // ⟦ def Invoice.describe ; impl Invoice.describe of Document.describe ⟧
    {
        return $this->title() . ': ' . format($this->total()); // ⟦ call Invoice.title from Invoice.describe ; call Billing.format from Invoice.describe ; call Invoice.total from Invoice.describe ⟧
    }

    private function withTax(int $net): int // ⟦ def Invoice.withTax ⟧
    {
        return $net + intdiv($net * TAX, 100); // ⟦ ref TAX read ⟧
    }
}
