//! Vectors for tests.

/// Returns pseudo-random coordinates with a bell-shaped distribution, like those of embedding models.
pub fn spread_like_a_model(seed: u64, dimensions: usize) -> Vec<f32> {
    let mut bytes = vec![0; dimensions * 12];
    blake3::Hasher::new()
        .update(&seed.to_le_bytes())
        .finalize_xof()
        .fill(&mut bytes);
    bytes
        .chunks_exact(12)
        .map(|twelve| twelve.iter().map(|byte| f32::from(*byte) - 127.5).sum())
        .collect()
}
