export class ParseError extends Error { // ⟦ def ParseError ⟧
  constructor(line) { // ⟦ def ParseError.constructor ⟧
    super(`cannot parse ${line}`);
    this.line = line; // ⟦ def ParseError.line ⟧
  }
}

/** Splits a line into a command and what follows it. `parse("/join tea")` joins. */
export function parse(line) { // ⟦ def parse.parse ⟧
  if (!line.trim()) {
    throw new ParseError(line); // ⟦ call ParseError from parse.parse ⟧
  }
  if (!line.startsWith("/")) {
    return { name: "say", rest: line };
  }
  const [name, ...rest] = line.slice(1).split(" ");
  return { name, rest: rest.join(" ") };
}

export const parseAll = (text) => text.split("\n").map((line) => parse(line)); // ⟦ def parseAll ; call parse.parse from parseAll ⟧
