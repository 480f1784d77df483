import { create, type Task } from "../model"; // ⟦ ref task.create import ; ref Task import ⟧
import * as queues from "./queue";
import type { Queue } from "./queue"; // ⟦ ref Queue import ⟧

export const counters = { // ⟦ def counters ⟧
  start(): number { // ⟦ def counters.start ⟧
    return counters.stop() + 1; // ⟦ ref counters read ; call counters.stop from counters.start ⟧
  },
  stop: (): number => 0, // ⟦ def counters.stop ⟧
};

export class Box<T> { // ⟦ def Box ⟧
  constructor(private readonly item: T) {} // ⟦ def Box.constructor ; def Box.item ⟧

  top(): T { // ⟦ def Box.top ⟧
    return this.item; // ⟦ ref Box.item read ⟧
  }
}

export interface Summary { // ⟦ def Summary ⟧
  size: number; // ⟦ def Summary.size ⟧
  oldest?: string; // ⟦ def Summary.oldest ⟧
}

export function first<T>(all: T[]): T { // ⟦ def stats.first ⟧
  return all[0]!;
}

export function summarize(box: Box<Queue>, size: number): Summary { // ⟦ def summarize ; ref Box type ; ref Queue type ; ref Summary type ⟧
  box.top().drain(); // ⟦ call Box.top from summarize ; call Queue.drain from summarize ⟧
  const queue = box.top(); // ⟦ call Box.top from summarize ⟧
  queue.subscribe(() => counters.start()); // ⟦ call Queue.subscribe from summarize ; ref counters read ; call counters.start from summarize ⟧
  first([queue]).drain(); // ⟦ call stats.first from summarize ; call Queue.drain from summarize ⟧
  [queue].map((one) => one.drain()); // ⟦ call Queue.drain from summarize ⟧
  for (const one of [queue, box.top()]) one.drain(); // ⟦ call Box.top from summarize ; call Queue.drain from summarize ⟧
  return { size, oldest: show({ size }) }; // ⟦ ref Summary.size write ; ref Summary.oldest write ; call stats.show from summarize ⟧
}

export const show = ({ size, oldest = "none" }: Summary): string => `${size} ${oldest}`; // ⟦ def stats.show ; ref Summary type ; ref Summary.size read ; ref Summary.oldest read ⟧

export function fresh(task: Task): Summary { // ⟦ def stats.fresh ; ref Task type ; ref Summary type ⟧
  const queue = new queues.FifoQueue(); // ⟦ call FifoQueue from stats.fresh ⟧
  queue.add(task).add(create("mail", 1)); // ⟦ call Queue.add from stats.fresh ; call task.create from stats.fresh ⟧
  const { size: count } = summarize(new Box<Queue>(queue), queue.size); // ⟦ call summarize from stats.fresh ; call Box from stats.fresh ; ref Queue type ; ref Queue.size read ; ref Summary.size read ⟧
  return { size: count }; // ⟦ ref Summary.size write ⟧
}
