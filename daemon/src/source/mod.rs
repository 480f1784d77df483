//! The files of a root: which there are, and what is in them. Nothing else touches the file system of a root.

pub mod beneath;
pub mod cancel;
pub mod file_slot;
pub mod git;
pub mod git_dir;
pub mod globs;
pub mod judge;
pub mod own_folder;
pub mod text;
pub mod tracked;
pub mod walk;
pub mod watch;
