//! Paths within a root: text, with slashes on every system.

pub use crate::source::walk::join;

/// Returns the folder of a path; empty for a file of the root itself.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Resolves a path that is relative to a folder, with `.` and `..`. None if it leads out of the root.
pub fn normal(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_worked_out() {
        assert_eq!(normal("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(normal("", "./x").as_deref(), Some("x"));
        assert_eq!(normal("a", "../../x"), None);
        assert_eq!(join(folder("x"), "y"), "y");
        assert_eq!(join(folder("a/x"), "y"), "a/y");
    }
}
