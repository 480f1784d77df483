//! The text of `explore`.

use crate::model::explore::Exploration;

pub fn write(answer: &Exploration) -> String {
    answer.root_name.clone()
}
