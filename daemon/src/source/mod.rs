//! Lists, watches and reads the files of a root. Nothing else touches the file system of a root.

pub mod beneath;
pub mod cancel;
pub mod file_slot;
pub mod file_stat;
pub mod git;
pub mod git_dir;
mod git_index;
pub mod globs;
pub mod judge;
pub mod own_folder;
pub mod text;
pub mod walk;
pub mod watch;
