//! An embedder for tests: every word adds to a few coordinates that its hash picks.
//!
//! It is deterministic and needs no model, and texts that share words have vectors near each other. It is compiled only for
//! tests.

use super::{EmbedError, Embedder, ModelId};

pub struct HashingEmbedder {
    model: ModelId,
    dimensions: usize,
}

impl HashingEmbedder {
    pub fn new(dimensions: usize) -> Self {
        Self {
            model: ModelId::new(format!("hashing-{dimensions}@1")),
            dimensions,
        }
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        for word in text
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
        {
            let hash = blake3::hash(word.to_lowercase().as_bytes());
            for picked in hash.as_bytes().chunks_exact(4) {
                let place =
                    usize::from(u16::from_le_bytes([picked[0], picked[1]])) % self.dimensions;
                vector[place] += f32::from(i16::from_le_bytes([picked[2], picked[3]])) / 32_768.0;
            }
        }
        vector
    }
}

impl Embedder for HashingEmbedder {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn batch_size(&self) -> usize {
        64
    }

    fn documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.embed(text)).collect())
    }

    fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.embed(text))
    }
}

#[test]
fn texts_that_share_words_lie_nearer() {
    let embedder: &dyn Embedder = &HashingEmbedder::new(128);
    let texts = ["fn open_file(path: &Path)", "struct Colour { red: u8 }"];
    let made = embedder.documents(&texts).expect("embedded");
    assert!(
        made.iter()
            .all(|vector| vector.len() == embedder.dimensions())
    );
    let asked = embedder.query("open a file by its path").expect("embedded");
    let near = |vector: &[f32]| {
        vector
            .iter()
            .zip(&asked)
            .map(|(one, two)| one * two)
            .sum::<f32>()
    };
    assert!(near(&made[0]) > near(&made[1]));
    assert_eq!(made, embedder.documents(&texts).expect("embedded"));
}
