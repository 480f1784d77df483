//! Finds the words of a query that may name a file or a line of it: `src/main.rs`, `main.rs:12`, `lib/a.rb:3:7`.
//!
//! A snapshot decides if there is such a file.

/// A word that may name a file, and the line after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueriedLocation {
    /// With `/` between its parts, and without `./` before them.
    pub path: String,
    pub line: Option<u32>,
}

/// The part of a file's path that a location names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathMatch {
    /// The location is the end of the path: `main.rs` of `src/main.rs`.
    End,
    /// The location is the whole path, of so many parts, or an absolute path that ends with it.
    Whole(usize),
}

impl QueriedLocation {
    /// Returns the words of a query that have an extension, or a line after them.
    pub fn find(query: &str) -> Vec<Self> {
        let mut found: Vec<Self> = vec![];
        for location in query.split_whitespace().filter_map(Self::parse) {
            if !found.contains(&location) {
                found.push(location);
            }
        }
        found
    }

    fn parse(word: &str) -> Option<Self> {
        let word = word
            .trim_start_matches(OPENING)
            .trim_end_matches(|sign: char| OPENING.contains(&sign) || CLOSING.contains(&sign));
        let (path, line) = split_line(word);
        let path = path.replace('\\', "/");
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let name = path.rsplit('/').next()?;
        let has_extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty()
                && !extension.is_empty()
                && extension
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric())
        });
        let may_be_file = has_extension || line.is_some() && !name.is_empty();
        (may_be_file && !path.contains("::")).then(|| Self {
            path: path.to_owned(),
            line,
        })
    }

    /// Compares the location with the path of a file, part by part from the end, in any case.
    pub fn matches(&self, path: &str) -> Option<PathMatch> {
        let own = || self.path.split('/').filter(|part| !part.is_empty());
        let common = own()
            .rev()
            .zip(path.rsplit('/'))
            .take_while(|(own, part)| own.eq_ignore_ascii_case(part))
            .count();
        // Nearly all paths: a query is compared with every file of its project.
        if common == 0 {
            return None;
        }
        let (of_own, of_path) = (own().count(), path.split('/').count());
        let is_absolute = self.path.starts_with('/') || self.path.contains(":/");
        if common == of_path && (is_absolute || common == of_own) {
            Some(PathMatch::Whole(of_path))
        } else if common == of_own {
            Some(PathMatch::End)
        } else {
            None
        }
    }
}

const OPENING: [char; 7] = ['`', '"', '\'', '(', '[', '<', '{'];
const CLOSING: [char; 10] = [')', ']', '>', '}', ',', ';', '?', '!', '.', ':'];

/// Splits the line number off a path: `a.rs:12`, `a.rs:12:7`, `a.rs:12-20`, `a.rs#L12`, `a.php(12`.
fn split_line(word: &str) -> (&str, Option<u32>) {
    let number = |text: &str| {
        let digits = text.trim_start_matches('L');
        let end = digits
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(digits.len());
        let rest = &digits[end..];
        let is_range = rest.is_empty() || rest.starts_with([':', '-']);
        digits[..end].parse().ok().filter(|_| is_range)
    };
    let numbered = word.match_indices([':', '#', '(']).find_map(|(at, _)| {
        let line: u32 = number(&word[at + 1..])?;
        Some((&word[..at], line))
    });
    match numbered {
        Some((path, line)) => (path, Some(line)),
        None => (word, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_an_extension_or_a_line_may_name_files() {
        let found = |query: &str| {
            let all = QueriedLocation::find(query).into_iter();
            all.map(|one| (one.path, one.line)).collect::<Vec<_>>()
        };
        for (query, path, line) in [
            ("src/main.rs", "src/main.rs", None),
            ("./main.rs:12", "main.rs", Some(12)),
            ("why does `lib/a.rb:3:7` fail?", "lib/a.rb", Some(3)),
            ("src\\engine.cs(12): error", "src/engine.cs", Some(12)),
            ("see a/b.ts#L7.", "a/b.ts", Some(7)),
            ("a/b.ts:7-9", "a/b.ts", Some(7)),
            ("docker/Dockerfile:3", "docker/Dockerfile", Some(3)),
            ("/home/me/x/a.go:1", "/home/me/x/a.go", Some(1)),
        ] {
            assert_eq!(found(query), [(path.to_owned(), line)], "{query}");
        }
        for query in [
            "parse",
            "Foo::bar",
            "std::fs:3",
            "a/b",
            "is it so? yes.",
            "1:2",
        ] {
            let is_number = |(path, _): &(String, _)| path == "1";
            assert!(found(query).iter().all(is_number), "{query}");
        }
    }

    #[test]
    fn a_location_is_the_end_of_a_path_or_ends_with_it() {
        let matched = |location: &str, path: &str| QueriedLocation::find(location)[0].matches(path);
        for (location, path, expected) in [
            ("src/main.rs", "src/main.rs", Some(PathMatch::Whole(2))),
            ("main.rs", "src/main.rs", Some(PathMatch::End)),
            ("Main.rs", "src/main.rs", Some(PathMatch::End)),
            (
                "/home/me/shop/src/main.rs",
                "src/main.rs",
                Some(PathMatch::Whole(2)),
            ),
            ("other/main.rs", "src/main.rs", None),
            ("other/main.rs", "main.rs", None),
            ("ain.rs", "src/main.rs", None),
        ] {
            assert_eq!(matched(location, path), expected, "{location} {path}");
        }
    }
}
