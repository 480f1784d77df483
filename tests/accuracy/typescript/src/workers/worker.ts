import { State, isOver } from "../model"; // ⟦ ref State import ; ref isOver import ⟧
import type { Task } from "../model/task"; // ⟦ ref Task import ⟧
import { TimedQueue } from "../queue/queue"; // ⟦ ref TimedQueue import ⟧

export interface Handler<P = unknown> { // ⟦ def Handler ⟧
  readonly name: string; // ⟦ def Handler.name ⟧
  handle(task: Task<P>): Promise<void>; // ⟦ def Handler.handle ; ref Task type ⟧
}

export function timed<This, Args extends unknown[], R>( // ⟦ def timed ⟧
  target: (this: This, ...args: Args) => R,
  context: ClassMethodDecoratorContext,
) {
  return function (this: This, ...args: Args): R {
    console.log("timed", String(context.name));
    return target.apply(this, args);
  };
}

export class Worker { // ⟦ def Worker ⟧
  static started = 0; // ⟦ def Worker.started ⟧
  private readonly handlers = new Map<string, Handler<any>>(); // ⟦ def Worker.handlers ; ref Handler type ⟧

  constructor(readonly queue: TimedQueue) { // ⟦ def Worker.constructor ; def Worker.queue ; ref TimedQueue type ⟧
    Worker.started += 1; // ⟦ ref Worker read ; ref Worker.started write ⟧
  }

  register<P>(handler: Handler<P>): Worker { // ⟦ def Worker.register ; ref Handler type ; ref Worker type ⟧
    this.handlers.set(handler.name, handler); // ⟦ ref Worker.handlers read ; ref Handler.name read ; may MailHandler.name ⟧
    return this;
  }

  @timed // ⟦ ref timed ⟧
  async run(): Promise<number> { // ⟦ def Worker.run ⟧
    let finished = 0;
    for (let task = this.queue.next(); task; task = this.queue.next()) { // ⟦ ref Worker.queue read ; call TimedQueue.next from Worker.run ⟧
      finished += (await this.handle(task)) ? 1 : 0; // ⟦ call Worker.handle from Worker.run ⟧
    }
    return finished;
  }

  private async handle(task: Task): Promise<boolean> { // ⟦ def Worker.handle ; ref Task type ⟧
    const handler = this.handlers.get(task.kind); // ⟦ ref Worker.handlers read ; ref Task.kind read ⟧
    task.state = State.Running; // ⟦ ref Task.state write ; ref State read ; ref State.Running read ⟧
    try {
      await handler?.handle(task); // ⟦ call Handler.handle from Worker.handle ; may MailHandler.handle ⟧
      task.state = State.Done; // ⟦ ref Task.state write ; ref State read ; ref State.Done read ⟧
    } catch {
      this.queue.putBack(task); // ⟦ ref Worker.queue read ; call TimedQueue.putBack from Worker.handle ⟧
    }
    return isOver(task); // ⟦ call isOver from Worker.handle ⟧
  }
}
