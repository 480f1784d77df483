import create, { FifoQueue, TimedQueue as Patient } from "./queue"; // ⟦ ref queue.create import ; ref FifoQueue import ; ref TimedQueue import ⟧
import type { Backoff } from "./retry"; // ⟦ ref Backoff import ⟧
import { show } from "./stats"; // ⟦ ref stats.show import ⟧

const limit = 10; // ⟦ def queue.limit ⟧

export { FifoQueue, Patient, show as print, limit as most }; // ⟦ ref FifoQueue ; ref TimedQueue ; ref stats.show ; ref queue.limit ⟧
export type { Backoff }; // ⟦ ref Backoff ⟧
export default create; // ⟦ ref queue.create ⟧
