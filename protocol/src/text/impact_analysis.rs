//! The text of `impact_analysis`.

use crate::model::impact_analysis::Impact;

pub fn write(answer: &Impact) -> String {
    answer.root_name.clone()
}
