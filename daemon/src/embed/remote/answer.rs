//! Parses and checks the answer of a server.

use serde::Deserialize;

#[derive(Deserialize)]
pub struct Answer {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    /// The position of its text in the request; some servers leave it out and keep the order.
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Answer {
    /// Returns the vectors in the order of the texts, all of one length: the expected one, if it is known.
    pub fn vectors(self, texts: usize, expected: Option<usize>) -> Result<Vec<Vec<f32>>, String> {
        let count = self.data.len();
        if count != texts {
            return Err(format!("{texts} vectors were asked for, and {count} came"));
        }
        let mut ordered: Vec<Option<Vec<f32>>> = vec![None; texts];
        for (place, row) in self.data.into_iter().enumerate() {
            let slot = ordered
                .get_mut(row.index.unwrap_or(place))
                .filter(|slot| slot.is_none());
            *slot.ok_or("the vectors are not numbered as the texts are")? = Some(row.embedding);
        }
        let vectors: Vec<Vec<f32>> = ordered.into_iter().flatten().collect();
        let length = expected
            .or_else(|| vectors.first().map(Vec::len))
            .unwrap_or_default();
        if let Some(other) = vectors
            .iter()
            .map(Vec::len)
            .find(|other| *other != length || *other == 0)
        {
            return Err(format!(
                "a vector has {other} dimensions instead of {length}"
            ));
        }
        if vectors.iter().flatten().any(|value| !value.is_finite()) {
            return Err("a vector contains a value that is not a number".to_owned());
        }
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, texts: usize, expected: Option<usize>) -> Result<Vec<Vec<f32>>, String> {
        serde_json::from_str::<Answer>(text)
            .expect("read")
            .vectors(texts, expected)
    }

    #[test]
    fn vectors_come_in_the_order_of_their_texts() {
        let swapped =
            r#"{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}],"model":"m"}"#;
        assert_eq!(
            parse(swapped, 2, Some(2)),
            Ok(vec![vec![1.0, 2.0], vec![3.0, 4.0]])
        );
        let unnumbered = r#"{"data":[{"embedding":[1]},{"embedding":[2]}]}"#;
        assert_eq!(parse(unnumbered, 2, None), Ok(vec![vec![1.0], vec![2.0]]));
    }

    #[test]
    fn invalid_answers_are_refused() {
        let one = r#"{"data":[{"index":0,"embedding":[1,2]}]}"#;
        assert!(
            parse(one, 2, None)
                .expect_err("too few")
                .contains("2 vectors were asked for, and 1 came")
        );
        assert!(
            parse(one, 1, Some(3))
                .expect_err("too short")
                .contains("2 dimensions instead of 3")
        );
        let twice = r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]}]}"#;
        assert!(
            parse(twice, 2, None)
                .expect_err("twice")
                .contains("not numbered")
        );
        let beyond = r#"{"data":[{"index":7,"embedding":[1]}]}"#;
        assert!(parse(beyond, 1, None).is_err());
        let uneven = r#"{"data":[{"embedding":[1,2]},{"embedding":[3]}]}"#;
        assert!(parse(uneven, 2, None).is_err());
        assert!(parse(r#"{"data":[{"embedding":[]}]}"#, 1, None).is_err());
        assert!(parse(r#"{"data":[{"embedding":[1e300]}]}"#, 1, None).is_err());
    }
}
