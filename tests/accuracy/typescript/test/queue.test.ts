import { FixedClock, State, create } from "../src/model"; // ⟦ ref FixedClock import ; ref State import ; ref task.create import ⟧
import createQueue, { FifoQueue, TimedQueue } from "../src/queue/queue"; // ⟦ ref queue.create import ; ref FifoQueue import ; ref TimedQueue import ⟧
import { linear, retry } from "../src/queue/retry"; // ⟦ ref linear import ; ref retry.retry import ⟧

function expect(actual: unknown, expected: unknown): void { // ⟦ def test.expect ⟧
  if (actual !== expected) {
    throw new Error(`${String(actual)} is not ${String(expected)}`);
  }
}

export function keepsOrder(): void { // ⟦ def keepsOrder ⟧
  const queue = new FifoQueue(); // ⟦ call FifoQueue from keepsOrder ⟧
  const first = create("mail", 1); // ⟦ call task.create from keepsOrder ⟧
  queue.add(first).add(create("mail", 2)); // ⟦ call Queue.add from keepsOrder ; call task.create from keepsOrder ⟧
  expect(queue.next()?.id, first.id); // ⟦ call test.expect from keepsOrder ; call FifoQueue.next from keepsOrder ; ref Task.id read ⟧
  expect(queue.size, 1); // ⟦ call test.expect from keepsOrder ; ref Queue.size read ⟧
}

export function waitsBeforeItRetries(): void { // ⟦ def waitsBeforeItRetries ⟧
  const clock = FixedClock.at(1000); // ⟦ ref FixedClock read ; call FixedClock.at from waitsBeforeItRetries ⟧
  const queue = new TimedQueue(clock, linear); // ⟦ call TimedQueue from waitsBeforeItRetries ; ref linear read ⟧
  queue.putBack(create("mail", null)); // ⟦ call TimedQueue.putBack from waitsBeforeItRetries ; call task.create from waitsBeforeItRetries ⟧
  expect(queue.next(), undefined); // ⟦ call test.expect from waitsBeforeItRetries ; call TimedQueue.next from waitsBeforeItRetries ⟧
  clock.advance(500); // ⟦ call FixedClock.advance from waitsBeforeItRetries ⟧
  expect(clock.now(), 1500); // ⟦ call test.expect from waitsBeforeItRetries ; call FixedClock.now from waitsBeforeItRetries ⟧
  expect(queue.next()?.state, State.Waiting); // ⟦ call test.expect from waitsBeforeItRetries ; call TimedQueue.next from waitsBeforeItRetries ; ref Task.state read ; ref State read ; ref State.Waiting read ⟧
}

export function givesUp(): void { // ⟦ def givesUp ⟧
  const task = { ...create("mail", null), attempts: 3 }; // ⟦ call task.create from givesUp ; may Task.attempts ⟧
  expect(retry(task), -1); // ⟦ call test.expect from givesUp ; call retry.retry from givesUp ⟧
  expect(createQueue().drain().length, 1); // ⟦ call test.expect from givesUp ; call queue.create from givesUp ; call Queue.drain from givesUp ⟧
}

[keepsOrder, waitsBeforeItRetries, givesUp].forEach((check) => check()); // ⟦ ref keepsOrder read ; ref waitsBeforeItRetries read ; ref givesUp read ⟧
