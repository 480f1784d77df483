//! Types that a subtype combines: a mixin and the classes beside it.

use std::collections::HashSet;
use std::rc::Rc;

use crate::graph::{Members, SymbolId};
use crate::lang::NameRules;
use crate::lang::families::Feature;

/// The most supertypes of one type that are followed.
const MOST_SUPERTYPES: usize = 64;

impl Members<'_, '_> {
    /// Returns the members with this name of the types that are combined with a type: `Base.open` for `Logged` in
    /// `class Store(Logged, Base)`.
    pub(in crate::graph) fn find_combined(self, of: SymbolId, name: &str) -> Vec<SymbolId> {
        let mut found: Vec<SymbolId> = vec![];
        for one in self.combined_types(of).iter() {
            for at in self.find_own(*one, name) {
                if !found.contains(&at) {
                    found.push(at);
                }
            }
        }
        found
    }

    /// Returns the supertypes of a type's subtypes that the type itself is unrelated to.
    fn combined_types(self, of: SymbolId) -> Rc<[SymbolId]> {
        self.member_memo.combined.get(of, || {
            let has_mixins = |rules: &NameRules| rules.has(Feature::Mixins);
            if !self.rules(of.file).is_some_and(has_mixins) {
                return Rc::default();
            }
            let below = self.all_subtypes(of);
            let own = self.with_supertypes(of, MOST_SUPERTYPES).into_iter();
            let mut seen: HashSet<SymbolId> = own.chain(below.iter().map(|one| one.at)).collect();
            let mut found: Vec<SymbolId> = vec![];
            for one in below.iter() {
                for above in self.with_supertypes(one.at, MOST_SUPERTYPES) {
                    if seen.insert(above) {
                        found.push(above);
                    }
                }
            }
            found.into()
        })
    }
}
