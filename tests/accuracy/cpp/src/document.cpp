#include "press/document.hpp"

#include "press/queue.hpp"

namespace press {

namespace {

int halve(int pages) { // ⟦ def document.halve ⟧
    return (pages + 1) / 2;
}

} // namespace

Document::Document(std::string title, int pages) // ⟦ def Document.Document ; ref Document type ⟧
    : title_(std::move(title)), pages_(pages) {} // ⟦ ref Document.title_ write ; ref Document.pages_ write ⟧

int Document::sheets() const { // ⟦ def Document.sheets ; ref Document type ⟧
    return largest(1, halve(pages_)); // ⟦ call largest from Document.sheets ; call document.halve from Document.sheets ; ref Document.pages_ read ⟧
}

Document& Document::append(int pages) { // ⟦ def Document.append ; ref Document type ⟧
    pages_ += pages; // ⟦ ref Document.pages_ write ⟧
    return *this;
}

Document& Document::append(const Document& other) { // ⟦ def Document.document.append ; ref Document type ⟧
    return append(other.pages()); // ⟦ call Document.append from Document.document.append ; call Document.pages from Document.document.append ⟧
}

Document Document::blank() { // ⟦ def Document.blank ; ref Document type ⟧
    return Document("blank", 0); // ⟦ call Document from Document.blank ⟧
}

std::string describe(const Document& document) { // ⟦ def document.describe ; ref Document type ⟧
    return document.title() + ", pages: " + std::to_string(document.pages()); // ⟦ call Document.title from document.describe ; call Document.pages from document.describe ⟧
}

std::string describe(const Job& job) { // ⟦ def job.describe ; ref Job type ⟧
    return describe(job.document) + ", attempts: " + std::to_string(job.attempts); // ⟦ call document.describe from job.describe ; ref Job.document read ; ref Job.attempts read ⟧
}

} // namespace press
