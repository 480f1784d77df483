//! The built-in embedder: a vector for each of 30,000 word pieces, and their weighted sum for a text.
//!
//! The beginning of a document weighs more, its sum passes through one small layer, and the pieces of a query have vectors that
//! differ a little from those of a document. Otherwise the order of words does not matter. Embedding is a pure and total
//! function that takes microseconds. The rows are read from the mapped binary, and never copied. `README.md` describes their
//! origin and limits.

mod layer;
mod piece_cache;
mod sums;
mod word_pieces;
mod words;

use std::sync::{LazyLock, Mutex, PoisonError};

use self::layer::Layer;
use self::piece_cache::PieceCache;
use self::sums::{add_codes, add_times, normalise};
use self::word_pieces::WordPieces;
use self::words::Letter;

static MODEL: &[u8] = include_bytes!("../static-30k-256.bin");
const MAGIC: &[u8] = b"cvstatic";
const FORM: u32 = 2;
const HEADER: usize = 56;
/// The version of the encoder: how texts become words, and counts become weights. Raised by every change that changes vectors.
const ENCODER: u32 = 3;
/// The most scratch buffers that are kept for the next text.
const MAX_SPARE: usize = 4;
/// Counts below this have a precomputed weight.
const PRECOMPUTED: usize = 64;
/// The ends of the zones of a document, in words. Each zone has a weight of its own; the last zone has no end.
const ZONES: [usize; 4] = [8, 16, 32, 64];

/// Read at their first use.
static WEIGHTS: LazyLock<Option<Weights>> = LazyLock::new(|| Weights::read(MODEL));

pub struct StaticModel {
    id: String,
    dimensions: usize,
    weights: &'static LazyLock<Option<Weights>>,
}

/// The header of a model file.
struct Header {
    dimensions: usize,
    pieces: usize,
    /// The length of all names of pieces together, in bytes.
    names: usize,
    power: f32,
    zones: usize,
    /// The rank of the difference between query and document vectors.
    differing: usize,
    /// The width of the layer.
    hidden: usize,
    checksum: [u8; 16],
}

struct Weights {
    dimensions: usize,
    /// For each piece its vector, then its projection into the layer; one byte per number.
    rows: &'static [u8],
    stride: usize,
    /// The quantisation scale of each row.
    scales: Vec<f32>,
    /// The weight of each piece in a query, and in the first zone of a document.
    query: Vec<f32>,
    early: Vec<f32>,
    /// The weight of each zone.
    zones: Vec<f32>,
    /// The low-rank difference of each piece in a query, one byte per number, and the matrix `lift` that expands it to a
    /// vector.
    differing: &'static [u8],
    differing_scales: Vec<f32>,
    lift: Vec<f32>,
    layer: Layer,
    pieces: WordPieces,
    /// The precomputed weights of small counts.
    count_weights: [f32; PRECOMPUTED],
    power: f32,
}

/// Returns the bytes of the model in the mapped binary.
pub fn mapped() -> &'static [u8] {
    MODEL
}

/// The side of a comparison that a text is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Document,
    Query,
}

/// Buffers that are reused between texts.
struct Scratch {
    word: Vec<Letter>,
    found: Vec<u32>,
    piece_cache: PieceCache,
    /// The count of each piece; all zero between texts.
    counts: Vec<u32>,
    /// The pieces of the text, each with the zone of its first occurrence.
    distinct: Vec<(u32, usize)>,
}

impl StaticModel {
    /// None only in a build with an invalid model.
    pub fn new() -> Option<Self> {
        let header = Header::read(MODEL)?;
        let sum: String = header
            .checksum
            .iter()
            .take(6)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Some(Self {
            id: format!("static-30k-{}@{ENCODER}-{sum}", header.dimensions),
            dimensions: header.dimensions,
            weights: &WEIGHTS,
        })
    }

    /// Returns the name and version of the model. Whatever changes a vector changes the id.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub fn documents(&self, texts: &[&str]) -> Option<Vec<Vec<f32>>> {
        let weights = self.weights.as_ref()?;
        let all = |scratch: &mut Scratch| {
            texts
                .iter()
                .map(|text| weights.embed(text, Side::Document, scratch))
                .collect()
        };
        Some(Scratch::with_spare(weights, all))
    }

    pub fn query(&self, text: &str) -> Option<Vec<f32>> {
        let weights = self.weights.as_ref()?;
        Some(Scratch::with_spare(weights, |scratch| {
            weights.embed(text, Side::Query, scratch)
        }))
    }
}

impl Scratch {
    fn new(weights: &Weights) -> Self {
        let counts = vec![0; weights.scales.len()];
        Self {
            word: vec![],
            found: vec![],
            piece_cache: PieceCache::default(),
            counts,
            distinct: vec![],
        }
    }

    /// Runs `work` with spare buffers, or with new ones.
    fn with_spare<T>(weights: &Weights, work: impl FnOnce(&mut Self) -> T) -> T {
        static SPARE: Mutex<Vec<Scratch>> = Mutex::new(vec![]);
        let spare = || SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = spare().pop().unwrap_or_else(|| Self::new(weights));
        let done = work(&mut scratch);
        let mut spare = spare();
        if spare.len() < MAX_SPARE {
            spare.push(scratch);
        }
        done
    }
}

impl Weights {
    /// Parses a model. None if it is not valid.
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
        let mut counts = [0.0; PRECOMPUTED];
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
            layer: Layer::new(
                floats(fold).first().copied()?,
                floats(into_bias),
                floats(back),
                floats(back_bias),
            ),
            pieces: WordPieces::new(offsets.windows(2).map(|ends| &letters[ends[0]..ends[1]])),
            count_weights: counts,
            power,
        })
    }

    fn embed(&self, text: &str, side: Side, scratch: &mut Scratch) -> Vec<f32> {
        let Scratch {
            word,
            found,
            piece_cache,
            counts,
            distinct,
        } = scratch;
        let (mut place, mut zone) = (0, 0);
        words::each(text, word, |word| {
            if ZONES.get(zone) == Some(&place) {
                zone += 1;
            }
            place += 1;
            for piece in piece_cache.pieces(&self.pieces, word, found) {
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
                let count = self.count_weight(std::mem::take(&mut counts[place]));
                let counted = count * self.piece_weight(side, place, *zone);
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
        let length = normalise(vector);
        if side == Side::Document && has_pieces {
            self.layer.add_to(vector, into, length);
            normalise(vector);
        }
        sum.truncate(self.dimensions);
        sum
    }

    /// Returns the weight of a piece on this side.
    fn piece_weight(&self, side: Side, place: usize, zone: usize) -> f32 {
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
    fn count_weight(&self, count: u32) -> f32 {
        self.count_weights
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

fn numbers_of(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests;
