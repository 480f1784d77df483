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
use super::{EmbedError, Embedder, ModelId};

static MODEL: &[u8] = include_bytes!("../../model/static-30k-256.bin");
const MAGIC: &[u8] = b"cvstatic";
const FORM: u32 = 1;
const HEADER: usize = 48;
/// How texts become words and counts become weights. Raised when a change of it changes vectors.
const ENCODER: u32 = 1;
const BATCH: usize = 256;
/// Up to here the weight of a count is looked up.
const FEW: usize = 64;

/// The model, once per process.
static WEIGHTS: LazyLock<Option<Weights>> = LazyLock::new(|| Weights::read(MODEL));

pub struct StaticModel {
    weights: &'static Weights,
    id: ModelId,
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
    checksum: &'static [u8],
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
        let weights = WEIGHTS.as_ref().ok_or_else(|| EmbedError {
            kind: super::EmbedErrorKind::Unavailable,
            message: "the built-in model is not of the form that this build reads".to_owned(),
        })?;
        let sum: String = weights.checksum.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { weights, id: ModelId::new(format!("static-30k-{}@{ENCODER}-{sum}", weights.dimensions)) })
    }

    fn embed(&self, text: &str, side: Side, desk: &mut Desk) -> Vec<f32> {
        let weights = self.weights;
        let Desk { word, found, counts, distinct } = desk;
        words::each(text, word, |word| {
            weights.pieces.cover(word, found);
            for piece in &*found {
                let count = &mut counts[*piece as usize];
                if *count == 0 {
                    distinct.push(*piece);
                }
                *count += 1;
            }
        });
        let mut sum = vec![0.0; weights.dimensions];
        for piece in distinct.drain(..) {
            let place = piece as usize;
            let count = std::mem::take(&mut counts[place]);
            let weight = weights.of_count(count) * weights.scales[place];
            let weight = if side == Side::Query { weight * weights.query[place] } else { weight };
            add(&mut sum, &weights.rows[place * weights.dimensions..][..weights.dimensions], weight);
        }
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-9);
        for value in &mut sum {
            *value /= length;
        }
        sum
    }
}

impl Embedder for StaticModel {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.weights.dimensions
    }

    fn batch_size(&self) -> usize {
        BATCH
    }

    fn documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut desk = Desk::new(self.weights);
        Ok(texts.iter().map(|text| self.embed(text, Side::Document, &mut desk)).collect())
    }

    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.embed(text, Side::Query, &mut Desk::new(self.weights)))
    }
}

impl Desk {
    fn new(weights: &Weights) -> Self {
        Self { word: vec![], found: vec![], counts: vec![0; weights.scales.len()], distinct: vec![] }
    }
}

fn add(sum: &mut [f32], row: &[u8], weight: f32) {
    for (value, code) in sum.iter_mut().zip(row) {
        *value += weight * f32::from(code.cast_signed());
    }
}

impl Weights {
    /// None if these are not the bytes of a model.
    fn read(model: &'static [u8]) -> Option<Self> {
        let (header, body) = model.split_at_checked(HEADER)?;
        let (magic, numbers) = header.split_at(MAGIC.len());
        let number = |place: usize| Some(u32::from_le_bytes(*numbers.get(place * 4..)?.first_chunk()?));
        if magic != MAGIC || number(0)? != FORM {
            return None;
        }
        let size = |place: usize| number(place).and_then(|number| usize::try_from(number).ok());
        let (dimensions, tokens, letters) = (size(1)?, size(2)?, size(3)?);
        let power = f32::from_bits(number(4)?);
        let (rows, rest) = body.split_at_checked(dimensions.checked_mul(tokens)?)?;
        let (scales, rest) = rest.split_at_checked(tokens * 4)?;
        let (query, rest) = rest.split_at_checked(tokens * 4)?;
        let (offsets, names) = rest.split_at_checked((tokens + 1) * 4)?;
        let offsets: Vec<usize> = numbers_of(offsets).map(|offset| offset as usize).collect();
        let sound = names.len() == letters && offsets.is_sorted() && offsets.last() == Some(&letters);
        if !sound || dimensions == 0 {
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
            pieces: Pieces::new(offsets.windows(2).map(|ends| &names[ends[0]..ends[1]])),
            few,
            power,
            checksum: &numbers[24..],
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "a large count need not be exact")]
    fn of_count(&self, count: u32) -> f32 {
        self.few.get(count as usize).copied().unwrap_or_else(|| (count as f32).powf(self.power))
    }
}

fn numbers_of(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests;
