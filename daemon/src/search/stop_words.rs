//! English words that say nothing about code.

/// Returns whether a word in lower case is one of them.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Words of questions that say nothing about code, sorted.
const STOP_WORDS: [&str; 100] = [
    "a", "about", "across", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be",
    "been", "before", "being", "between", "by", "can", "could", "did", "do", "does", "done",
    "during", "each", "every", "for", "from", "get", "gets", "had", "has", "have", "he", "here",
    "how", "i", "in", "into", "is", "it", "its", "may", "might", "more", "most", "must", "not",
    "of", "on", "only", "onto", "or", "other", "our", "over", "own", "per", "same", "she",
    "should", "so", "some", "such", "than", "that", "the", "their", "then", "there", "these",
    "they", "this", "those", "to", "under", "use", "used", "uses", "using", "via", "vs", "was",
    "we", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with",
    "within", "without", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }
}
