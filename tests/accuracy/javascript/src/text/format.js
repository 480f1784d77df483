// Everything that a person gets to see is formatted here.

export const WIDTH = 60; // ⟦ def format.WIDTH ⟧

export function pad(text, width = WIDTH) { // ⟦ def format.pad ; ref format.WIDTH read ⟧
  return text.length >= width ? text : pad(`${text} `, width); // ⟦ call format.pad from format.pad ⟧
}

export const bold = (text) => `*${text}*`; // ⟦ def bold ⟧

export function format(message, decorate = bold) { // ⟦ def format.format ; ref bold read ⟧
  const { author, text } = message;
  return `${decorate(author)}: ${escape(text)}`; // ⟦ call format.escape from format.format ; runs bold from format.format ⟧
}

function escape(text) { // ⟦ def format.escape ⟧
  return text.replaceAll("<", "&lt;");
}

export default function banner(title) { // ⟦ def banner ⟧
  function line() { // ⟦ def banner.line ⟧
    return "=".repeat(WIDTH); // ⟦ ref format.WIDTH read ⟧
  }
  return [line(), pad(title), line()].join("\n"); // ⟦ call banner.line from banner ; call format.pad from banner ⟧
}
