#!/usr/bin/env rust-script
//! What Rust has.
#![allow(dead_code)]

extern crate alloc as heap;

use std::collections::{self, BTreeMap as Map, HashMap};
use std::{
    fmt::{self, Display as _, Write},
    io::{prelude::*, Error},
    sync::atomic::{AtomicU32, Ordering::{Relaxed, SeqCst as Strict}},
};
pub use crate::inner::Thing;
use crate::{near::{Far, {Farther}}, {Fault, Match as Hit, own::Part, {deep::{Deeper}}}, {wide::{Wider}}};
use {{alone, apart::Piece}, whole::{{Half}}, {split::{Third}}};
pub(crate) use super::other::*;
use serde;

/// How many there may be.
pub const LIMIT: usize = 10;
pub(crate) static mut COUNT: AtomicU32 = AtomicU32::new(0);
const _: () = assert!(LIMIT > 1 && LIMIT < 99);

/** A name
 *  for a result.
 */
pub type Result<T, E = Error> = core::result::Result<T, E>;

// Not a doc by its sign, but it stands right above.
#[derive(Debug, Clone, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub struct Point<'a, T: Copy + 'a = f32, const N: usize = 2>
where
    T: Default,
{
    /// Across.
    pub x: T,
    pub(super) y: T,
    label: &'a str,
    pub(in crate::inner) rest: [T; N],
}

struct Pair(pub u32, String);
struct Unit;

pub(crate) enum Shape {
    Empty,
    #[allow(unused)]
    Circle { radius: f64 },
    /// By its sides.
    Square(f64, f64) = 3,
}

#[repr(C)]
union Bits {
    whole: u32,
    parts: [u8; 4],
}

/// Draws itself.
pub trait Draw: fmt::Debug + Into<String> {
    type Canvas: Write;
    const NAME: &'static str = "draw";

    /// Draws.
    fn draw(&self, canvas: &mut Self::Canvas) -> fmt::Result;

    fn twice(&self, canvas: &mut Self::Canvas) -> fmt::Result {
        self.draw(canvas)?;
        self.draw(canvas)
    }
}

trait Hidden {
    fn hide(self);
}

impl<'a, T: Copy> Point<'a, T> {
    /// Makes one.
    #[must_use]
    pub const fn new(x: T, y: T, label: &'a str) -> Self {
        Self { x, y, label, rest: [x; 2] }
    }

    pub async fn r#move(&mut self, by: T) {
        self.x = by;
        self.rest[0] = by;
    }

    unsafe extern "C" fn raw(&self) -> *const T {
        &raw const self.x
    }
}

impl<T> fmt::Display for Point<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.label, Shape::describe(&self.label).len())
    }
}

impl Draw for Shape {
    type Canvas = String;
    const NAME: &'static str = "shape";

    fn draw(&self, canvas: &mut String) -> fmt::Result {
        match self {
            Self::Empty => Ok(()),
            // Between two arms.
            Shape::Circle { radius, .. } if *radius > 1.0 => canvas.write_str("o"),
            Shape::Circle { radius: r @ 0.0..=1.0 } => write!(canvas, "{r}"),
            Self::Square(a, b) if a == b || *a < 0.0 => canvas.write_str("#"),
            _ => Err(fmt::Error),
        }
    }
}

impl Hidden for &'static dyn Draw<Canvas = String> {
    fn hide(self) {}
}

unsafe impl Send for Bits {}

/// Makes a map.
#[macro_export]
macro_rules! map {
    ($($key:expr => $value:expr),* $(,)?) => {{
        let mut made = HashMap::new();
        $(made.insert($key, $value);)*
        made
    }};
}

macro_rules! quiet { () => {}; }

extern "C" {
    fn strlen(text: *const u8) -> usize;
    static ERRNO: i32;
}

pub mod inner {
    use super::Point;

    pub(super) fn länge(points: &[Point<'_, f32>]) -> Option<usize> {
        fn nested(n: usize) -> usize { n + 1 }
        const STEP: usize = 2;
        let Some(first) = points.first() else { return None };
        let mut total = 0;
        'outer: for (index, point) in points.iter().enumerate() {
            while let Some(_) = points.get(index) && total < 3 {
                total += STEP;
                continue 'outer;
            }
            if point.x > first.x { break 'outer }
        }
        let add = |a: usize, b| a + b + total;
        let found = Point::<f32>::new(1.0, 2.0, "a");
        let text: String = points.iter().map(|each| each.label).collect::<Vec<_>>().join(",");
        quiet!();
        crate::map! { text => nested(add(1, 2)), found.label.to_owned() => self::STEP };
        Some(nested(total))
    }

    pub struct Thing;
}

mod elsewhere;

#[cfg(test)]
mod tests {
    #[test]
    fn works() {
        assert_eq!(super::inner::länge(&[]), None, "{}", super::LIMIT);
    }
}

pin_project! {
    /// Waits.
    pub(crate) struct Waiting<F> { #[pin] inner: F }
}
bitflags::bitflags! { pub struct Flags: u32 { const A = 1; } }
quiet! { enum State { On } }
