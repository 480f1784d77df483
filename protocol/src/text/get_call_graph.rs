//! The text of `get_call_graph`.

use crate::model::get_call_graph::CallGraph;

pub fn write(answer: &CallGraph) -> String {
    answer.root_name.clone()
}
