//! The text of `find_implementations`.

use crate::model::find_implementations::Implementations;

pub fn write(answer: &Implementations) -> String {
    answer.root_name.clone()
}
