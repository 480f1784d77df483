import { create as createTask, type Task } from "../model/task"; // ⟦ ref task.create import ; ref Task import ⟧
import type { Handler } from "./worker"; // ⟦ ref Handler import ⟧

export interface Mail { // ⟦ def Mail ⟧
  to: string;
  subject: string; // ⟦ def Mail.subject ⟧
}

export class MailHandler implements Handler<Mail> { // ⟦ def MailHandler ; impl MailHandler of Handler ; ref Handler type ; ref Mail type ⟧
  readonly name = "mail"; // ⟦ def MailHandler.name ; impl MailHandler.name of Handler.name ⟧
  readonly sent: string[] = []; // ⟦ def MailHandler.sent ⟧

  async handle(task: Task<Mail>): Promise<void> { // ⟦ def MailHandler.handle ; impl MailHandler.handle of Handler.handle ; ref Task type ; ref Mail type ⟧
    this.sent.push(format(task.payload)); // ⟦ ref MailHandler.sent read ; call mail.format from MailHandler.handle ; ref Task.payload read ⟧
  }
}

function format(mail: Mail): string; // ⟦ may mail.format ; ref Mail type ⟧
function format(mail: Mail, width: number): string; // ⟦ may mail.format ; ref Mail type ⟧
function format(mail: Mail, width?: number): string { // ⟦ def mail.format ; ref Mail type ⟧
  const { to, subject } = mail; // ⟦ ref Mail.subject read ⟧
  return width ? subject.slice(0, width) : `${to}: ${subject}`;
}

export function send(to: string, subject: string): Task<Mail> { // ⟦ def mail.send ; ref Task type ; ref Mail type ⟧
  return createTask("mail", { to, subject }); // ⟦ call task.create from mail.send ; may Mail.subject ⟧
}
