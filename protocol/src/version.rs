//! Versions of the protocol, and which builds understand each other.
//!
//! The protocol version counts changes of the service that an older side would misread. A build speaks a range of versions, so
//! that an editor session may outlive an upgrade from a release; before the first release there is nothing to upgrade from, and
//! the range is one version.

use std::ops::RangeInclusive;

/// The versions this build speaks. Methods are only ever appended to the service, and the shape of a type that has
/// been released does not change within this range.
pub const PROTOCOL: RangeInclusive<u16> = 9..=9;

/// The version of these crates.
pub const BUILD: &str = env!("CARGO_PKG_VERSION");

/// One side's description of itself, sent before anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub protocol: RangeInclusive<u16>,
    pub build: String,
    pub capabilities: u32,
}

impl Identity {
    /// Describes this build.
    pub fn own() -> Self {
        let own = Self {
            protocol: PROTOCOL,
            build: BUILD.to_owned(),
            capabilities: 0,
        };
        own.overridden()
    }

    /// Debug builds take another identity from the environment, so that the tests of an upgrade have two versions to
    /// run against each other.
    #[cfg(debug_assertions)]
    fn overridden(mut self) -> Self {
        let text =
            |name| crate::environment::variable(name).and_then(|value| value.into_string().ok());
        if let Some((first, last)) = text("CLAUDEVIL_TEST_PROTOCOL")
            .as_deref()
            .and_then(|range| range.split_once('-'))
            && let (Ok(first), Ok(last)) = (first.parse(), last.parse())
        {
            self.protocol = first..=last;
        }
        if let Some(build) = text("CLAUDEVIL_TEST_BUILD") {
            self.build = build;
        }
        self
    }

    #[cfg(not(debug_assertions))]
    fn overridden(self) -> Self {
        self
    }

    /// Returns the newest version that both speak.
    pub fn common(&self, other: &Self) -> Option<u16> {
        let newest = *self.protocol.end().min(other.protocol.end());
        let oldest = *self.protocol.start().max(other.protocol.start());
        (oldest <= newest).then_some(newest)
    }

    /// Returns whether this side should take the place of the other.
    pub fn is_newer_than(&self, other: &Self) -> bool {
        let rank = |side: &Self| (*side.protocol.end(), release(&side.build));
        rank(self) > rank(other)
    }
}

fn release(build: &str) -> Vec<u64> {
    build
        .split(['.', '-', '+'])
        .map_while(|part| part.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(protocol: RangeInclusive<u16>, build: &str) -> Identity {
        Identity {
            protocol,
            build: build.to_owned(),
            capabilities: 0,
        }
    }

    #[test]
    fn the_newest_common_version_is_chosen() {
        let old = identity(1..=2, "0.1.0");
        assert_eq!(identity(2..=3, "0.2.0").common(&old), Some(2));
        assert_eq!(identity(1..=1, "0.1.0").common(&old), Some(1));
        assert_eq!(identity(3..=4, "0.3.0").common(&old), None);
    }

    #[test]
    fn builds_compare_by_number_and_protocol_comes_first() {
        assert!(identity(1..=1, "0.10.0").is_newer_than(&identity(1..=1, "0.9.9")));
        assert!(identity(1..=2, "0.1.0").is_newer_than(&identity(1..=1, "0.9.9")));
        assert!(!identity(1..=1, "0.1.0").is_newer_than(&identity(1..=1, "0.1.0")));
    }
}
