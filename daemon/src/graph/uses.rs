//! The uses of names in one file, ready to be asked by name and by place.

use std::collections::HashMap;

use crate::extract::facts::{Occurrences, Role};

#[derive(Debug, Default)]
pub struct Uses {
    strings: Vec<Box<str>>,
    rows: Vec<Use>,
    /// Rows by the place of their name in `strings`.
    by_name: HashMap<u32, Vec<u32>>,
    places: HashMap<Box<str>, u32>,
}

/// One use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    name: u32,
    qualifier: Option<u32>,
    pub line: u32,
    pub column: u32,
    pub role: Role,
    /// The innermost symbol around it.
    pub symbol: Option<u32>,
}

impl Use {
    pub(super) fn with_role(self, role: Role) -> Self {
        Self { role, ..self }
    }
}

impl Uses {
    pub fn new(occurrences: &Occurrences) -> Self {
        let strings = occurrences.strings.clone();
        let places: HashMap<Box<str>, u32> = strings.iter().cloned().zip(0..).collect();
        let mut by_name: HashMap<u32, Vec<u32>> = HashMap::new();
        let rows: Vec<Use> = occurrences
            .iter()
            .map(|one| Use {
                name: places.get(one.name).copied().unwrap_or_default(),
                qualifier: one.qualifier.and_then(|qualifier| places.get(qualifier).copied()),
                line: one.line,
                column: one.column,
                role: one.role,
                symbol: one.symbol,
            })
            .collect();
        for (place, row) in (0..).zip(&rows) {
            by_name.entry(row.name).or_default().push(place);
        }
        Self { strings, rows, by_name, places }
    }

    pub fn rows(&self) -> &[Use] {
        &self.rows
    }

    pub fn name(&self, row: &Use) -> &str {
        &self.strings[row.name as usize]
    }

    pub fn qualifier(&self, row: &Use) -> Option<&str> {
        row.qualifier.map(|place| &*self.strings[place as usize])
    }

    /// In the order of the text.
    pub fn of<'a>(&'a self, name: &str) -> impl DoubleEndedIterator<Item = &'a Use> + Clone + use<'a> {
        let rows = self.places.get(name).and_then(|place| self.by_name.get(place));
        rows.into_iter().flatten().map(|row| &self.rows[*row as usize])
    }
}
