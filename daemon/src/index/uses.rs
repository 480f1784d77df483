//! The uses of names in one file, indexed by name and by position, and a cache of recent ones.
//!
//! Uses are stored by content, so an entry of the cache never becomes stale.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;

use super::names::hash;
use crate::extract::facts::{Block, Initializer, OccurrenceRow as Use, Occurrences};
use crate::extract::strings::Strings;
use crate::store::ledger::record::FactsKey;

#[derive(Debug, Default)]
pub struct Uses {
    strings: Strings,
    /// Positions in `strings`, in a hash table with linear probing; `NONE` in a free slot.
    slots: Vec<u32>,
    rows: Vec<Use>,
    /// Positions in `rows`, grouped by name in the order of `strings`.
    by_name: Vec<u32>,
    /// The position in `by_name` of the first use of each name, followed by the length of `by_name`.
    starts: Vec<u32>,
    /// Positions in `rows` of the uses that bind a name, grouped by name and then in order.
    bindings: Vec<u32>,
    blocks: Vec<BindingScope>,
    /// Positions in `rows` of the names that are bound in a block, in order, each with the position of its scope in `blocks`.
    bound: Vec<(u32, u32)>,
    /// Sorted by binding.
    initializers: Vec<Initializer>,
}

/// The scope of a binding, in lines and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingScope {
    start: (u32, u32),
    /// Exclusive.
    end: (u32, u32),
    /// True if the scope begins before the binding, as in hoisting: `var` in JavaScript.
    pub from_start: bool,
}

impl BindingScope {
    pub fn contains(&self, line: u32, column: u32) -> bool {
        (self.start..self.end).contains(&(line, column))
    }

    /// Returns whether both end with the same block.
    pub fn is_of_block(&self, other: &Self) -> bool {
        self.end == other.end
    }

