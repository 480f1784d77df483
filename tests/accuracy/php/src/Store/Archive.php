<?php

namespace App\Store;

use App\Billing\Document; // ⟦ ref Document import ⟧
use App\Billing\{Invoice as Bill, Payable}; // ⟦ ref Invoice import ; ref Payable import ⟧

trait Logs // ⟦ def Logs ⟧
{
    private array $log = []; // ⟦ def Logs.prop.log ⟧

    protected function log(string $text): void // ⟦ def Logs.log ⟧
    {
        $this->log[] = format($text); // ⟦ ref Logs.prop.log write ; call Store.format from Logs.log ⟧
    }
}

class Archive // ⟦ def Archive ; impl Archive of Logs ⟧
{
    use Logs; // ⟦ ref Logs type ⟧

    /** Documents by their title. */
    private array $documents = []; // ⟦ def Archive.documents ⟧

    public function add(Document $document): void // ⟦ def Archive.add ; ref Document type ⟧
    {
        $this->documents[$document->title()] = $document; // ⟦ ref Archive.documents write ; call Document.title from Archive.add ; may Invoice.title ⟧
        $this->log('add ' . $document->describe()); // ⟦ call Logs.log from Archive.add ; call Document.describe from Archive.add ; may Invoice.describe ⟧
    }

    public function find(string $title): ?Document // ⟦ def Archive.find ; ref Document type ⟧
    {
        return $this->documents[$title] ?? null; // ⟦ ref Archive.documents read ⟧
    }

    public function due(): int // ⟦ def Archive.due ⟧
    {
        $payable = array_filter($this->documents, fn ($document) => $document instanceof Payable); // ⟦ ref Archive.documents read ; ref Payable type ⟧
        return array_sum(array_map(fn (Payable $one): int => $one->total(), $payable)); // ⟦ ref Payable type ; call Payable.total from Archive.due ; may Invoice.total ⟧
    }

    public function history(): array // ⟦ def Archive.history ⟧
    {
        return $this->log; // ⟦ ref Logs.prop.log read ⟧
    }

    public static function isBill(?Document $document): bool // ⟦ def Archive.isBill ; ref Document type ⟧
    {
        return $document instanceof Bill; // ⟦ ref Invoice type ⟧
    }
}

function format(string $text): string // ⟦ def Store.format ⟧
{
    return '[' . trim($text) . ']';
}
