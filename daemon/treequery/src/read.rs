//! Compiles the text of a query to steps.
//!
//! The query language is tree-sitter's, and patterns are compiled to the same steps as in tree-sitter. Syntax that no query of
//! ours uses is refused.

use tree_sitter::Language;

use super::flat::{ERROR, KindFilter};
use super::predicates::Predicate;
use super::scan::Scanner;
use super::steps::{ANY, DONE, Entry, NONE, Pattern, Step, Steps};

pub fn compile(grammar: &Language, source: &str) -> Result<Steps, String> {
    let kinds = grammar.node_kind_count();
    let mut steps = Steps {
        // Errors come after the grammar's own kinds.
        rooted: vec![vec![]; kinds + 1],
        ..Steps::default()
    };
    steps.kept.kinds = (0..kinds)
        .map(|kind| {
            let is_named = u16::try_from(kind).is_ok_and(|kind| grammar.node_kind_is_named(kind));
            KindFilter {
                is_named,
                is_wanted: is_named,
                has_fields: false,
            }
        })
        .collect();
    let mut reader = Reader {
        grammar,
        text: Scanner::new(source),
        steps,
        predicates: vec![],
    };
    while !reader.text.is_at_end() {
        reader
            .pattern()
            .map_err(|problem| format!("{problem} at byte {}", reader.text.at))?;
    }
    reader.finish()
}

/// The result of reading one part of a query.
enum ReadOutcome {
    Pattern,
    /// The end of the enclosing node, group or alternation.
    End,
}

struct Reader<'a> {
    grammar: &'a Language,
    text: Scanner<'a>,
    steps: Steps,
    predicates: Vec<Predicate>,
}

/// The position of a part of a pattern.
#[derive(Clone, Copy)]
struct PatternPosition {
    depth: u16,
    immediate: bool,
    in_alternation: bool,
    /// The kind of the node around it; [`ANY`] if it is not known.
    around: u16,
}

