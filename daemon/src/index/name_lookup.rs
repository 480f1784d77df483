//! Finds the files that contain a name, by the text index: the trigram filter of a file alone lets too many through.

use tantivy::schema::IndexRecordOption;
use tantivy::{TantivyError, Term};

use super::snapshot::Snapshot;
use crate::extract::trigrams::FilterPosition;
use crate::store::text::{self, TextView};

/// Returns the positions of the files that may contain a name: all that do, and few others.
pub fn files_with_name(snapshot: &Snapshot, name: &str) -> Vec<u32> {
    let places: Vec<FilterPosition> = name
        .as_bytes()
        .windows(3)
        .map(|run| FilterPosition::new([run[0], run[1], run[2]]))
        .collect();
    let by_text = snapshot
        .text
        .as_ref()
        .and_then(|view| files_with_rarest_word(snapshot, view, name).ok().flatten());
    let may_have = |file: &u32| {
        let outline = &snapshot.files[*file as usize].outline;
        places.iter().all(|place| outline.trigrams.may_have(*place))
    };
    match by_text {
        Some(files) => (0..)
            .zip(files)
            .filter_map(|(file, has)| has.then_some(file))
            .filter(may_have)
            .collect(),
        None => (0..).take(snapshot.files.len()).filter(may_have).collect(),
    }
}

/// Returns for each file whether it contains the rarest word of a name. None if the text index has no word of it.
fn files_with_rarest_word(
    snapshot: &Snapshot,
    view: &TextView,
    name: &str,
) -> Result<Option<Vec<bool>>, TantivyError> {
    let segments = view.segments()?;
    let body = text::fields().body;
    let mut rarest: Option<(u32, Term)> = None;
    for word in text::words(name)
        .map(|(_, word)| word)
        .filter(|word| text::is_indexed(word))
    {
        let term = Term::from_field_text(body, &word.to_lowercase());
        let mut documents = 0;
        for segment in segments {
            documents += segment
                .body
                .get_term_info(&term)?
                .map_or(0, |info| info.doc_freq);
        }
        if rarest
            .as_ref()
            .is_none_or(|(fewest, _)| documents < *fewest)
        {
            rarest = Some((documents, term));
        }
    }
    let Some((_, term)) = rarest else {
        return Ok(None);
    };
    let mut files = vec![false; snapshot.files.len()];
    // The text index may lack these files.
    for file in snapshot.doubtful() {
        files[*file] = true;
    }
    for segment in segments {
        let Some(info) = segment.body.get_term_info(&term)? else {
            continue;
        };
        let mut postings = segment
            .body
            .read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
        let mut last = None;
        while postings.block_len() > 0 {
            for doc in postings.docs() {
                // The chunks of a file are adjacent.
                let number = segment.file.first(*doc);
                if number != last
                    && let Some(file) = number.and_then(|number| snapshot.by_number(number))
                {
                    files[file] = true;
                }
                last = number;
            }
            postings.advance();
        }
    }
    Ok(Some(files))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extract::{ChunkSizes, extract};
    use crate::index::snapshot::IndexedFile;
    use crate::lang;
    use crate::store::ledger::record::{FactsKey, FileRecord, FileState};
    use crate::store::text::{TextIndex, WriterSize};

    #[test]
    fn all_files_with_a_name_are_found_and_few_others() {
        let long = "l".repeat(200);
        let names = [
            "plain",
            "größe",
            "is_it?",
            "$cash",
            "_hidden",
            "r#type",
            "a.b",
            "+=",
            "x",
            long.as_str(),
        ];
        let texts: Vec<String> = names
            .iter()
            .map(|name| format!("before\n  call({name})\n"))
            .collect();
        let near: String = names
            .iter()
            .map(|name| format!("call(in{name}side)\n"))
            .collect();
        let scratch = tempfile::tempdir().expect("a directory");
        let mut index = TextIndex::open(scratch.path()).expect("opened");
        let mut writer = index.writer(WriterSize::Small).expect("a writer");
        let mut files = vec![];
        for (number, text) in texts.iter().chain([&near]).enumerate() {
            let outline =
                Arc::new(extract(lang::by_name("text"), text, ChunkSizes::default()).outline);
            let path = format!("{number:02}");
            writer.put(&path, &outline, text).expect("put");
            let state = FileState::Indexed(FactsKey([0; 16]));
            let record = FileRecord {
                stamp: 1,
                ..FileRecord::with_state(state)
            };
            files.push(Arc::new(IndexedFile::new(path, record, None, outline)));
        }
        writer.commit(1).expect("committed");
        index.reload(1).expect("reloaded");
        let snapshot = Snapshot::new(files, 1, Some(index.view()));
        let near = u32::try_from(names.len()).expect("few");
        for (file, name) in (0..).zip(names) {
            assert!(files_with_name(&snapshot, name).contains(&file), "{name}");
        }
        assert_eq!(files_with_name(&snapshot, "plain"), [0]);

        // Files that the text index may lack are checked by their trigram filters.
        let mut files = snapshot.files.clone();
        Arc::make_mut(&mut files[names.len()]).record.stamp = 0;
        let doubted = Snapshot::new(files, 1, snapshot.text.clone());
        assert_eq!(files_with_name(&doubted, "plain"), [0, near]);
        let without = Snapshot::new(snapshot.files.clone(), 1, None);
        assert_eq!(files_with_name(&without, "plain"), [0, near]);
    }
}
