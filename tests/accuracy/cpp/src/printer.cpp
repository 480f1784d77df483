#include "press/printer.hpp"

namespace press {

bool Laser::print(const Document& document) { // ⟦ def Laser.print ; impl Laser.print of Printer.print ; ref Laser type ; ref Document type ⟧
    const int sheets = document.sheets(); // ⟦ call Document.sheets from Laser.print ⟧
    if (sheets > toner_ || sheets > kSheetLimit) { // ⟦ ref Laser.toner_ read ; ref kSheetLimit read ⟧
        return false;
    }
    toner_ -= sheets; // ⟦ ref Laser.toner_ write ⟧
    printed_ += document.pages(); // ⟦ ref Printer.printed_ write ; call Document.pages from Laser.print ⟧
    return true;
}

std::unique_ptr<Printer> open(const std::string& kind) { // ⟦ def press.open ; ref Printer type ⟧
    if (kind == "plotter") {
        return std::make_unique<Plotter>(); // ⟦ ref Plotter type ⟧
    }
    return std::make_unique<Laser>(kSheetLimit); // ⟦ ref Laser type ; ref kSheetLimit read ⟧
}

} // namespace press
