//! The text of `find_callers` and `find_callees`.

use crate::model::calls::{CalleeList, CallerList};

pub fn callers(list: &CallerList) -> String {
    list.root_name.clone()
}

pub fn callees(list: &CalleeList) -> String {
    list.root_name.clone()
}
