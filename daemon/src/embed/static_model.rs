//! The embedder that is built in: a vector for each of 30,000 pieces of words, and their weighted sum for a text.
//!
//! What a document says first weighs more, its sum goes through one small layer, and a question's pieces have vectors that
//! differ a little from a document's. Otherwise there is no order of words, so it is a pure and total function that takes
//! microseconds. The rows are read where the binary is mapped, and never copied. `daemon/model/README.md` says where they
//! come from and what they are not good at.

mod covered;
mod net;
mod pieces;
mod sums;
mod words;

use std::sync::{LazyLock, Mutex, PoisonError};

use self::covered::Covered;
use self::net::Net;
use self::pieces::Pieces;
use self::sums::{add_codes, add_times, unit};
use self::words::Sign;
use super::{EmbedError, EmbedErrorKind, Embedder, ModelId};

static MODEL: &[u8] = include_bytes!("../../model/static-30k-256.bin");
const MAGIC: &[u8] = b"cvstatic";
const FORM: u32 = 2;
const HEADER: usize = 56;
/// How texts become words and counts become weights. Raised when a change of it changes vectors.
const ENCODER: u32 = 3;
const BATCH: usize = 256;
/// Desks that are kept for the next text.
const MOST_SPARE: usize = 4;
/// Up to here the weight of a count is looked up.
const FEW: usize = 64;
/// A piece of a document is in the first of these zones that it is met before, counted in words, or in the one after.
const ZONES: [usize; 4] = [8, 16, 32, 64];

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
    zones: usize,
    /// How many numbers tell a piece of a question from one of a document.
    differing: usize,
    /// How wide the layer is that a document's sum goes through.
    hidden: usize,
    checksum: [u8; 16],
}

struct Weights {
    dimensions: usize,
    /// One byte a number: of each piece its vector, then what the way into the layer makes of it.
    rows: &'static [u8],
    stride: usize,
    /// What makes a row what it was before it was rounded.
    scales: Vec<f32>,
    /// What a piece counts in a question, and at the very beginning of a document.
    query: Vec<f32>,
    early: Vec<f32>,
    /// What a piece counts by the zone of a document that it is first met in.
    zones: Vec<f32>,
    /// Few numbers a piece, one byte each, and what makes a vector of them: added to a question's rows.
    differing: &'static [u8],
    differing_scales: Vec<f32>,
    lift: Vec<f32>,
    net: Net,
    pieces: Pieces,
    /// What a piece counts that occurs this often.
    few: [f32; FEW],
    power: f32,
}

/// The bytes of the model, where the binary is mapped.
pub fn mapped() -> &'static [u8] {
    MODEL
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
    covered: Covered,
    /// How often each piece occurs, all nought between texts.
    counts: Vec<u32>,
    /// The pieces that do, each with the zone it was first met in.
    distinct: Vec<(u32, usize)>,
}

impl StaticModel {
    /// Fails only in a build whose model is not one.
    pub fn new() -> Result<Self, EmbedError> {
        let header = Header::read(MODEL).ok_or_else(unreadable)?;
        let sum: String = header
            .checksum
            .iter()
            .take(6)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let id = ModelId::new(format!("static-30k-{}@{ENCODER}-{sum}", header.dimensions));
        Ok(Self {
            id,
            dimensions: header.dimensions,
        })
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
        let all = |desk: &mut Desk| {
            texts
                .iter()
                .map(|text| weights.embed(text, Side::Document, desk))
                .collect()
        };
        Ok(Desk::lent(weights, all))
    }

    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let weights = WEIGHTS.as_ref().ok_or_else(unreadable)?;
        Ok(Desk::lent(weights, |desk| {
            weights.embed(text, Side::Query, desk)
        }))
    }

    fn is_instant(&self) -> bool {
        true
    }
}

impl Desk {
    fn new(weights: &Weights) -> Self {
        let counts = vec![0; weights.scales.len()];
        Self {
            word: vec![],
            found: vec![],
            covered: Covered::default(),
            counts,
            distinct: vec![],
        }
    }

    /// Lends one that was used before, if there is one.
    fn lent<T>(weights: &Weights, work: impl FnOnce(&mut Self) -> T) -> T {
        static SPARE: Mutex<Vec<Desk>> = Mutex::new(vec![]);
        let spare = || SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut desk = spare().pop().unwrap_or_else(|| Self::new(weights));
        let done = work(&mut desk);
        let mut spare = spare();
        if spare.len() < MOST_SPARE {
            spare.push(desk);
        }
        done
    }
}

