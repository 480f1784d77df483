//! The text of `find_references`.

use crate::model::find_references::References;

pub fn write(answer: &References) -> String {
    answer.root_name.clone()
}
