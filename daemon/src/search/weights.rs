//! What counts how much in the order of results: all of it here, and nowhere else.
//!
//! Measured by `bench relevance` on public queries; a change of a figure comes with the change of its table.

/// What a file is, beside its content. A factor each: 1 changes nothing.
pub struct Factors {
    pub test: f32,
    /// Examples, samples, benchmarks, documentation's own code.
    pub example: f32,
    /// Kept for those who have not moved on.
    pub legacy: f32,
    /// Data and prose rather than programs.
    pub data: f32,
    /// Declares what is defined elsewhere.
    pub declaration: f32,
}

/// Everything is between 0 and 1 before it is weighed.
pub struct Weights {
    /// Words in the chunk, against the chunk that has most.
    pub body: f32,
    /// How much of the question the chunk has, whatever the number.
    pub coverage: f32,
    /// Words in the documentation of what the chunk defines.
    pub doc: f32,
    /// Words in the names that the chunk defines.
    pub name: f32,
    /// The chunk defines exactly a name of the question.
    pub exact: f32,
    /// Meaning, against the nearest chunk.
    pub meaning: f32,
    /// Of the file: several good chunks.
    pub several_chunks: f32,
    /// How much of the question the file's name has.
    pub stem: f32,
    /// The same, where the file's name is about little else.
    pub whole_stem: f32,
    /// How much of the question the path has.
    pub path: f32,
    /// Words in the best of the names that the file defines.
    pub file_name: f32,
    /// The file defines exactly a name of the question.
    pub file_exact: f32,
    /// Meaning of the file's best chunk.
    pub file_meaning: f32,
    /// Meaning of the file on the whole.
    pub file_overall: f32,
    /// Meaning of the file's path and of the names in it.
    pub file_about: f32,
    /// How often the file's own names are met elsewhere.
    pub centrality: f32,
}

/// For questions and words, where there are no vectors.
pub const WORDS: Weights = Weights {
    body: 0.465,
    coverage: 0.4,
    doc: 0.3,
    name: 0.4,
    exact: 0.15,
    meaning: 0.0,
    several_chunks: 0.6,
    stem: 1.05,
    whole_stem: 1.75,
    path: 0.1,
    file_name: 0.65,
    file_exact: 0.4,
    file_meaning: 0.0,
    file_overall: 0.0,
    file_about: 0.0,
    centrality: 0.2,
};

/// For questions and words, where there are.
pub const WORDS_AND_MEANING: Weights = Weights {
    body: 0.2,
    coverage: 0.4,
    doc: 0.3,
    name: 0.375,
    exact: 0.15,
    meaning: 0.8,
    several_chunks: 0.6,
    stem: 0.8,
    whole_stem: 1.55,
    path: 0.07,
    file_name: 0.65,
    file_exact: 0.4,
    file_meaning: 0.1,
    file_overall: 0.4,
    file_about: 0.35,
    centrality: 0.25,
};

/// For a query that is one name.
pub const NAME: Weights = Weights {
    body: 1.0,
    coverage: 0.0,
    doc: 0.0,
    name: 0.4,
    exact: 2.0,
    meaning: 0.1,
    several_chunks: 0.0,
    stem: 0.0,
    whole_stem: 1.5,
    path: 0.0,
    file_name: 0.0,
    file_exact: 2.0,
    file_meaning: 0.0,
    file_overall: 0.0,
    file_about: 0.0,
    centrality: 0.4,
};

pub const FACTORS: Factors = Factors {
    test: 0.35,
    example: 0.5,
    legacy: 0.6,
    data: 0.6,
    declaration: 0.9,
};

/// Each further chunk of one file counts so much of the one before.
pub const FURTHER_CHUNK: f32 = 0.2;
/// A pair of words written as one, against a word.
pub const PAIR: f32 = 0.5;
/// What it adds to the file's name.
pub const PAIR_IN_STEM: f32 = 0.2;
/// A file beneath a path that was asked for, against the file at it.
pub const BENEATH_PATH: f32 = 0.6;
/// A name that may be meant as a plain word.
pub const UNCERTAIN_NAME: f32 = 0.3;
/// A name in other letters, large or small.
pub const OTHER_CASE: f32 = 0.7;
/// The least that a word counts, however common it is.
pub const LEAST_RARITY: f32 = 0.3;