impl Weights {
    /// None if these are not the bytes of a model.
    fn read(model: &'static [u8]) -> Option<Self> {
        let Header {
            dimensions,
            pieces,
            names,
            power,
            zones,
            differing: few,
            hidden,
            ..
        } = Header::read(model)?;
        let mut rest = model.get(HEADER..)?;
        let mut take = |bytes: usize| {
            let (taken, after) = rest.split_at_checked(bytes)?;
            rest = after;
            Some(taken)
        };
        let floats = |bytes| numbers_of(bytes).map(f32::from_bits).collect::<Vec<_>>();
        let stride = dimensions.checked_add(hidden)?;
        let rows = take(stride.checked_mul(pieces)?)?;
        let (scales, query, early) = (take(pieces * 4)?, take(pieces * 4)?, take(pieces * 4)?);
        let zones = take(zones * 4)?;
        let (differing, differing_scales) = (take(few.checked_mul(pieces)?)?, take(pieces * 4)?);
        let lift = take(few * dimensions * 4)?;
        let (fold, into_bias) = (take(4)?, take(hidden * 4)?);
        let (back, back_bias) = (take(hidden * dimensions * 4)?, take(dimensions * 4)?);
        let offsets = take((pieces + 1) * 4)?;
        let letters = rest;
        let offsets: Vec<usize> = numbers_of(offsets).map(|offset| offset as usize).collect();
        if letters.len() != names || !offsets.is_sorted() || offsets.last() != Some(&names) {
            return None;
        }
        let mut counts = [0.0; FEW];
        for (count, value) in (0_u8..).zip(&mut counts) {
            *value = f32::from(count).powf(power);
        }
        Some(Self {
            dimensions,
            rows,
            stride,
            scales: floats(scales),
            query: floats(query),
            early: floats(early),
            zones: floats(zones),
            differing,
            differing_scales: floats(differing_scales),
            lift: floats(lift),
            net: Net::new(
                floats(fold).first().copied()?,
                floats(into_bias),
                floats(back),
                floats(back_bias),
            ),
            pieces: Pieces::new(offsets.windows(2).map(|ends| &letters[ends[0]..ends[1]])),
            few: counts,
            power,
        })
    }

    fn embed(&self, text: &str, side: Side, desk: &mut Desk) -> Vec<f32> {
        let Desk {
            word,
            found,
            covered,
            counts,
            distinct,
        } = desk;
        let (mut place, mut zone) = (0, 0);
        words::each(text, word, |word| {
            if ZONES.get(zone) == Some(&place) {
                zone += 1;
            }
            place += 1;
            for piece in covered.pieces(&self.pieces, word, found) {
                let count = &mut counts[*piece as usize];
                if *count == 0 {
                    distinct.push((*piece, zone));
                }
                *count += 1;
            }
        });
        let mut sum = vec![0.0; self.stride];
        let width = if side == Side::Query {
            self.lift.len() / self.dimensions
        } else {
            0
        };
        let mut differing = vec![0.0; width];
        for four in distinct.chunks(4) {
            let mut weights = [0.0; 4];
            let mut rows = [&self.rows[..self.stride]; 4];
            for (((piece, zone), weight), row) in four.iter().zip(&mut weights).zip(&mut rows) {
                let place = *piece as usize;
                let count = self.of_count(std::mem::take(&mut counts[place]));
                let counted = count * self.of_side(side, place, *zone);
                *weight = counted * self.scales[place];
                *row = &self.rows[place * self.stride..][..self.stride];
                if side == Side::Query {
                    let few = &self.differing[place * differing.len()..][..differing.len()];
                    for (value, code) in differing.iter_mut().zip(few) {
                        *value +=
                            counted * self.differing_scales[place] * f32::from(code.cast_signed());
                    }
                }
            }
            add_codes(&mut sum, rows, weights);
        }
        let has_pieces = !distinct.is_empty();
        distinct.clear();
        if side == Side::Query {
            for (value, row) in differing
                .iter()
                .zip(self.lift.chunks_exact(self.dimensions))
            {
                add_times(&mut sum, *value, row);
            }
        }
        let (vector, into) = sum.split_at_mut(self.dimensions);
        let length = unit(vector);
        if side == Side::Document && has_pieces {
            self.net.add_to(vector, into, length);
            unit(vector);
        }
        sum.truncate(self.dimensions);
        sum
    }

    /// What a piece counts on this side.
    fn of_side(&self, side: Side, place: usize, zone: usize) -> f32 {
        match (side, zone) {
            (Side::Query, _) => self.query[place],
            (Side::Document, 0) => self.zones[0] * self.early[place],
            (Side::Document, zone) => self.zones[zone],
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a large count need not be exact"
    )]
    fn of_count(&self, count: u32) -> f32 {
        self.few
            .get(count as usize)
            .copied()
            .unwrap_or_else(|| (count as f32).powf(self.power))
    }
}

impl Header {
    fn read(model: &[u8]) -> Option<Self> {
        let (magic, rest) = model.split_at_checked(MAGIC.len())?;
        let number =
            |place: usize| Some(u32::from_le_bytes(*rest.get(place * 4..)?.first_chunk()?));
        let size = |place: usize| number(place).and_then(|number| usize::try_from(number).ok());
        let header = Self {
            dimensions: size(1)?,
            pieces: size(2)?,
            names: size(3)?,
            power: f32::from_bits(number(4)?),
            zones: size(5)?,
            differing: size(6)?,
            hidden: size(7)?,
            checksum: *rest.get(HEADER - MAGIC.len() - 16..)?.first_chunk()?,
        };
        let is_ours = magic == MAGIC && number(0)? == FORM && header.zones == ZONES.len() + 1;
        (is_ours && header.dimensions > 0).then_some(header)
    }
}

fn unreadable() -> EmbedError {
    EmbedError {
        kind: EmbedErrorKind::Unavailable,
        message: "the built-in model is not of the form that this build reads".to_owned(),
    }
}

fn numbers_of(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests;
