//! The text of `rename_symbol`.

use crate::model::rename_symbol::Renaming;

pub fn write(answer: &Renaming) -> String {
    answer.root_name.clone()
}
