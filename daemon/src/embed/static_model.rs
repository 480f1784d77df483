//! The embedder that is built in: a vector for each of 30,000 pieces of words, and their weighted sum for a text.
//!
//! No network and no order of words, so it is a pure and total function that takes microseconds. The weights are read
//! where the binary is mapped, and never copied. `daemon/model/README.md` says where they come from and what they are
//! not good at.

mod pieces;
mod words;

use std::sync::LazyLock;

use self::pieces::Pieces;
use self::words::Sign;
use super::{EmbedError, EmbedErrorKind, Embedder, ModelId};

static MODEL: &[u8] = include_bytes!("../../model/static-30k-256.bin");
const MAGIC: &[u8] = b"cvstatic";
const FORM: u32 = 1;
const HEADER: usize = 48;
/// How texts become words and counts become weights. Raised when a change of it changes vectors.
const ENCODER: u32 = 1;
const BATCH: usize = 256;
/// Up to here the weight of a count is looked up.
const FEW: usize = 64;

/// Made ready at their first use, once per process.
static WEIGHTS: LazyLock<Option<Weights>> = LazyLock::new(|| Weights::read(MODEL));

pub struct StaticModel {
    id: ModelId,
    dimensions: usize,
}

/// What the first bytes of a model say.
struct Header {
    dimensions: usize,
    pieces: usize,
    /// Bytes of all names together.
    names: usize,
    power: f32,
    checksum: [u8; 16],
}

struct Weights {
    dimensions: usize,
    /// One byte a coordinate.
    rows: &'static [u8],
    /// What makes a row what it was before it was rounded.
    scales: Vec<f32>,
    query: Vec<f32>,
    pieces: Pieces,
    /// What a piece counts that occurs this often.
    few: [f32; FEW],
    power: f32,
}

/// Which side of a comparison a text is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Document,
    Query,
}

/// Room that texts share.
struct Desk {
    word: Vec<Sign>,
    found: Vec<u32>,
    /// How often each piece occurs, all nought between texts.
    counts: Vec<u32>,
    /// The pieces that do.
    distinct: Vec<u32>,
}

impl StaticModel {
    /// Fails only in a build whose model is not one.
    pub fn new() -> Result<Self, EmbedError> {
        let header = Header::read(MODEL).ok_or_else(unreadable)?;
        let sum: String = header.checksum.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let id = ModelId::new(format!("static-30k-{}@{ENCODER}-{sum}", header.dimensions));
        Ok(Self { id, dimensions: header.dimensions })
    }
}

impl Embedder for StaticModel {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn batch_size(&self) -> usize {
        BATCH
    }

    fn documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let weights = WEIGHTS.as_ref().ok_or_else(unreadable)?;
        let mut desk = Desk::new(weights);
        Ok(texts.iter().map(|text| weights.embed(text, Side::Document, &mut desk)).collect())
    }

    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let weights = WEIGHTS.as_ref().ok_or_else(unreadable)?;
        Ok(weights.embed(text, Side::Query, &mut Desk::new(weights)))
    }

    fn is_instant(&self) -> bool {
        true
    }
}

impl Desk {
    fn new(weights: &Weights) -> Self {
        Self { word: vec![], found: vec![], counts: vec![0; weights.scales.len()], distinct: vec![] }
    }
}

fn add(sum: &mut [f32], rows: [&[u8]; 4], weights: [f32; 4]) {
    let [one, two, three, four] = rows;
    for ((((value, one), two), three), four) in sum.iter_mut().zip(one).zip(two).zip(three).zip(four) {
        let number = |code: &u8| f32::from(code.cast_signed());
        *value += weights[0] * number(one)
            + weights[1] * number(two)
            + weights[2] * number(three)
            + weights[3] * number(four);
    }
}

impl Weights {
    /// None if these are not the bytes of a model.
    fn read(model: &'static [u8]) -> Option<Self> {
        let Header { dimensions, pieces, names, power, .. } = Header::read(model)?;
        let body = model.get(HEADER..)?;
        let (rows, rest) = body.split_at_checked(dimensions.checked_mul(pieces)?)?;
        let (scales, rest) = rest.split_at_checked(pieces * 4)?;
        let (query, rest) = rest.split_at_checked(pieces * 4)?;
        let (offsets, letters) = rest.split_at_checked((pieces + 1) * 4)?;
        let offsets: Vec<usize> = numbers_of(offsets).map(|offset| offset as usize).collect();
        if letters.len() != names || !offsets.is_sorted() || offsets.last() != Some(&names) {
            return None;
        }
        let floats = |bytes| numbers_of(bytes).map(f32::from_bits).collect();
        let mut few = [0.0; FEW];
        for (count, value) in (0_u8..).zip(&mut few) {
            *value = f32::from(count).powf(power);
        }
        Some(Self {
            dimensions,
            rows,
            scales: floats(scales),
            query: floats(query),
            pieces: Pieces::new(offsets.windows(2).map(|ends| &letters[ends[0]..ends[1]])),
            few,
            power,
        })
    }

    fn embed(&self, text: &str, side: Side, desk: &mut Desk) -> Vec<f32> {
        let Desk { word, found, counts, distinct } = desk;
        words::each(text, word, |word| {
            self.pieces.cover(word, found);
            for piece in &*found {
                let count = &mut counts[*piece as usize];
                if *count == 0 {
                    distinct.push(*piece);
                }
                *count += 1;
            }
        });
        let mut sum = vec![0.0; self.dimensions];
        // Four at a time, so that the sum is read and written a quarter as often.
        for four in distinct.chunks(4) {
            let mut weights = [0.0; 4];
            let mut rows = [&self.rows[..self.dimensions]; 4];
            for ((piece, weight), row) in four.iter().zip(&mut weights).zip(&mut rows) {
                let place = *piece as usize;
                let count = std::mem::take(&mut counts[place]);
                let side = if side == Side::Query { self.query[place] } else { 1.0 };
                *weight = self.of_count(count) * self.scales[place] * side;
                *row = &self.rows[place * self.dimensions..][..self.dimensions];
            }
            add(&mut sum, rows, weights);
        }
        distinct.clear();
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-9);
        for value in &mut sum {
            *value /= length;
        }
        sum
    }

    #[expect(clippy::cast_precision_loss, reason = "a large count need not be exact")]
    fn of_count(&self, count: u32) -> f32 {
        self.few.get(count as usize).copied().unwrap_or_else(|| (count as f32).powf(self.power))
    }
}

impl Header {
    fn read(model: &[u8]) -> Option<Self> {
        let (magic, rest) = model.split_at_checked(MAGIC.len())?;
        let number = |place: usize| Some(u32::from_le_bytes(*rest.get(place * 4..)?.first_chunk()?));
        let size = |place: usize| number(place).and_then(|number| usize::try_from(number).ok());
        let header = Self {
            dimensions: size(1)?,
            pieces: size(2)?,
            names: size(3)?,
            power: f32::from_bits(number(4)?),
            checksum: *rest.get(HEADER - MAGIC.len() - 16..)?.first_chunk()?,
        };
        (magic == MAGIC && number(0)? == FORM && header.dimensions > 0).then_some(header)
    }
}

fn unreadable() -> EmbedError {
    EmbedError {
        kind: EmbedErrorKind::Unavailable,
        message: "the built-in model is not of the form that this build reads".to_owned(),
    }
}

fn numbers_of(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests;
