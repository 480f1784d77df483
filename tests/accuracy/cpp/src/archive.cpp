#include "press/archive.hpp"

namespace press {

void Archive::keep(Job job) { // ⟦ def Archive.keep ; ref Archive type ; ref Job type ⟧
    std::lock_guard<std::mutex> guard(lock_); // ⟦ ref Archive.lock_ read ⟧
    jobs_.push(job); // ⟦ ref Archive.jobs_ read ; call Queue.push from Archive.keep ⟧
}

int Archive::sheets() { // ⟦ def Archive.sheets ; ref Archive type ⟧
    std::lock_guard<std::mutex> guard(lock_); // ⟦ ref Archive.lock_ read ⟧
    return jobs_.empty() ? 0 : jobs_.pop().document.sheets(); // ⟦ ref Archive.jobs_ read ; call Queue.empty from Archive.sheets ; call Queue.pop from Archive.sheets ; ref Job.document read ; call Document.sheets from Archive.sheets ⟧
}

Archive& archive() { // ⟦ def press.archive ; ref Archive type ⟧
    static Archive all; // ⟦ ref Archive type ⟧
    return all;
}

int rounded(int sheets) { // ⟦ def rounded ⟧
    return (sheets + 9) / 10 * 10;
}

} // namespace press
