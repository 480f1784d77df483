#pragma once

#include <mutex>

#include "press/document.hpp"
#include "press/macros.hpp"
#include "press/queue.hpp"

namespace press {

PRESS_API int rounded(int sheets); // ⟦ may rounded ; ref PRESS_API ⟧

// What has been printed, and may be wanted again.
class PRESS_API Archive { // ⟦ def Archive ; ref PRESS_API ⟧
public:
    Archive() = default; // ⟦ may Archive ⟧
    virtual ~Archive() = default; // ⟦ may Archive ⟧

    void keep(Job job) PRESS_LOCKS_EXCLUDED(lock_); // ⟦ may Archive.keep ; ref Job type ; ref PRESS_LOCKS_EXCLUDED ; ref Archive.lock_ read ⟧
    virtual int sheets() PRESS_LOCKS_EXCLUDED(lock_); // ⟦ may Archive.sheets ; ref PRESS_LOCKS_EXCLUDED ; ref Archive.lock_ read ⟧

protected:
    std::mutex lock_; // ⟦ def Archive.lock_ ⟧
    Queue<Job> jobs_ PRESS_GUARDED_BY(lock_); // ⟦ def Archive.jobs_ ; ref Queue type ; ref Job type ; ref PRESS_GUARDED_BY ; ref Archive.lock_ read ⟧
};

class PRESS_API Cellar final : public Archive { // ⟦ def Cellar ; impl Cellar of Archive ; ref Archive type ; ref PRESS_API ⟧
public:
    int sheets() override { return jobs_.empty() ? 0 : PRESS_SHEETS(jobs_.pop().document); } // ⟦ def Cellar.sheets ; impl Cellar.sheets of Archive.sheets ; ref Archive.jobs_ read ; call Queue.empty from Cellar.sheets ; call PRESS_SHEETS from Cellar.sheets ; call Queue.pop from Cellar.sheets ; ref Job.document read ; may rounded ⟧
};

PRESS_API Archive& archive(); // ⟦ may press.archive ; ref Archive type ; ref PRESS_API ⟧

} // namespace press
