//! Compares the encoder with the vectors of the reference, and runs it on random texts.

use super::*;

#[derive(serde::Deserialize)]
struct Case {
    text: String,
    query: bool,
    /// In ten-thousandths.
    vector: Vec<f32>,
}

fn model() -> StaticModel {
    StaticModel::new().expect("a model")
}

fn cosine(one: &[f32], two: &[f32]) -> f32 {
    let dot =
        |one: &[f32], two: &[f32]| one.iter().zip(two).map(|(one, two)| one * two).sum::<f32>();
    dot(one, two) / (dot(one, one) * dot(two, two)).sqrt()
}

#[test]
fn vectors_are_those_of_the_reference() {
    let model = model();
    let mut compared = 0;
    for line in include_str!("fixture.jsonl").lines() {
        let Case {
            text,
            query,
            vector,
        } = serde_json::from_str(line).expect("a case");
        let made = if query {
            model.query(&text)
        } else {
            model.documents(&[&text]).map(|mut made| made.remove(0))
        };
        let made = made.expect("embedded");
        assert_eq!(made.len(), vector.len());
        if vector.iter().all(|value| *value == 0.0) {
            assert!(made.iter().all(|value| *value == 0.0), "{text:?}");
        } else {
            let cosine = cosine(&made, &vector);
            assert!(cosine >= 0.9999, "{cosine}: {text:?}");
            compared += 1;
        }
    }
    assert!(compared >= 40, "{compared}");
}

#[test]
fn the_model_is_the_file_that_was_converted() {
    let header = Header::read(MODEL).expect("a header");
    assert_eq!(
        blake3::hash(&MODEL[HEADER..]).as_bytes()[..16],
        header.checksum
    );
    assert_eq!((header.dimensions, header.pieces), (256, 30_000));
    assert_eq!(model().dimensions(), 256);
    assert_eq!(model().id(), "static-30k-256@3-de26f9618d60");
}

#[test]
fn bytes_that_are_no_model_are_refused() {
    assert!(Weights::read(&[]).is_none());
    assert!(Weights::read(&MODEL[1..]).is_none());
    for length in [HEADER, HEADER + 1000, MODEL.len() - 1] {
        assert!(Weights::read(&MODEL[..length]).is_none(), "{length}");
    }
}

#[test]
fn any_text_has_a_vector() {
    let model = model();
    let mut state = 7_u64;
    let mut next = move |below: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(state >> 33).unwrap_or_default() % below
    };
    let mut texts: Vec<String> = vec![
        "a".repeat(300_000),
        "aB".repeat(100_000),
        "é".repeat(1000),
        "\u{0}".to_owned(),
    ];
    for _ in 0..500 {
        let length = next(200);
        let most = [0x80, 0x250, 0x2200, 0x11_0000][next(4) as usize];
        texts.push(
            (0..length)
                .map(|_| char::from_u32(next(most)).unwrap_or('\u{212a}'))
                .collect(),
        );
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let made = model.documents(&texts).expect("embedded");
    for (text, vector) in texts.iter().zip(&made) {
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        let has_letters = text.bytes().any(|byte| byte.is_ascii_alphanumeric());
        assert!(
            (length - 1.0).abs() < 1e-4 || (length == 0.0 && (!has_letters || text.len() < 40)),
            "{text:?}"
        );
        // The texts before it leave no state behind.
        assert_eq!(
            &model.documents(&[text]).expect("embedded")[0],
            vector,
            "{text:?}"
        );
    }
}

#[test]
fn like_is_near_like() {
    let model = model();
    let code = [
        "fn line_count(path: &Path) -> usize { read(path).lines().count() }",
        "def send_mail(to, subject): smtp.send(to, subject)",
    ];
    let made = model.documents(&code).expect("embedded");
    let asked = model
        .query("open a file and count its lines")
        .expect("embedded");
    assert!(cosine(&asked, &made[0]) > cosine(&asked, &made[1]) + 0.2);
}
