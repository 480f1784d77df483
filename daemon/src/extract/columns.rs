//! Columns of facts, serialized as blocks of bytes: item by item, serde spends more time on small numbers than on all other
//! facts.

use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::role::Role;

/// Bytes that are read and written as one block.
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Block;
        impl Visitor<'_> for Block {
            type Value = Bytes;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a block of bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }
        }
        from.deserialize_byte_buf(Block)
    }
}

/// Numbers that are mostly small, as LEB128: seven bits to a byte, the lowest first; the eighth bit says that more follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers(Vec<u32>);

impl Deref for Numbers {
    type Target = Vec<u32>;

    fn deref(&self) -> &Vec<u32> {
        &self.0
    }
}

impl DerefMut for Numbers {
    fn deref_mut(&mut self) -> &mut Vec<u32> {
        &mut self.0
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::with_capacity(self.len() * 3 / 2);
        for number in &self.0 {
            let mut rest = *number;
            while rest > 0x7f {
                bytes.push(rest.to_le_bytes()[0] | 0x80);
                rest >>= 7;
            }
            bytes.push(rest.to_le_bytes()[0]);
        }
        Bytes(bytes).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Bytes(bytes) = Bytes::deserialize(from)?;
        let mut numbers = Vec::with_capacity(bytes.len());
        let mut bytes = bytes.into_iter();
        while let Some(first) = bytes.next() {
            let mut number = u32::from(first & 0x7f);
            let (mut byte, mut shift) = (first, 7);
            while byte > 0x7f {
                byte = bytes
                    .next()
                    .ok_or_else(|| D::Error::custom("a number is cut off"))?;
                let more = u32::from(byte & 0x7f);
                number |= more
                    .checked_shl(shift)
                    .ok_or_else(|| D::Error::custom("a number is too large"))?;
                shift += 7;
            }
            numbers.push(number);
        }
        Ok(Self(numbers))
    }
}

/// Roles as one byte each.
pub mod roles {
    use super::{Bytes, Deserialize, Deserializer, Error, Role, Serialize, Serializer};

    const ALL: [Role; 10] = [
        Role::Import,
        Role::Named,
        Role::Call,
        Role::Bind,
        Role::Narrow,
        Role::Write,
        Role::Type,
        Role::Read,
        Role::Mention,
        Role::Implicit,
    ];

    pub fn serialize<S: Serializer>(roles: &[Role], to: S) -> Result<S::Ok, S::Error> {
        Bytes(roles.iter().map(|role| *role as u8).collect()).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Role>, D::Error> {
        let Bytes(bytes) = Bytes::deserialize(from)?;
        let role = |byte: u8| {
            ALL.get(usize::from(byte))
                .copied()
                .ok_or_else(|| D::Error::custom("no such role"))
        };
        bytes.into_iter().map(role).collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_role_stands_at_its_number() {
            assert!((0..).zip(ALL).all(|(number, role)| role as u8 == number));
        }
    }
}

#[cfg(test)]
mod tests {
    use bincode::Options;

    use super::*;

    fn read(bytes: &[u8]) -> Option<Numbers> {
        let whole = bincode::DefaultOptions::new()
            .serialize(&Bytes(bytes.to_vec()))
            .expect("written");
        bincode::DefaultOptions::new().deserialize(&whole).ok()
    }

    #[test]
    fn numbers_come_back_as_they_were() {
        let all = Numbers(vec![
            0,
            1,
            0x7f,
            0x80,
            300,
            0x3fff,
            0x4000,
            u32::MAX - 1,
            u32::MAX,
        ]);
        let written = bincode::DefaultOptions::new()
            .serialize(&all)
            .expect("written");
        assert_eq!(
            bincode::DefaultOptions::new()
                .deserialize::<Numbers>(&written)
                .expect("read"),
            all
        );
        assert_eq!(
            bincode::DefaultOptions::new()
                .serialize(&Numbers(vec![5; 100]))
                .expect("written")
                .len(),
            101
        );
    }

    #[test]
    fn damaged_numbers_are_none() {
        assert_eq!(read(&[5, 0x85, 1]), Some(Numbers(vec![5, 133])));
        assert_eq!(read(&[5, 0x85]), None, "cut off");
        assert_eq!(read(&[0x80; 12]), None, "without end");
    }
}
