// Functions that are kept in variables, lists and objects, and called from there.

export function roundUp(cents) { // ⟦ def roundUp ⟧
  return cents + 1;
}

export function roundDown(cents) { // ⟦ def roundDown ⟧
  return cents - 1;
}

function choose() { // ⟦ def choose ⟧
  return roundUp; // ⟦ ref roundUp read ⟧
}

function settle(rule, cents) { // ⟦ def settle ⟧
  return rule(cents); // ⟦ runs roundDown from settle ⟧
}

const RULES = [roundUp, roundDown]; // ⟦ def RULES ; ref roundUp read ; ref roundDown read ⟧

export function useAll(cents) { // ⟦ def useAll ⟧
  const chosen = choose(); // ⟦ call choose from useAll ⟧
  const other = roundDown; // ⟦ ref roundDown read ⟧
  const total = chosen(cents) + other(cents); // ⟦ runs roundUp from useAll ; runs roundDown from useAll ⟧
  return total + settle(roundDown, cents); // ⟦ call settle from useAll ; ref roundDown read ⟧
}

export function byPlace(cents) { // ⟦ def byPlace ⟧
  return RULES[0](cents); // ⟦ ref RULES read ; runs roundUp from byPlace ⟧
}

export function byResult(cents) { // ⟦ def byResult ⟧
  return choose()(cents); // ⟦ call choose from byResult ; runs roundUp from byResult ⟧
}
