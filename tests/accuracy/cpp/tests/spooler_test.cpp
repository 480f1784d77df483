#include <cassert>

#include "press/archive.hpp"
#include "press/spooler.hpp"

using namespace press;

static Document thick() { // ⟦ def thick ; ref Document type ⟧
    Document document("encyclopedia", 500); // ⟦ ref Document type ⟧
    document.priority = Priority::High; // ⟦ ref Document.priority write ; ref Priority read ; ref Priority.High read ⟧
    return document;
}

static void refusesWhatIsTooThick() { // ⟦ def refusesWhatIsTooThick ⟧
    Spooler spooler(open("laser")); // ⟦ ref Spooler type ; call press.open from refusesWhatIsTooThick ⟧
    int attempts = 0;
    spooler.listen([&](const Job& job) { attempts = job.attempts; }); // ⟦ call Spooler.listen from refusesWhatIsTooThick ; ref Job type ; ref Job.attempts read ⟧
    spooler.submit(thick()); // ⟦ call Spooler.submit from refusesWhatIsTooThick ; call thick from refusesWhatIsTooThick ⟧
    assert(spooler.urgent() == 1); // ⟦ call Spooler.urgent from refusesWhatIsTooThick ⟧
    assert(spooler.run().failed == 1); // ⟦ call Spooler.run from refusesWhatIsTooThick ; ref Report.failed read ⟧
    assert(attempts == 3 && Spooler::created == 1); // ⟦ ref Spooler read ; ref Spooler.created read ⟧
}

static void printersCountTheirPages() { // ⟦ def printersCountTheirPages ⟧
    Plotter plotter; // ⟦ ref Plotter type ⟧
    assert(plotter.print(thick()) && plotter.printed() == 500); // ⟦ call Plotter.print from printersCountTheirPages ; call thick from printersCountTheirPages ; call Printer.printed from printersCountTheirPages ⟧
    Laser laser(2); // ⟦ ref Laser type ⟧
    assert(laser.name() == "laser printer" && laser.print(Document("note"))); // ⟦ call Laser.name from printersCountTheirPages ; call Laser.print from printersCountTheirPages ; call Document from printersCountTheirPages ⟧
    const Printer& printer = laser; // ⟦ ref Printer type ⟧
    assert(printer.name() == laser.name()); // ⟦ call Printer.name from printersCountTheirPages ; may Laser.name ; call Laser.name from printersCountTheirPages ⟧
    assert(describe(Job{thick()}).size() > 10); // ⟦ call job.describe from printersCountTheirPages ; call Job from printersCountTheirPages ; call thick from printersCountTheirPages ⟧
}

static void archivesKeepWhatWasPrinted() { // ⟦ def archivesKeepWhatWasPrinted ⟧
    archive().keep(Job{thick()}); // ⟦ call press.archive from archivesKeepWhatWasPrinted ; call Archive.keep from archivesKeepWhatWasPrinted ; call Job from archivesKeepWhatWasPrinted ; call thick from archivesKeepWhatWasPrinted ⟧
    assert(archive().sheets() == 250); // ⟦ call press.archive from archivesKeepWhatWasPrinted ; call Archive.sheets from archivesKeepWhatWasPrinted ; may Cellar.sheets ⟧
    Cellar cellar; // ⟦ ref Cellar type ⟧
    assert(cellar.sheets() == 0); // ⟦ call Cellar.sheets from archivesKeepWhatWasPrinted ⟧
}

int main() { // ⟦ def test.main ⟧
    refusesWhatIsTooThick(); // ⟦ call refusesWhatIsTooThick from test.main ⟧
    archivesKeepWhatWasPrinted(); // ⟦ call archivesKeepWhatWasPrinted from test.main ⟧
    printersCountTheirPages(); // ⟦ call printersCountTheirPages from test.main ⟧
}
