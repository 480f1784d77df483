#pragma once

#include <memory>
#include <string>

#include "press/document.hpp"

namespace press {

class Printer { // ⟦ def Printer ⟧
public:
    virtual ~Printer() = default; // ⟦ may Printer ⟧

    virtual bool print(const Document& document) = 0; // ⟦ def Printer.print ; ref Document type ⟧
    virtual std::string name() const { return "printer"; } // ⟦ def Printer.name ⟧

    int printed() const { return printed_; } // ⟦ def Printer.printed ; ref Printer.printed_ read ⟧

protected:
    int printed_ = 0; // ⟦ def Printer.printed_ ⟧
};

class Laser : public Printer { // ⟦ def Laser ; impl Laser of Printer ; ref Printer type ⟧
public:
    explicit Laser(int toner) : toner_(toner) {} // ⟦ def Laser.Laser ; may Laser ; ref Laser.toner_ write ⟧

    bool print(const Document& document) override; // ⟦ may Laser.print ; ref Document type ⟧
    std::string name() const override { return "laser " + Printer::name(); } // ⟦ def Laser.name ; impl Laser.name of Printer.name ; ref Printer type ; call Printer.name from Laser.name ⟧

private:
    int toner_; // ⟦ def Laser.toner_ ⟧
};

class Plotter final : public Printer { // ⟦ def Plotter ; impl Plotter of Printer ; ref Printer type ⟧
public:
    // Plots large sheets, slowly.
    bool print(const Document& document) override { // ⟦ def Plotter.print ; impl Plotter.print of Printer.print ; ref Document type ⟧
        printed_ += document.pages(); // ⟦ ref Printer.printed_ write ; call Document.pages from Plotter.print ⟧
        return true;
    }
};

std::unique_ptr<Printer> open(const std::string& kind); // ⟦ may press.open ; ref Printer type ⟧

} // namespace press
