#include <fstream>
#include <iostream>

#include "press/spooler.hpp"

namespace pr = press;
using press::Document; // ⟦ ref Document import ⟧

static void open(std::ifstream& file, const std::string& path) { // ⟦ def main.open ⟧
    file.open(path);
}

static void print(const pr::Job& job) { // ⟦ def main.print ; ref Job type ⟧
    std::cout << describe(job) << '\n'; // ⟦ call job.describe from main.print ⟧
}

int main(int argc, char** argv) { // ⟦ def main ⟧
    std::ifstream file;
    open(file, argc > 1 ? argv[1] : "titles.txt"); // ⟦ call main.open from main ⟧
    pr::Spooler spooler(pr::open("laser")); // ⟦ ref Spooler type ; call press.open from main ⟧
    spooler.listen(print).submit(Document::blank()); // ⟦ call Spooler.listen from main ; ref main.print read ; call Spooler.submit from main ; ref Document read ; call Document.blank from main ⟧
    for (std::string title; std::getline(file, title);) {
        Document document(title, 3); // ⟦ ref Document type ⟧
        document.priority = pr::Priority::Low; // ⟦ ref Document.priority write ; ref Priority read ; ref Priority.Low read ⟧
        spooler.submit(document.append(Document(title))); // ⟦ call Spooler.submit from main ; call Document.document.append from main ; call Document from main ⟧
    }
    auto report = spooler.run(); // ⟦ call Spooler.run from main ⟧
    std::cout << report.done << " of " << report.done + report.failed << '\n'; // ⟦ ref Report.done read ; ref Report.failed read ⟧
    return report.failed; // ⟦ ref Report.failed read ⟧
}
