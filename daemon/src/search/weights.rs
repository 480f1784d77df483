//! All weights of the ranking.
//!
//! They are tuned with `bench relevance` on public queries; a change of a weight comes with the changed table of ranks.

/// Factors for the scores of files that are not ordinary code; 1 changes nothing.
pub struct Factors {
    pub test: f32,
    /// Examples, samples, benchmarks, and code in documentation.
    pub example: f32,
    /// Deprecated code that is kept for old callers.
    pub legacy: f32,
    /// Data and prose.
    pub data: f32,
    /// Declarations of symbols that are defined elsewhere: `index.d.ts`.
    pub declaration: f32,
    /// Build outputs and third-party code: `dist/`, `vendor/`.
    pub copy: f32,
}

/// The weight of each kind of evidence, which is between 0 and 1.
pub struct Weights {
    /// The words of the chunk, as a share of the best chunk.
    pub body: f32,
    /// The share of the question's words that the chunk contains, whatever their frequency.
    pub coverage: f32,
    /// Words in the documentation of symbols that the chunk defines.
    pub doc: f32,
    /// Words in the names of symbols that the chunk defines.
    pub name: f32,
    /// The chunk defines a symbol with exactly a name of the question.
    pub exact: f32,
    /// Meaning, as a share of the nearest chunk.
    pub meaning: f32,
    /// The file has several good chunks.
    pub several_chunks: f32,
    /// The share of the question that the file's name contains.
    pub stem: f32,
    /// The share in `stem`, times the share of the file's name that the question contains.
    pub whole_stem: f32,
    /// The share of the question that the path contains.
    pub path: f32,
    /// Words in the best of the names that the file defines.
    pub file_name: f32,
    /// The file defines a symbol with exactly a name of the question.
    pub file_exact: f32,
    /// Meaning of the file's best chunk.
    pub file_meaning: f32,
    /// Meaning of the file as a whole.
    pub file_overall: f32,
    /// Meaning of the file's path and of the names in it.
    pub file_about: f32,
    /// The frequency of the names that the file defines.
    pub centrality: f32,
}

/// The weight of each kind of evidence that only a report has.
pub struct ReportWeights {
    /// The words of the whole report in the chunk.
    pub report: f32,
    /// A frame, a name or a message of the report is in the chunk.
    pub place: f32,
    /// The words of the whole report in the file.
    pub file_whole: f32,
    /// The words of the title, of the prose and of the code in the file.
    pub file_title: f32,
    pub file_prose: f32,
    pub file_code: f32,
    /// The share of the file's name that the title and the prose contain.
    pub title_stem: f32,
    pub prose_stem: f32,
    /// The words of the whole report in the file's best chunk.
    pub file_chunk: f32,
    /// The report names the file by its path or module.
    pub mentioned: f32,
    /// A trace goes through the file.
    pub traced: f32,
    /// The file defines names of the title, of the prose and of the code.
    pub title_names: f32,
    pub prose_names: f32,
    pub code_names: f32,
    /// The file contains an error message of the report.
    pub message: f32,
}

/// Weights for questions and words, without vectors.
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

/// Weights for questions and words, with vectors.
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

/// Weights for a query that is one name.
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

/// Weights for a report, whose title is the question.
pub const REPORT: Weights = Weights {
    body: 0.2,
    coverage: 0.4,
    doc: 0.3,
    name: 0.375,
    exact: 0.15,
    meaning: 0.8,
    several_chunks: 0.6,
    stem: 0.8,
    whole_stem: 0.8,
    path: 0.07,
    file_name: 0.4,
    file_exact: 0.2,
    file_meaning: 0.1,
    file_overall: 0.4,
    file_about: 0.35,
    centrality: 0.1,
};

/// Weights for the evidence that only a report has.
pub const REPORT_EVIDENCE: ReportWeights = ReportWeights {
    report: 0.5,
    place: 0.6,
    file_whole: 2.0,
    file_title: 1.5,
    file_prose: 0.9,
    file_code: 0.6,
    title_stem: 0.8,
    prose_stem: 0.5,
    file_chunk: 0.5,
    mentioned: 0.6,
    traced: 1.3,
    title_names: 0.9,
    prose_names: 0.5,
    code_names: 0.5,
    message: 1.0,
};

pub const FACTORS: Factors = Factors {
    test: 0.35,
    example: 0.5,
    legacy: 0.6,
    data: 0.6,
    declaration: 0.9,
    copy: 0.5,
};

/// The factor for each further chunk of one file.
pub const FURTHER_CHUNK: f32 = 0.2;
/// The weight of two query words written as one, `hashmap` for `hash map`; that of a word is 1.
pub const PAIR: f32 = 0.5;
/// The weight of two query words written as one in a file's name.
pub const PAIR_IN_STEM: f32 = 0.2;
/// The evidence for a file beneath a queried path; for the file at the path it is 1.
pub const BENEATH_PATH: f32 = 0.6;
/// The factor of the project's own name, in a question of several words: it is in so much of the project that it says little.
pub const OWN_NAME: f32 = 0.1;
/// The factor of a function without code, such as an abstract method, among those of one name; the more a function calls, the
/// nearer its factor is to 1.
pub const WITHOUT_CODE: f32 = 0.8;
/// The factor of a name that may be a plain word.
pub const UNCERTAIN_NAME: f32 = 0.3;
/// The evidence for a re-export of a name that no file defines.
pub const REEXPORTED_NAME: f32 = 0.6;
/// The factor of a name in another case.
pub const OTHER_CASE: f32 = 0.7;
/// The least rarity of a word, however common it is.
pub const LEAST_RARITY: f32 = 0.3;
