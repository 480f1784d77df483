#include "press/spooler.hpp"

namespace press {

namespace {

constexpr int kAttempts = 3; // ⟦ def kAttempts ⟧

bool isUrgent(const Job& job) { // ⟦ def isUrgent ; ref Job type ⟧
    return job.document.priority == Priority::High; // ⟦ ref Job.document read ; ref Document.priority read ; ref Priority read ; ref Priority.High read ⟧
}

} // namespace

int Spooler::created = 0; // ⟦ def Spooler.created ; ref Spooler type ⟧

Spooler::Spooler(std::unique_ptr<Printer> printer) : printer_(std::move(printer)) { // ⟦ def Spooler.Spooler ; ref Spooler type ; ref Printer type ; ref Spooler.printer_ write ⟧
    created++; // ⟦ ref Spooler.created write ⟧
}

Spooler& Spooler::submit(Document document) { // ⟦ def Spooler.submit ; ref Spooler type ; ref Document type ⟧
    queue_.push(Job{std::move(document)}); // ⟦ ref Spooler.queue_ read ; call Queue.push from Spooler.submit ; call Job from Spooler.submit ⟧
    return *this;
}

Spooler& Spooler::listen(Listener listener) { // ⟦ def Spooler.listen ; ref Spooler type ; ref Spooler.Listener type ⟧
    listener_ = std::move(listener); // ⟦ ref Spooler.listener_ write ⟧
    return *this;
}

Spooler::Report Spooler::run() { // ⟦ def Spooler.run ; ref Spooler type ; ref Report type ⟧
    Report report; // ⟦ ref Report type ⟧
    while (!queue_.empty()) { // ⟦ ref Spooler.queue_ read ; call Queue.empty from Spooler.run ⟧
        Job job = queue_.pop(); // ⟦ ref Job type ; ref Spooler.queue_ read ; call Queue.pop from Spooler.run ⟧
        if (attempt(job)) { // ⟦ call Spooler.attempt from Spooler.run ⟧
            report.done++; // ⟦ ref Report.done write ⟧
        } else {
            report.failed++; // ⟦ ref Report.failed write ⟧
        }
        if (listener_) { // ⟦ ref Spooler.listener_ read ⟧
            listener_(job); // ⟦ ref Spooler.listener_ read ⟧
        }
    }
    return report;
}

bool Spooler::attempt(Job& job) { // ⟦ def Spooler.attempt ; ref Spooler type ; ref Job type ⟧
    job.attempts++; // ⟦ ref Job.attempts write ⟧
    if (printer_->print(job.document)) { // ⟦ ref Spooler.printer_ read ; call Printer.print from Spooler.attempt ; may Laser.print, Plotter.print ; ref Job.document read ⟧
        return true;
    }
    return job.attempts < kAttempts && attempt(job); // ⟦ ref Job.attempts read ; ref kAttempts read ; call Spooler.attempt from Spooler.attempt ⟧
}

std::size_t Spooler::urgent() const { // ⟦ def Spooler.urgent ; ref Spooler type ⟧
    return queue_.count(isUrgent); // ⟦ ref Spooler.queue_ read ; call Queue.count from Spooler.urgent ; ref isUrgent read ⟧
}

} // namespace press
