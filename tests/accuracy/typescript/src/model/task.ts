export type TaskId = string; // ⟦ def TaskId ⟧

export enum State { // ⟦ def State ⟧
  Waiting = "waiting", // ⟦ def State.Waiting ⟧
  Running = "running", // ⟦ def State.Running ⟧
  Done = "done", // ⟦ def State.Done ⟧
  Failed = "failed", // ⟦ def State.Failed ⟧
}

export interface Task<P = unknown> { // ⟦ def Task ⟧
  readonly id: TaskId; // ⟦ def Task.id ; ref TaskId type ⟧
  kind: string; // ⟦ def Task.kind ⟧
  payload: P; // ⟦ def Task.payload ⟧
  state: State; // ⟦ def Task.state ; ref State type ⟧
  attempts: number; // ⟦ def Task.attempts ⟧
}

export const MAX_ATTEMPTS = 3; // ⟦ def MAX_ATTEMPTS ⟧

let counter = 0; // ⟦ def task.counter ⟧

export function create<P>(kind: string, payload: P): Task<P> { // ⟦ def task.create ; ref Task type ⟧
  counter += 1; // ⟦ ref task.counter write ⟧
  return {
    id: `task-${counter}`, // ⟦ ref Task.id write ; ref task.counter read ⟧
    kind, // ⟦ ref Task.kind write ⟧
    payload, // ⟦ ref Task.payload write ⟧
    state: State.Waiting, // ⟦ ref Task.state write ; ref State read ; ref State.Waiting read ⟧
    attempts: 0, // ⟦ ref Task.attempts write ⟧
  };
}

export const isOver = (task: Task): boolean => // ⟦ def isOver ; ref Task type ⟧
  task.state === State.Done || task.attempts >= MAX_ATTEMPTS; // ⟦ ref Task.state read ; ref State read ; ref State.Done read ; ref Task.attempts read ; ref MAX_ATTEMPTS read ⟧
