//! The text of `deep_dive`.

use crate::model::deep_dive::Dive;

pub fn write(answer: &Dive) -> String {
    answer.root_name.clone()
}
