// The oldest part of the house, still in the style it was written in.
const LIMIT = 100; // ⟦ def history.LIMIT ⟧

class History { // ⟦ def History ⟧
  constructor(limit) { // ⟦ def History.constructor ⟧
    this.limit = limit || LIMIT; // ⟦ def History.limit ; ref history.LIMIT read ⟧
    this.entries = []; // ⟦ def History.entries ⟧
  }

  push(entry) { // ⟦ def History.push ⟧
    this.entries.push(entry); // ⟦ ref History.entries read ⟧
    if (this.entries.length > this.limit) { // ⟦ ref History.entries read ; ref History.limit read ⟧
      this.trim(); // ⟦ call History.trim from History.push ⟧
    }
    return this;
  }

  trim() { // ⟦ def History.trim ⟧
    this.entries = this.entries.slice(-this.limit); // ⟦ ref History.entries write ; ref History.limit read ⟧
  }

  last(count) { // ⟦ def History.last ⟧
    return this.entries.slice(-count); // ⟦ ref History.entries read ⟧
  }
}

function create(limit) { // ⟦ def history.create ⟧
  return new History(limit); // ⟦ call History from history.create ⟧
}

module.exports = { History, create }; // ⟦ ref History ; ref history.create ⟧
