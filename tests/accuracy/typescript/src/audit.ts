import make, { type Backoff, FifoQueue, Patient, most, print } from "@jobs/queue"; // ⟦ ref queue.create import ; ref Backoff import ; ref FifoQueue import ; ref TimedQueue import ; ref queue.limit import ; ref stats.show import ⟧
import { FixedClock } from "@jobs/model"; // ⟦ ref FixedClock import ⟧
import type { Summary } from "@jobs/queue/stats"; // ⟦ ref Summary import ⟧

/** Counts twice. What its names mean depends on the block. */
export function audit(summaries: Summary[], patience: Backoff): number { // ⟦ def audit ; ref Summary type ; ref Backoff type ⟧
  const one = new FifoQueue(); // ⟦ call FifoQueue from audit ⟧
  let total = most; // ⟦ ref queue.limit read ⟧
  for (const one of summaries) {
    total += one.size; // ⟦ ref Summary.size read ⟧
  }
  total += one.size; // ⟦ ref Queue.size read ⟧
  summaries.forEach((one: Summary) => console.log(print(one), one.size)); // ⟦ ref Summary type ; call stats.show from audit ; ref Summary.size read ⟧
  if (total > one.size) { // ⟦ ref Queue.size read ⟧
    const one = new Patient(FixedClock.at(total), patience); // ⟦ call TimedQueue from audit ; ref FixedClock read ; call FixedClock.at from audit ⟧
    one.next(); // ⟦ call TimedQueue.next from audit ⟧
  }
  one.next(); // ⟦ call FifoQueue.next from audit ⟧
  return total + make().drain().length; // ⟦ call queue.create from audit ; call Queue.drain from audit ⟧
}
