#pragma once

#include <functional>
#include <memory>
#include <string>

#include "press/printer.hpp"
#include "press/queue.hpp"

namespace press {

class Spooler { // ⟦ def Spooler ⟧
public:
    struct Report { // ⟦ def Report ⟧
        int done = 0; // ⟦ def Report.done ⟧
        int failed = 0; // ⟦ def Report.failed ⟧
    };

    using Listener = std::function<void(const Job&)>; // ⟦ def Spooler.Listener ; ref Job type ⟧

    explicit Spooler(std::unique_ptr<Printer> printer); // ⟦ may Spooler.Spooler, Spooler ; ref Printer type ⟧

    Spooler& submit(Document document); // ⟦ may Spooler.submit ; ref Spooler type ; ref Document type ⟧
    Spooler& listen(Listener listener); // ⟦ may Spooler.listen ; ref Spooler type ; ref Spooler.Listener type ⟧
    Report run(); // ⟦ may Spooler.run ; ref Report type ⟧
    std::size_t urgent() const; // ⟦ may Spooler.urgent ⟧

    static int created; // ⟦ may Spooler.created ⟧

private:
    bool attempt(Job& job); // ⟦ may Spooler.attempt ; ref Job type ⟧

    std::unique_ptr<Printer> printer_; // ⟦ def Spooler.printer_ ; ref Printer type ⟧
    Queue<Job> queue_; // ⟦ def Spooler.queue_ ; ref Queue type ; ref Job type ⟧
    Listener listener_; // ⟦ def Spooler.listener_ ; ref Spooler.Listener type ⟧
};

} // namespace press
