//! The residual layer that a document's sum passes through.
//!
//! The projection into the layer is linear, so it is summed with the rows of the pieces; this module does the rest.

use super::sums::{add_rows, add_times};

pub struct Layer {
    /// The factor and the bias of the projection into the layer.
    fold: f32,
    into_bias: Vec<f32>,
    /// The projection back, a row for each unit of the layer.
    back: Vec<f32>,
    back_bias: Vec<f32>,
}

impl Layer {
    pub const fn new(fold: f32, into_bias: Vec<f32>, back: Vec<f32>, back_bias: Vec<f32>) -> Self {
        Self {
            fold,
            into_bias,
            back,
            back_bias,
        }
    }

    /// Adds the output of the layer to a vector. `into` is the sum of the pieces' projections, and `length` the length that the
    /// vector had before it was normalised.
    pub fn add_to(&self, vector: &mut [f32], into: &[f32], length: f32) {
        let times = self.fold / length;
        let hidden = into
            .iter()
            .zip(&self.into_bias)
            .map(|(value, bias)| value * times + bias);
        let rows = self.back.chunks_exact(vector.len().max(1));
        // ReLU.
        let above: Vec<_> = hidden.zip(rows).filter(|(value, _)| *value > 0.0).collect();
        add_times(vector, 1.0, &self.back_bias);
        let (fours, rest) = above.as_chunks::<4>();
        for [(a, one), (b, two), (c, three), (d, four)] in fours {
            add_rows(vector, [one, two, three, four], [*a, *b, *c, *d]);
        }
        for (times, row) in rest {
            add_times(vector, *times, row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_positive_units_are_added() {
        // A layer of six, whose third unit is negative; the last alone adds to the second number.
        let back = vec![1.0, 0.0, 1.0, 0.0, 9.0, 9.0, 1.0, 0.0, 1.0, 0.0, 1.0, 4.0];
        let net = Layer::new(0.5, vec![0.5; 6], back, vec![0.25, 0.0]);
        let mut vector = [1.0, 0.5];
        net.add_to(&mut vector, &[4.0, 4.0, -8.0, 4.0, 4.0, 8.0], 2.0);
        // Four are 4 × 0.5 ÷ 2 + 0.5, the last is 8 × 0.5 ÷ 2 + 0.5.
        let expected: [f32; 2] = [1.0 + 0.25 + 4.0 * 1.5 + 2.5, 0.5 + 4.0 * 2.5];
        assert_eq!(vector.map(f32::to_bits), expected.map(f32::to_bits));
    }
}
