import { MAX_ATTEMPTS, State, type Task } from "../model"; // ⟦ ref MAX_ATTEMPTS import ; ref State import ; ref Task import ⟧

export type Backoff = (attempt: number) => number; // ⟦ def Backoff ⟧

export const linear: Backoff = (attempt) => attempt * 100; // ⟦ def linear ; ref Backoff type ⟧

export function exponential(base = 2): Backoff { // ⟦ def exponential ; ref Backoff type ⟧
  function delay(attempt: number): number { // ⟦ def exponential.delay ⟧
    return attempt <= 0 ? 1 : base * delay(attempt - 1); // ⟦ call exponential.delay from exponential.delay ⟧
  }
  return delay; // ⟦ ref exponential.delay read ⟧
}

export function retry(task: Task, backoff: Backoff = linear): number { // ⟦ def retry.retry ; ref Task type ; ref Backoff type ; ref linear read ⟧
  if (task.attempts >= MAX_ATTEMPTS) { // ⟦ ref Task.attempts read ; ref MAX_ATTEMPTS read ⟧
    task.state = State.Failed; // ⟦ ref Task.state write ; ref State read ; ref State.Failed read ⟧
    return -1;
  }
  task.attempts += 1; // ⟦ ref Task.attempts write ⟧
  task.state = State.Waiting; // ⟦ ref Task.state write ; ref State read ; ref State.Waiting read ⟧
  return backoff(task.attempts); // ⟦ ref Task.attempts read ⟧
}
