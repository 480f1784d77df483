#pragma once

#include <string>

namespace press {

constexpr int kSheetLimit = 100; // ⟦ def kSheetLimit ⟧

enum class Priority { Low, Normal, High }; // ⟦ def Priority ; def Priority.Low ; def Priority.Normal ; def Priority.High ⟧

class Document { // ⟦ def Document ⟧
public:
    explicit Document(std::string title, int pages = 1); // ⟦ may Document.Document, Document ⟧

    const std::string& title() const { return title_; } // ⟦ def Document.title ; ref Document.title_ read ⟧
    int pages() const { return pages_; } // ⟦ def Document.pages ; ref Document.pages_ read ⟧
    int sheets() const; // ⟦ may Document.sheets ⟧
    Document& append(int pages); // ⟦ may Document.append ; ref Document type ⟧
    Document& append(const Document& other); // ⟦ may Document.document.append ; ref Document type ⟧

    static Document blank(); // ⟦ may Document.blank ; ref Document type ⟧

    Priority priority = Priority::Normal; // ⟦ def Document.priority ; ref Priority type ; ref Priority.Normal read ⟧

private:
    std::string title_; // ⟦ def Document.title_ ⟧
    int pages_; // ⟦ def Document.pages_ ⟧
};

// A job is a document that somebody waits for.
struct Job { // ⟦ def Job ⟧
    Document document; // ⟦ def Job.document ; ref Document type ⟧
    int attempts = 0; // ⟦ def Job.attempts ⟧
};

std::string describe(const Document& document); // ⟦ may document.describe ; ref Document type ⟧
std::string describe(const Job& job); // ⟦ may job.describe ; ref Job type ⟧

} // namespace press
