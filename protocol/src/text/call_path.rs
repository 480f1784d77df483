//! The text of `call_path`.

use crate::model::call_path::CallChains;

pub fn write(answer: &CallChains) -> String {
    answer.root_name.clone()
}
