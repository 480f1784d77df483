<?php

namespace App\Tests;

require_once __DIR__ . '/../src/Billing/parts.php';
require_once __DIR__ . '/../src/Billing/Invoice.php';
require_once __DIR__ . '/../src/Store/Archive.php';

use App\Billing\Customer; // ⟦ ref Customer import ⟧
use App\Billing\Invoice; // ⟦ ref Invoice import ⟧
use App\Billing\Level; // ⟦ ref Level import ⟧
use App\Store\Archive; // ⟦ ref Archive import ⟧
use function App\Billing\format as money; // ⟦ ref Billing.format import ⟧

class ArchiveTest // ⟦ def ArchiveTest ⟧
{
    private Archive $archive; // ⟦ def ArchiveTest.archive ; ref Archive type ⟧

    public function setUp(): void // ⟦ def ArchiveTest.setUp ⟧
    {
        $this->archive = new Archive(); // ⟦ ref ArchiveTest.archive write ; call Archive from ArchiveTest.setUp ⟧
    }

    private function sample(): Invoice // ⟦ def ArchiveTest.sample ; ref Invoice type ⟧
    {
        $customer = new Customer('Ada'); // ⟦ call Customer from ArchiveTest.sample ⟧
        $customer->promote(Level::Gold); // ⟦ call Customer.promote from ArchiveTest.sample ; ref Level ; ref Level.Gold read ⟧
        return (new Invoice($customer))->add('paper', 1000)->add('ink', 500); // ⟦ call Invoice from ArchiveTest.sample ; call Invoice.add from ArchiveTest.sample ⟧
    }

    public function testFindsWhatWasAdded(): void // ⟦ def ArchiveTest.testFindsWhatWasAdded ⟧
    {
        $invoice = $this->sample(); // ⟦ call ArchiveTest.sample from ArchiveTest.testFindsWhatWasAdded ⟧
        $this->archive->add($invoice); // ⟦ ref ArchiveTest.archive read ; call Archive.add from ArchiveTest.testFindsWhatWasAdded ⟧
        $found = $this->archive->find($invoice->title()); // ⟦ ref ArchiveTest.archive read ; call Archive.find from ArchiveTest.testFindsWhatWasAdded ; call Invoice.title from ArchiveTest.testFindsWhatWasAdded ⟧
        assert(Archive::isBill($found)); // ⟦ ref Archive ; call Archive.isBill from ArchiveTest.testFindsWhatWasAdded ⟧
        assert($found->describe() === $invoice->title() . ': ' . money(1800)); // ⟦ call Document.describe from ArchiveTest.testFindsWhatWasAdded ; may Invoice.describe ; call Invoice.title from ArchiveTest.testFindsWhatWasAdded ; call Billing.format from ArchiveTest.testFindsWhatWasAdded ⟧
    }

    public function testDue(): void // ⟦ def ArchiveTest.testDue ⟧
    {
        $this->archive->add($this->sample()); // ⟦ ref ArchiveTest.archive read ; call Archive.add from ArchiveTest.testDue ; call ArchiveTest.sample from ArchiveTest.testDue ⟧
        assert($this->archive->due() === 1800); // ⟦ ref ArchiveTest.archive read ; call Archive.due from ArchiveTest.testDue ⟧
        assert(count($this->archive->history()) === Invoice::count() - 1); // ⟦ ref ArchiveTest.archive read ; call Archive.history from ArchiveTest.testDue ; ref Invoice ; call Document.count from ArchiveTest.testDue ⟧
    }
}

class Ledger // ⟦ def Ledger ⟧
{
    /** @var \App\Store\Archive|null */
    private $kept; // ⟦ def Ledger.kept ⟧
    private $first; // ⟦ def Ledger.first ⟧
    protected $other; // ⟦ def Ledger.other ⟧

    public function __construct(\App\Billing\Invoice $first) // ⟦ def Ledger.__construct ; ref Invoice type ⟧
    {
        $this->first = $first; // ⟦ ref Ledger.first write ⟧
        $this->other = new \App\Store\Archive(); // ⟦ ref Ledger.other write ; call Archive from Ledger.__construct ⟧
    }

    public function keep(?\App\Store\Archive $kept): int // ⟦ def Ledger.keep ; ref Archive type ⟧
    {
        $this->kept = $kept; // ⟦ ref Ledger.kept write ⟧
        $this->kept->add($this->first); // ⟦ ref Ledger.kept read ; call Archive.add from Ledger.keep ; ref Ledger.first read ⟧
        return $this->first->total() + $this->other->due(); // ⟦ ref Ledger.first read ; call Invoice.total from Ledger.keep ; ref Ledger.other read ; call Archive.due from Ledger.keep ⟧
    }
}

foreach (['testFindsWhatWasAdded', 'testDue'] as $name) { // ⟦ may ArchiveTest.testFindsWhatWasAdded, ArchiveTest.testDue ⟧
    $test = new ArchiveTest(); // ⟦ call ArchiveTest from - ⟧
    $test->setUp(); // ⟦ call ArchiveTest.setUp from - ⟧
    $test->$name();
    echo "ok $name\n";
}
$ledger = new Ledger(new \App\Billing\Invoice(\App\Billing\Customer::nobody())); // ⟦ call Ledger from - ; call Invoice from - ; ref Customer ; call Customer.nobody from - ⟧
assert($ledger->keep(new \App\Store\Archive()) === 0); // ⟦ call Ledger.keep from - ; call Archive from - ⟧
