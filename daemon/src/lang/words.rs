//! Strings of definitions, which are leaked: definitions are read once and live as long as the process.

use std::ops::Deref;

use serde::{Deserialize, Deserializer};

/// A list of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Words(&'static [&'static str]);

impl Words {
    pub const fn new(words: &'static [&'static str]) -> Self {
        Self(words)
    }

    pub fn as_slice(self) -> &'static [&'static str] {
        self.0
    }
}

impl Deref for Words {
    type Target = [&'static str];

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl IntoIterator for Words {
    type Item = &'static &'static str;
    type IntoIter = std::slice::Iter<'static, &'static str>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<String>::deserialize(deserializer)?;
        let words: Vec<&'static str> = words.into_iter().map(|word| &*word.leak()).collect();
        Ok(Self(words.leak()))
    }
}

/// Deserializes a string and leaks it.
pub fn leaked<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    Ok(String::deserialize(deserializer)?.leak())
}

/// Deserializes a list and leaks it.
pub fn leaked_list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<&'static [T], D::Error> {
    Ok(Vec::deserialize(deserializer)?.leak())
}
