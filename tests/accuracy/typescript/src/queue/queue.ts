import * as tasks from "../model/task";
import type { Clock, Task, TaskId } from "../model"; // ⟦ ref Clock import ; ref Task import ; ref TaskId import ⟧
import { retry as again, type Backoff } from "./retry"; // ⟦ ref retry.retry import ; ref Backoff import ⟧

type Listener = (task: Task) => void; // ⟦ def queue.Listener ; ref Task type ⟧

export abstract class Queue { // ⟦ def Queue ⟧
  protected readonly waiting: Task[] = []; // ⟦ def Queue.waiting ; ref Task type ⟧
  private listeners: Listener[] = []; // ⟦ def Queue.listeners ; ref queue.Listener type ⟧

  abstract next(): Task | undefined; // ⟦ def Queue.next ; ref Task type ⟧

  add(task: Task): this { // ⟦ def Queue.add ; ref Task type ⟧
    this.waiting.push(task); // ⟦ ref Queue.waiting read ⟧
    this.notify(task); // ⟦ call Queue.notify from Queue.add ⟧
    return this;
  }

  get size(): number { // ⟦ def Queue.size ⟧
    return this.waiting.length; // ⟦ ref Queue.waiting read ⟧
  }

  subscribe(listener: Listener): void { // ⟦ def Queue.subscribe ; ref queue.Listener type ⟧
    this.listeners.push(listener); // ⟦ ref Queue.listeners read ⟧
  }

  drain(): TaskId[] { // ⟦ def Queue.drain ; ref TaskId type ⟧
    const done: TaskId[] = []; // ⟦ ref TaskId type ⟧
    for (let task = this.next(); task; task = this.next()) { // ⟦ call Queue.next from Queue.drain ; may FifoQueue.next, TimedQueue.next ⟧
      done.push(task.id); // ⟦ ref Task.id read ⟧
    }
    return done;
  }

  private notify(task: Task): void { // ⟦ def Queue.notify ; ref Task type ⟧
    this.listeners.forEach((listener) => listener(task)); // ⟦ ref Queue.listeners read ⟧
  }
}

export class FifoQueue extends Queue { // ⟦ def FifoQueue ; impl FifoQueue of Queue ; ref Queue type ⟧
  next(): Task | undefined { // ⟦ def FifoQueue.next ; impl FifoQueue.next of Queue.next ; ref Task type ⟧
    return this.waiting.shift(); // ⟦ ref Queue.waiting read ⟧
  }

  static of(task: Task): FifoQueue { // ⟦ def FifoQueue.of ; ref Task type ; ref FifoQueue type ⟧
    const made = new this(); // ⟦ call FifoQueue from FifoQueue.of ⟧
    made.add(task); // ⟦ call Queue.add from FifoQueue.of ⟧
    return made;
  }

  empty(): FifoQueue { // ⟦ def FifoQueue.empty ; ref FifoQueue type ⟧
    return new (this.constructor as new () => FifoQueue)(); // ⟦ call FifoQueue from FifoQueue.empty ⟧
  }
}

export class TimedQueue extends FifoQueue { // ⟦ def TimedQueue ; impl TimedQueue of FifoQueue ; ref FifoQueue type ⟧
  private due = new Map<TaskId, number>(); // ⟦ def TimedQueue.due ; ref TaskId type ⟧

  constructor( // ⟦ def TimedQueue.constructor ⟧
    private readonly clock: Clock, // ⟦ def TimedQueue.clock ; ref Clock type ⟧
    private readonly backoff?: Backoff, // ⟦ def TimedQueue.backoff ; ref Backoff type ⟧
  ) {
    super(); // ⟦ call FifoQueue from TimedQueue.constructor ⟧
  }

  override next(): Task | undefined { // ⟦ def TimedQueue.next ; impl TimedQueue.next of FifoQueue.next ; ref Task type ⟧
    const task = super.next(); // ⟦ call FifoQueue.next from TimedQueue.next ⟧
    if (task && (this.due.get(task.id) ?? 0) > this.clock.now()) { // ⟦ ref TimedQueue.due read ; ref Task.id read ; ref TimedQueue.clock read ; call Clock.now from TimedQueue.next ; may SystemClock.now, FixedClock.now ⟧
      this.waiting.push(task); // ⟦ ref Queue.waiting read ⟧
      return undefined;
    }
    return task;
  }

  putBack(task: Task): void { // ⟦ def TimedQueue.putBack ; ref Task type ⟧
    const delay = again(task, this.backoff); // ⟦ call retry.retry from TimedQueue.putBack ; ref TimedQueue.backoff read ⟧
    if (delay >= 0) {
      this.due.set(task.id, this.clock.now() + delay); // ⟦ ref TimedQueue.due read ; ref Task.id read ; ref TimedQueue.clock read ; call Clock.now from TimedQueue.putBack ; may SystemClock.now, FixedClock.now ⟧
      this.add(task); // ⟦ call Queue.add from TimedQueue.putBack ⟧
    }
  }
}

export default function create(clock?: Clock): Queue { // ⟦ def queue.create ; ref Clock type ; ref Queue type ⟧
  const queue = clock ? new TimedQueue(clock) : new FifoQueue(); // ⟦ call TimedQueue from queue.create ; call FifoQueue from queue.create ⟧
  queue.add(tasks.create("warmup", null)); // ⟦ call Queue.add from queue.create ; call task.create from queue.create ⟧
  return queue;
}