    pub fn encloses(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl Uses {
    /// The name of a row that is not from the facts of its file.
    pub const NO_NAME: u32 = u32::MAX;

    pub fn new(occurrences: Occurrences) -> Self {
        let rows: Vec<Use> = occurrences.rows().collect();
        let position = |row: u32| {
            rows.get(row as usize)
                .map_or((u32::MAX, u32::MAX), |row| (row.line, row.column))
        };
        let extent = |block: Block| BindingScope {
            start: position(block.start),
            end: position(block.end),
            from_start: block.from_start,
        };
        let blocks: Vec<BindingScope> = occurrences.blocks().map(extent).collect();
        let bound: Vec<(u32, u32)> = occurrences.bound_in_blocks().collect();
        let initializers = occurrences.initializers().collect();
        let strings = occurrences.strings;
        let mut slots = vec![NONE; (strings.count() * 2).next_power_of_two()];
        for (place, string) in (0..).zip(strings.iter()) {
            let slot = probe(slots.len(), string).find(|slot| slots[*slot] == NONE);
            slots[slot.unwrap_or_default()] = place;
        }
        let mut starts = vec![0; strings.count() + 1];
        for row in &rows {
            starts[row.name as usize + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut next = starts.clone();
        let mut by_name = vec![0; rows.len()];
        for (place, row) in (0..).zip(&rows) {
            let slot = &mut next[row.name as usize];
            by_name[*slot as usize] = place;
            *slot += 1;
        }
        let is_binding = |row: &u32| rows[*row as usize].role.binds();
        let bindings = by_name.iter().copied().filter(is_binding).collect();
        Self {
            strings,
            slots,
            rows,
            by_name,
            starts,
            bindings,
            blocks,
            bound,
            initializers,
        }
    }

    pub fn rows(&self) -> &[Use] {
        &self.rows
    }

    /// Returns the name of a row; empty for [`Self::NO_NAME`].
    pub fn name(&self, row: &Use) -> &str {
        match row.name {
            Self::NO_NAME => "",
            name => self.strings.get(name),
        }
    }

    pub fn qualifier(&self, row: &Use) -> Option<&str> {
        row.qualifier.map(|place| self.strings.get(place))
    }

    /// Returns the uses of a name, in the order of the text.
    pub fn named<'a>(
        &'a self,
        name: &str,
    ) -> impl DoubleEndedIterator<Item = &'a Use> + Clone + use<'a> {
        let rows = self.place(name).map_or(&[][..], |place| {
            let place = place as usize;
            &self.by_name[self.starts[place] as usize..self.starts[place + 1] as usize]
        });
        rows.iter().map(|row| &self.rows[*row as usize])
    }

    /// Returns the uses that bind a name, in the order of the text.
    pub fn bindings<'a>(
        &'a self,
        name: &str,
    ) -> impl DoubleEndedIterator<Item = &'a Use> + Clone + use<'a> {
        let name_of = |row: &u32| self.rows[*row as usize].name;
        let rows = self.place(name).map_or(&[][..], |place| {
            let from = self.bindings.partition_point(|row| name_of(row) < place);
            let own = &self.bindings[from..];
            &own[..own.partition_point(|row| name_of(row) == place)]
        });
        rows.iter().map(|row| &self.rows[*row as usize])
    }

    /// Returns the scope of a binding. None if it is the whole symbol around it.
    pub fn extent(&self, row: &Use) -> Option<&BindingScope> {
        let position =
            |(at, _): &(u32, u32)| (self.rows[*at as usize].line, self.rows[*at as usize].column);
        let found = self
            .bound
            .binary_search_by_key(&(row.line, row.column), position)
            .ok()?;
        self.blocks.get(self.bound[found].1 as usize)
    }

    /// Returns whether a position is in the initializer of a binding, where the name has an earlier meaning:
    /// `let store = store.open()`.
    pub fn is_in_initializer(&self, row: &Use, line: u32, column: u32) -> bool {
        let position = |at: u32| (self.rows[at as usize].line, self.rows[at as usize].column);
        let own = (row.line, row.column);
        let from = (self.initializers).partition_point(|one| position(one.binding) < own);
        self.initializers[from..]
            .iter()
            .take_while(|one| position(one.binding) == own)
            .any(|one| (position(one.start)..=position(one.end - 1)).contains(&(line, column)))
    }

    fn place(&self, name: &str) -> Option<u32> {
        let places = probe(self.slots.len(), name)
            .map(|slot| self.slots[slot])
            .take_while(|place| *place != NONE);
        places
            .into_iter()
            .find(|place| self.strings.get(*place) == name)
    }

    /// Estimates the size in memory.
    fn bytes(&self) -> usize {
        let blocks = self.blocks.len() * size_of::<BindingScope>()
            + self.bound.len() * 8
            + self.initializers.len() * size_of::<Initializer>();
        self.strings.bytes()
            + self.rows.len() * (size_of::<Use>() + 4)
            + (self.strings.count() + self.slots.len() + self.bindings.len()) * 4
            + blocks
    }
}

/// The most names that are remembered as absent, some 50 bytes each.
const MAX_ABSENT: NonZeroUsize = NonZeroUsize::new(8_192).expect("a positive number");

/// Marks a free slot.
const NONE: u32 = u32::MAX;

/// Returns the slots in which a string is looked for, in order. Half of all slots are free, so a search ends soon.
fn probe(slots: usize, string: &str) -> impl Iterator<Item = usize> {
    let hash = string.bytes().fold(0x811C_9DC5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let first = (hash ^ hash >> 15) as usize;
    (first..first + slots).map(move |slot| slot & slots.wrapping_sub(1))
}

/// A cache of the uses of files. The least recently used are dropped first.
pub struct RecentUses {
    most_bytes: usize,
    entries: Mutex<Entries>,
}

struct Entries {
    uses: LruCache<FactsKey, Arc<Uses>>,
    bytes: usize,
    /// Hashes of names that are not among the uses of a content.
    absent: LruCache<(FactsKey, u64), ()>,
}

impl RecentUses {
    pub fn new(most_bytes: usize) -> Self {
        Self {
            most_bytes,
            entries: Mutex::default(),
        }
    }

    /// Returns the cached uses, or finds and caches them.
    pub fn get<E>(
        &self,
        key: FactsKey,
        find: impl FnOnce() -> Result<Uses, E>,
    ) -> Result<Arc<Uses>, E> {
        if let Some(known) = self.lock().uses.get(&key) {
            return Ok(Arc::clone(known));
        }
        // Read without the lock: two threads may read the same facts at once.
        let found = Arc::new(find()?);
        self.lock().add(key, Arc::clone(&found), self.most_bytes);
        Ok(found)
    }

    /// Like [`Self::get`], for a caller that needs the uses only if one of these names is among them. `find` may return None if
    /// none is, which is remembered too: otherwise each query for a word that is only in comments would read the facts again.
    pub fn get_with<E>(
        &self,
        key: FactsKey,
        names: &[&str],
        find: impl FnOnce() -> Result<Option<Uses>, E>,
    ) -> Result<Option<Arc<Uses>>, E> {
        let names = names.iter().map(|name| (key, hash(name)));
        let mut entries = self.lock();
        if let Some(known) = entries.uses.get(&key) {
            return Ok(Some(Arc::clone(known)));
        }
        if names
            .clone()
            .all(|name| entries.absent.get(&name).is_some())
        {
            return Ok(None);
        }
        drop(entries);
        let Some(found) = find()?.map(Arc::new) else {
            let mut entries = self.lock();
            for name in names {
                entries.absent.put(name, ());
            }
            return Ok(None);
        };
        self.lock().add(key, Arc::clone(&found), self.most_bytes);
        Ok(Some(found))
    }

    /// Removes the uses of a content that a file no longer has. If another file still has it, they are read again.
    pub fn remove(&self, key: FactsKey) {
        let mut entries = self.lock();
        if let Some(gone) = entries.uses.pop(&key) {
            entries.bytes -= gone.bytes();
        }
    }

    pub fn clear(&self) {
        *self.lock() = Entries::default();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Entries {
    fn default() -> Self {
        Self {
            uses: LruCache::unbounded(),
            bytes: 0,
            absent: LruCache::new(MAX_ABSENT),
        }
    }
}

impl Entries {
    fn add(&mut self, key: FactsKey, uses: Arc<Uses>, most_bytes: usize) {
        self.bytes += uses.bytes();
        if let Some((_, before)) = self.uses.push(key, uses) {
            self.bytes -= before.bytes();
        }
        while self.bytes > most_bytes
            && let Some((_, oldest)) = self.uses.pop_lru()
        {
            self.bytes -= oldest.bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::facts::{Occurrence, OccurrenceBuilder, Role};

    fn uses(names: &[&str]) -> Uses {
        let mut builder = OccurrenceBuilder::default();
        for (line, name) in (1..).zip(names) {
            builder.push(Occurrence {
                name,
                line,
                column: 0,
                role: Role::Call,
                qualifier: None,
                symbol: None,
            });
        }
        Uses::new(builder.finish())
    }

    #[test]
    fn uses_are_found_by_name_in_the_order_of_the_text() {
        let uses = uses(&["b", "a", "b", "c", "a", "b"]);
        let lines = |name: &str| uses.named(name).map(|row| row.line).collect::<Vec<_>>();
        assert_eq!(lines("a"), [2, 5]);
        assert_eq!(lines("b"), [1, 3, 6]);
        assert_eq!(lines("c"), [4]);
        assert!(lines("d").is_empty() && lines("").is_empty());
        assert!(
            uses.rows()
                .iter()
                .all(|row| uses.named(uses.name(row)).any(|found| found == row))
        );
    }

    #[test]
    fn bindings_are_the_uses_that_bind_a_name() {
        let mut builder = OccurrenceBuilder::default();
        let roles = [Role::Bind, Role::Read, Role::Narrow, Role::Call, Role::Bind];
        for (line, role) in (1..).zip(roles.into_iter().cycle().take(15)) {
            builder.push(Occurrence {
                name: ["a", "b", "c"][line as usize % 3],
                line,
                column: 0,
                role,
                qualifier: None,
                symbol: None,
            });
        }
        let uses = Uses::new(builder.finish());
        for name in ["a", "b", "c", "d"] {
            let expected: Vec<&Use> = uses.named(name).filter(|row| row.role.binds()).collect();
            assert_eq!(uses.bindings(name).collect::<Vec<_>>(), expected, "{name}");
            assert_eq!(expected.is_empty(), name == "d");
        }
    }

    #[test]
    fn every_name_of_many_is_found_and_no_other() {
        let names: Vec<String> = (0..1000).map(|number| format!("name{number}")).collect();
        let uses = uses(&names.iter().map(String::as_str).collect::<Vec<_>>());
        for (line, name) in (1..).zip(&names) {
            assert_eq!(
                uses.named(name).map(|row| row.line).collect::<Vec<_>>(),
                [line]
            );
        }
        assert!((1000..3000).all(|number| uses.named(&format!("name{number}")).next().is_none()));
    }

    #[test]
    fn recently_used_entries_stay_in_the_cache() {
        let key = |number: u8| FactsKey([number; 16]);
        let one = uses(&["name"]).bytes();
        let recent = RecentUses::new(4 * one);
        let is_kept = |number| recent.get(key(number), || Err::<Uses, _>(())).is_ok();
        for number in 0..20 {
            assert!(
                recent
                    .get(key(number), || Ok::<_, ()>(uses(&["name"])))
                    .is_ok()
            );
            assert!(is_kept(0), "asked for all the time, after {number}");
        }
        assert!(!is_kept(1) && !is_kept(10), "long not asked for");
        assert!(is_kept(18) && is_kept(19));
        recent.remove(key(18));
        assert!(!is_kept(18) && is_kept(19));
        recent.clear();
        assert!(!is_kept(0) && !is_kept(19));
    }

    #[test]
    fn names_that_are_absent_are_read_once() {
        let recent = RecentUses::new(1 << 20);
        let key = FactsKey([1; 16]);
        let ask = |names: &[&str], found: Option<Uses>| {
            let mut is_read = false;
            let uses = recent.get_with(key, names, || {
                is_read = true;
                Ok::<_, ()>(found)
            });
            (is_read, uses.is_ok_and(|uses| uses.is_some()))
        };
        assert_eq!(ask(&["a", "b"], None), (true, false));
        assert_eq!(ask(&["b"], None), (false, false));
        assert_eq!(ask(&["b", "c"], None), (true, false));
        assert_eq!(ask(&["d"], Some(uses(&["d"]))), (true, true));
        assert_eq!(ask(&["a"], None), (false, true), "all of them are known");
    }
}
