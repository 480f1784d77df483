import { WallClock } from "./model"; // ⟦ ref SystemClock import ⟧
import makeQueue, { TimedQueue } from "./queue/queue"; // ⟦ ref queue.create import ; ref TimedQueue import ⟧
import { exponential } from "./queue/retry"; // ⟦ ref exponential import ⟧
import { MailHandler, send } from "./workers/mail"; // ⟦ ref MailHandler import ; ref mail.send import ⟧
import { Worker } from "./workers/worker"; // ⟦ ref Worker import ⟧

async function main(): Promise<void> { // ⟦ def main ⟧
  const queue = new TimedQueue(new WallClock(), exponential(3)); // ⟦ call TimedQueue from main ; call SystemClock from main ; call exponential from main ⟧
  queue.subscribe((task) => console.log("added", task.id)); // ⟦ call Queue.subscribe from main ; ref Task.id read ⟧
  queue.add(send("ada@example.org", "hello")).add(send("bob@example.org", "send more")); // ⟦ call Queue.add from main ; call mail.send from main ⟧
  const finished = await new Worker(queue).register(new MailHandler()).run(); // ⟦ call Worker from main ; call Worker.register from main ; call MailHandler from main ; call Worker.run from main ⟧
  console.log(finished, Worker.started, makeQueue().drain().length); // ⟦ ref Worker read ; ref Worker.started read ; call queue.create from main ; call Queue.drain from main ⟧
}

main().catch(console.error); // ⟦ call main from - ⟧