impl Reader<'_> {
    fn pattern(&mut self) -> Result<(), String> {
        let first = self.len();
        self.read(PatternPosition {
            depth: 0,
            immediate: false,
            in_alternation: false,
            around: ANY,
        })?;
        let end = self.len();
        if end == first {
            return Err("a predicate stands alone".to_owned());
        }
        self.steps.steps.push(Step::new(ANY, DONE, false));
        self.enter(first);
        self.unlink_loops(first, end);
        self.judge(first, end);
        let steps = &self.steps.steps[first as usize..];
        let repeats = steps.iter().any(|step| step.pass_through);
        self.steps.patterns.push(Pattern {
            predicates: std::mem::take(&mut self.predicates),
            repeats,
        });
        Ok(())
    }

    /// Records the steps with which the pattern may begin.
    fn enter(&mut self, first: u16) {
        let pattern = u16::try_from(self.steps.patterns.len()).unwrap_or(NONE);
        let mut at = first;
        let mut other = NONE;
        loop {
            let mut step = &self.steps.steps[at as usize];
            if step.kind == ANY && step.depth == 0 && step.field == 0 {
                let second = &self.steps.steps[at as usize + 1];
                if second.kind != ANY && second.depth == 1 && !second.immediate {
                    other = step.alternative;
                    at += 1;
                    step = second;
                }
            }
            let depth = step.depth;
            let rest = self.steps.steps[at as usize + 1..]
                .iter()
                .take_while(|step| !step.dead_end);
            let is_rooted = depth == 0 && rest.filter(|step| step.depth == depth).count() == 0;
            let entry = Entry { step: at, pattern };
            let (kind, alternative) = (step.kind, step.alternative);
            if !is_rooted {
                self.steps.non_rooted.push(entry);
            } else if kind == ANY {
                self.steps.any_kind.push(entry);
            } else if kind == ERROR {
                self.steps.rooted[self.grammar.node_kind_count()].push(entry);
            } else {
                self.steps.rooted[kind as usize].push(entry);
            }
            at = match (alternative, other) {
                (NONE, NONE) => return,
                (NONE, wildcard) => {
                    other = NONE;
                    wildcard
                }
                (alternative, _) => alternative,
            };
        }
    }

    /// Makes a repeated branch of an alternation begin again with itself, not with the branches after it: `[(a)+ (b)]`.
    fn unlink_loops(&mut self, first: u16, end: u16) {
        for at in first..end {
            let step = &self.steps.steps[at as usize];
            let target = step.alternative;
            if !step.pass_through || !step.in_alternation || target == NONE || target >= at {
                continue;
            }
            let onward = self.steps.steps[target as usize].alternative;
            if onward == NONE || onward <= target || onward >= end {
                continue;
            }
            let copy = self.len();
            let alone = Step {
                alternative: NONE,
                ..self.steps.steps[target as usize].clone()
            };
            let mut back = Step::new(ANY, alone.depth, false);
            back.dead_end = true;
            back.alternative = target + 1;
            self.steps.steps.extend([alone, back]);
            self.steps.steps[at as usize].alternative = copy;
        }
    }

    /// Computes `captures_within`, `fallible` and `settled` of each step, which let the search stop early.
    fn judge(&mut self, first: u16, end: u16) {
        let whole = first as usize..self.steps.steps.len();
        let is_straight = self.steps.steps[first as usize..end as usize]
            .iter()
            .all(|step| step.alternative == NONE);
        for at in whole {
            let step = &self.steps.steps[at];
            let rest = &self.steps.steps[at + 1..];
            let inside = || {
                rest.iter()
                    .take_while(|next| next.depth != DONE && next.depth > step.depth)
            };
            let within =
                !step.captures.is_empty() || inside().any(|next| !next.captures.is_empty());
            let follows = rest.iter().find(|next| !next.pass_through);
            let fallible = follows.is_some_and(|next| {
                next.depth != DONE
                    && (next.depth > step.depth || next.depth == step.depth && next.immediate)
            });
            let beside = rest
                .get(inside().count())
                .is_some_and(|next| next.depth == step.depth && next.immediate);
            let settled = is_straight && !within && !beside;
            let step = &mut self.steps.steps[at];
            (step.captures_within, step.fallible, step.settled) = (within, fallible, settled);
        }
    }

    fn read(&mut self, place: PatternPosition) -> Result<ReadOutcome, String> {
        let first = self.len();
        match self.text.peek() {
            None => return Err("the query ends too early".to_owned()),
            Some(b')' | b']') => return Ok(ReadOutcome::End),
            Some(b'[') => self.alternation(place)?,
            Some(b'(') => {
                self.text.step_over();
                match self.text.peek() {
                    Some(b'(' | b'"' | b'[') => self.group(place)?,
                    Some(b'#') => {
                        self.text.step_over();
                        return self.predicate().map(|()| ReadOutcome::Pattern);
                    }
                    _ => self.node(place)?,
                }
            }
            Some(b'"') => {
                let text = self.text.string()?;
                let kind = self.kind(&text, false)?;
                self.push(kind, place);
            }
            Some(_) => {
                let name = self.text.word()?;
                if name == "_" {
                    self.push(ANY, place);
                    return self.suffixes(first, place).map(|()| ReadOutcome::Pattern);
                }
                self.text.expect(b':')?;
                let field = self.field(name)?;
                if place.around == ANY {
                    self.steps.kept.all_fields = true;
                } else if let Some(kind) = self.steps.kept.kinds.get_mut(place.around as usize) {
                    kind.has_fields = true;
                }
                if let ReadOutcome::End = self.read(place)? {
                    return Err("a field has nothing behind it".to_owned());
                }
                self.each_branch(first, |step| step.field = field);
            }
        }
        self.suffixes(first, place).map(|()| ReadOutcome::Pattern)
    }

    fn alternation(&mut self, place: PatternPosition) -> Result<(), String> {
        self.text.step_over();
        let mut branches = vec![];
        loop {
            let start = self.len();
            match self.read(PatternPosition {
                in_alternation: true,
                ..place
            })? {
                ReadOutcome::End => break,
                ReadOutcome::Pattern => {}
            }
            branches.push(start);
            self.steps.steps.push(Step::new(ANY, place.depth, false));
        }
        self.text.expect(b']')?;
        if branches.is_empty() {
            return Err("an alternation is empty".to_owned());
        }
        self.steps.steps.pop();
        let end = self.len();
        for pair in branches.windows(2) {
            self.steps.steps[pair[0] as usize].alternative = pair[1];
            let last = &mut self.steps.steps[pair[1] as usize - 1];
            last.alternative = end;
            last.dead_end = true;
        }
        Ok(())
    }

    fn group(&mut self, place: PatternPosition) -> Result<(), String> {
        let mut immediate = place.immediate;
        loop {
            if self.text.peek() == Some(b'.') {
                self.text.step_over();
                immediate = true;
            }
            match self.read(PatternPosition { immediate, ..place })? {
                ReadOutcome::End => break,
                ReadOutcome::Pattern => immediate = false,
            }
        }
        self.text.expect(b')')
    }

    fn node(&mut self, place: PatternPosition) -> Result<(), String> {
        let first = self.len();
        let name = self.text.word()?;
        let kind = if name == "_" {
            ANY
        } else {
            self.kind(name, true)?
        };
        self.push(kind, place);
        self.steps.steps[first as usize].named = kind == ANY;
        let mut negated = vec![];
        let mut last_child = None;
        let mut immediate = false;
        loop {
            match self.text.peek() {
                Some(b'!') => {
                    self.text.step_over();
                    let name = self.text.word()?;
                    negated.push(self.field(name)?);
                    if let Some(filter) = self.filter_of(kind) {
                        filter.has_fields = true;
                    } else {
                        self.steps.kept.all_fields = true;
                    }
                    continue;
                }
                Some(b'.') => {
                    self.text.step_over();
                    immediate = true;
                }
                _ => {}
            }
            let start = self.len();
            let depth = place.depth + 1;
            match self.read(PatternPosition {
                depth,
                immediate,
                around: kind,
                ..place
            })? {
                ReadOutcome::End => break,
                // A predicate adds no step.
                ReadOutcome::Pattern if start == self.len() => {}
                ReadOutcome::Pattern => last_child = Some(start),
            }
            immediate = false;
        }
        if immediate {
            let last = last_child.ok_or("an anchor has nothing beside it")?;
            let mut at = last;
            while at < self.len() {
                let step = &mut self.steps.steps[at as usize];
                step.last = true;
                at = step.alternative;
            }
        }
        self.steps.steps[first as usize].negated = negated;
        self.text.expect(b')')
    }

    fn suffixes(&mut self, first: u16, place: PatternPosition) -> Result<(), String> {
        let mut quantifier = None;
        loop {
            match self.text.peek() {
                Some(sign @ (b'+' | b'*' | b'?')) => {
                    if quantifier.replace(sign).is_some() {
                        return Err("a pattern is repeated twice".to_owned());
                    }
                    self.text.step_over();
                }
                Some(b'@') => {
                    self.text.step_over();
                    let name = self.text.word()?;
                    let capture = self.capture(name);
                    self.each_branch(first, |step| step.captures.push(capture));
                }
                _ => break,
            }
        }
        if matches!(quantifier, Some(b'+' | b'*')) {
            let mut repeat = Step::new(ANY, place.depth, false);
            repeat.in_alternation = place.in_alternation;
            repeat.alternative = first;
            repeat.pass_through = true;
            self.steps.steps.push(repeat);
        }
        if matches!(quantifier, Some(b'?' | b'*')) {
            let end = self.len();
            // The last step is that of the repetition, which leads back.
            let bound = if quantifier == Some(b'*') {
                end - 1
            } else {
                end
            };
            let mut at = first;
            while self.steps.steps[at as usize].alternative < bound {
                at = self.steps.steps[at as usize].alternative;
            }
            let step = &mut self.steps.steps[at as usize];
            step.alternative = end;
            step.skip = true;
        }
        Ok(())
    }

    /// Calls `change` with the first step of a pattern and of each of its alternatives.
    fn each_branch(&mut self, first: u16, change: impl Fn(&mut Step)) {
        let mut at = first;
        loop {
            let step = &mut self.steps.steps[at as usize];
            change(step);
            let next = step.alternative;
            if next == NONE || next <= at || next >= self.len() {
                return;
            }
            at = next;
        }
    }

    fn push(&mut self, kind: u16, place: PatternPosition) {
        let mut step = Step::new(kind, place.depth, place.immediate);
        step.in_alternation = place.in_alternation;
        self.steps.steps.push(step);
        if let Some(filter) = self.filter_of(kind) {
            filter.is_wanted = true;
        }
    }

    /// Returns the filter of a kind of nodes; none for any node.
    fn filter_of(&mut self, kind: u16) -> Option<&mut KindFilter> {
        let filter = self.steps.kept.kinds.get_mut(kind as usize);
        filter.filter(|_| kind != ANY)
    }

    fn kind(&self, name: &str, named: bool) -> Result<u16, String> {
        if named && name == "ERROR" {
            return Ok(ERROR);
        }
        let kind = self.grammar.id_for_node_kind(name, named);
        if kind == 0 || self.grammar.node_kind_is_supertype(kind) || name == "MISSING" {
            return Err(format!("no node is called {name}"));
        }
        Ok(kind)
    }

    fn field(&self, name: &str) -> Result<u16, String> {
        let field = self
            .grammar
            .field_id_for_name(name)
            .ok_or_else(|| format!("no field is called {name}"))?;
        Ok(field.get())
    }

    fn capture(&mut self, name: &str) -> u16 {
        let captures = &mut self.steps.captures;
        let place = captures
            .iter()
            .position(|known| known == name)
            .unwrap_or_else(|| {
                captures.push(name.to_owned());
                captures.len() - 1
            });
        u16::try_from(place).unwrap_or(NONE)
    }

    fn predicate(&mut self) -> Result<(), String> {
        let name = self.text.word()?;
        let mut captures = vec![];
        let mut strings = vec![];
        loop {
            match self.text.peek() {
                Some(b'@') => {
                    self.text.step_over();
                    let name = self.text.word()?;
                    captures.push(self.capture(name));
                }
                Some(b'"') => strings.push(self.text.string()?),
                _ => break,
            }
        }
        self.text.expect(b')')?;
        self.predicates
            .push(Predicate::new(name, &captures, strings)?);
        Ok(())
    }

    fn finish(mut self) -> Result<Steps, String> {
        let steps = &self.steps.steps;
        if steps.len() >= NONE as usize {
            return Err("the query is too long".to_owned());
        }
        // If a step matches any node, or if nothing may be between two nodes, anonymous nodes count too.
        let strict = |step: &Step| step.pass_through || step.skip && step.immediate;
        let any =
            |step: &Step| step.kind == ANY && !step.named && !step.dead_end && step.depth != DONE;
        let keep_all = steps.iter().any(|step| strict(step) || any(step));
        for kind in &mut self.steps.kept.kinds {
            kind.is_wanted |= keep_all;
            kind.has_fields |= self.steps.kept.all_fields;
        }
        Ok(self.steps)
    }

    fn len(&self) -> u16 {
        u16::try_from(self.steps.steps.len()).unwrap_or(NONE)
    }
}
