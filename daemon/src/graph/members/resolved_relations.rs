//! Relations between types, each resolved once for all types that share a name.
//!
//! Hundreds of classes of a test suite are called `Base`, and thousands are derived from one of them. To resolve the relations
//! for each of these classes anew takes time in the product of both numbers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::extract::facts::Relation;
use crate::graph::{Members, Memo, SymbolId};

#[derive(Default)]
pub(super) struct RelationMemo<'a> {
    /// The types of relations, by the address of the relation in the snapshot.
    subjects: Memo<*const Relation, Option<SymbolId>>,
    targets: Memo<*const Relation, Option<SymbolId>>,
    by_subject: RelationsByName<'a>,
    by_target: RelationsByName<'a>,
}

type RelationsByName<'a> = RefCell<HashMap<&'a str, Rc<NamedRelations<'a>>>>;

/// A relation with its file, and the type that it names on one side.
#[derive(Clone, Copy)]
pub(super) struct ResolvedRelation<'a> {
    pub file: u32,
    pub relation: &'a Relation,
    pub at: Option<SymbolId>,
}

/// The relations that name a type by one name, in the order of the files.
pub(super) struct NamedRelations<'a> {
    all: Vec<ResolvedRelation<'a>>,
    /// Positions in `all` by the file of the relation and by the file of the type.
    by_file: HashMap<u32, Vec<usize>>,
}

impl<'a> NamedRelations<'a> {
    fn new(all: Vec<ResolvedRelation<'a>>) -> Self {
        let mut by_file: HashMap<u32, Vec<usize>> = HashMap::new();
        for (place, one) in all.iter().enumerate() {
            by_file.entry(one.file).or_default().push(place);
            if let Some(at) = one.at.filter(|at| at.file != one.file) {
                by_file.entry(at.file).or_default().push(place);
            }
        }
        Self { all, by_file }
    }

    /// Returns the relations that may be about a type: those in its file and those that resolve to a type of its file, or all
    /// if the type can have parts in other files.
    pub fn about(&self, members: Members<'_, '_>, of: SymbolId) -> Vec<ResolvedRelation<'a>> {
        if members.entities().spans_files(of) {
            return self.all.clone();
        }
        let places = self.by_file.get(&of.file).map_or(&[][..], Vec::as_slice);
        places.iter().map(|place| self.all[*place]).collect()
    }
}

impl<'a> Members<'_, 'a> {
    /// Returns the type of the root that is the subject of a relation.
    pub(super) fn relation_subject(self, file: u32, relation: &Relation) -> Option<SymbolId> {
        let memo = &self.member_memo.relations.subjects;
        memo.get(relation, || self.find_relation_subject(file, relation))
    }

    /// Returns the type of the root that is the supertype of a relation with this subject.
    pub(super) fn target_for(
        self,
        subject: Option<SymbolId>,
        file: u32,
        relation: &Relation,
    ) -> Option<SymbolId> {
        if self.relation_subject(file, relation) != subject {
            return self.relation_target(subject, file, relation);
        }
        let memo = &self.member_memo.relations.targets;
        memo.get(relation, || self.relation_target(subject, file, relation))
    }

    /// Returns the relations whose subject has this name, with their subjects.
    pub(super) fn relations_of_name(self, name: &'a str) -> Rc<NamedRelations<'a>> {
        let known = &self.member_memo.relations.by_subject;
        named(known, name, || {
            let all = self.names.supertype_relations(self.snapshot, name);
            let all = all.take_while(|_| !self.cancel.is_cancelled());
            all.map(|(file, relation)| ResolvedRelation {
                file,
                relation,
                at: self.relation_subject(file, relation),
            })
            .collect()
        })
    }

    /// Returns the relations whose supertype has this name, with their supertypes.
    pub(super) fn relations_to_name(self, name: &'a str) -> Rc<NamedRelations<'a>> {
        let known = &self.member_memo.relations.by_target;
        named(known, name, || {
            let all = self.names.subtype_relations(self.snapshot, name);
            let all = all.take_while(|_| !self.cancel.is_cancelled());
            all.map(|(file, relation)| {
                let subject = self.relation_subject(file, relation);
                let at = self.target_for(subject, file, relation);
                ResolvedRelation { file, relation, at }
            })
            .collect()
        })
    }
}

/// Returns the relations under a name. They are not marked while they are found, because their own resolution may need the
/// relations under the same name that are resolved already.
fn named<'a>(
    known: &RelationsByName<'a>,
    name: &'a str,
    find: impl FnOnce() -> Vec<ResolvedRelation<'a>>,
) -> Rc<NamedRelations<'a>> {
    if let Some(found) = known.borrow().get(name) {
        return Rc::clone(found);
    }
    let found = Rc::new(NamedRelations::new(find()));
    known.borrow_mut().insert(name, Rc::clone(&found));
    found
}
