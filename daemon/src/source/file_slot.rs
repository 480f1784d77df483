//! Replaces one file beneath a root by another in the same folder.
//!
//! If the system can, the two files are exchanged in one step, so that there is always a file, and the old content, even
//! if it was written a moment ago, is afterwards under the other name. Otherwise the file is moved aside first, and the new
//! one is renamed to the free name, which fails if another process has taken it meanwhile: for an instant there is no file, but
//! nothing is overwritten. Only where the system cannot refuse a rename to a name that is taken, as on Windows, a file that
//! appears between the check of the name and the rename is lost.

use std::io::{self, Write};
use std::path::{Component, Path};

use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::beneath::{RootDir, read_at_most, read_options_no_follow};

/// The most bytes of the names of a file's attributes that Linux returns.
#[cfg(target_os = "linux")]
const LONGEST_ATTRIBUTE_LIST: usize = 64 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapMethod {
    /// In one step, if the file system can.
    Exchange,
    /// By means of a third name.
    Aside,
}

/// The content of a name in the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotContent {
    Nothing,
    File(blake3::Hash),
    /// A folder, a symlink, a pipe, or a file that is too large.
    Other,
}

/// Called before each step that changes something, so that tests can stop or fail there.
pub type StepHook<'a> = &'a dyn Fn(&'static str) -> io::Result<()>;

/// The name of a file in an open folder.
pub struct FileSlot {
    folder: Dir,
    name: String,
}

/// Returns whether a name is that of a temporary file of ours, which no walk lists.
pub fn is_temporary(name: &str) -> bool {
    name.strip_suffix(".tmp")
        .is_some_and(|name| name.starts_with(".claudevil-"))
}

impl FileSlot {
    /// Opens the folder of a path as the walk names it. The file need not exist.
    pub fn open(root: &RootDir, relative: &str) -> io::Result<Self> {
        let path = Path::new(relative);
        let is_plain = !relative.is_empty()
            && !relative.contains('\0')
            && path.components().all(|part| match part {
                Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
                _ => false,
            });
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .filter(|_| is_plain && !relative.ends_with('/'));
        let name = name.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                "not a path of a file of the root",
            )
        })?;
        let folder = root.open_folder(path.parent().unwrap_or(Path::new("")))?;
        Ok(Self {
            folder,
            name: name.to_owned(),
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads a regular file of the folder. A symlink in its place is an error.
    pub fn read(&self, name: &str, most: u64) -> io::Result<(Vec<u8>, Metadata)> {
        let file = self.folder.open_with(name, &read_options_no_follow())?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "not a regular file",
            ));
        }
        let bytes = read_at_most(file, found.len(), most).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("larger than {most} bytes"),
            ),
            _ => error,
        })?;
        Ok((bytes, found))
    }

    pub fn inspect(&self, name: &str, most: u64) -> io::Result<SlotContent> {
        match self.folder.symlink_metadata(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(SlotContent::Nothing);
            }
            Err(error) => return Err(error),
            Ok(found) if !found.is_file() => return Ok(SlotContent::Other),
            Ok(_) => {}
        }
        match self.read(name, most) {
            Ok((bytes, _)) => Ok(SlotContent::File(blake3::hash(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(SlotContent::Nothing),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(SlotContent::Other),
            Err(error) => Err(error),
        }
    }

    /// Fails if the file is read-only, because replacing it does not check its permissions.
    #[cfg(unix)]
    pub fn check_writable(&self) -> io::Result<()> {
        use rustix::fs::{Access, AtFlags, accessat};
        Ok(accessat(
            &self.folder,
            self.name.as_str(),
            Access::WRITE_OK,
            AtFlags::EACCESS,
        )?)
    }

    #[cfg(not(unix))]
    pub fn check_writable(&self) -> io::Result<()> {
        let found = self.folder.symlink_metadata(&self.name)?;
        if found.permissions().readonly() {
            Err(io::ErrorKind::PermissionDenied.into())
        } else {
            Ok(())
        }
    }

    /// Creates a file in the folder, with the owner, permissions and attributes of the slot's file, and syncs it to disk.
    pub fn create(
        &self,
        name: &str,
        bytes: &[u8],
        like: &Metadata,
        hook: StepHook,
    ) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        // No other user may read it before it is complete.
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        hook("create")?;
        let mut file = self.folder.open_with(name, &options)?;
        hook("fill")?;
        file.write_all(bytes)?;
        #[cfg(unix)]
        copy_owner(&file, like)?;
        file.set_permissions(like.permissions())?;
        #[cfg(target_os = "linux")]
        self.copy_attributes(&file)?;
        file.sync_all()
    }

    /// Copies access lists and `user.` attributes. The system sets all others itself.
    #[cfg(target_os = "linux")]
    fn copy_attributes(&self, file: &cap_std::fs::File) -> io::Result<()> {
        use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
        let ours = self
            .folder
            .open_with(&self.name, &read_options_no_follow())?;
        let mut names = vec![0; LONGEST_ATTRIBUTE_LIST];
        let length = match flistxattr(&ours, &mut names) {
            Ok(length) => length,
            // The file system has no attributes.
            Err(error) if is_unsupported(error) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        for name in names[..length].split(|byte| *byte == 0) {
            if !(name.starts_with(b"user.") || name == b"system.posix_acl_access") {
                continue;
            }
            let mut value = vec![0; 64 << 10];
            let length = fgetxattr(&ours, name, &mut value)?;
            fsetxattr(file, name, &value[..length], XattrFlags::empty())?;
        }
        Ok(())
    }

    /// Swaps our file with `beside`. `third` is a free name for [`SwapMethod::Aside`], and free again afterwards.
    pub fn swap(
        &self,
        beside: &str,
        third: &str,
        method: SwapMethod,
        hook: StepHook,
    ) -> io::Result<()> {
        hook("swap")?;
        if method == SwapMethod::Exchange && exchange(&self.folder, &self.name, beside)? {
            return Ok(());
        }
        self.folder.rename(&self.name, &self.folder, third)?;
        hook("put")?;
        if let Err(error) = rename_to_free(&self.folder, beside, &self.name) {
            // Undone, unless the name was taken meanwhile: then the recovery handles it.
            rename_to_free(&self.folder, third, &self.name)?;
            return Err(error);
        }
        hook("third")?;
        rename_to_free(&self.folder, third, beside)
    }

    /// Completes or undoes a swap that was interrupted.
    pub fn finish_swap(&self, beside: &str, third: &str, hook: StepHook) -> io::Result<()> {
        let is_there = |name: &str| self.folder.symlink_metadata(name).is_ok();
        if !is_there(third) {
            return Ok(());
        }
        let gap = if is_there(&self.name) {
            None
        } else {
            Some(self.name.as_str())
        };
        let gap = gap.or_else(|| (!is_there(beside)).then_some(beside));
        hook("mend")?;
        gap.map_or(Ok(()), |gap| rename_to_free(&self.folder, third, gap))
    }

    /// Renames a file of the folder to a name that is free.
    pub fn rename(&self, from: &str, to: &str, hook: StepHook) -> io::Result<()> {
        hook("shift")?;
        rename_to_free(&self.folder, from, to)
    }

    pub fn remove(&self, name: &str, hook: StepHook) -> io::Result<()> {
        hook("remove")?;
        match self.folder.remove_file(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    pub fn sync(&self) -> io::Result<()> {
        sync_folder(&self.folder)
    }
}

/// Gives a file the owner and group of another, or fails.
#[cfg(unix)]
fn copy_owner(file: &cap_std::fs::File, like: &Metadata) -> io::Result<()> {
    use cap_std::fs::MetadataExt;
    use rustix::fs::{Gid, Uid, fchown};
    let made = file.metadata()?;
    let owner = (made.uid() != like.uid()).then(|| Uid::from_raw(like.uid()));
    let group = (made.gid() != like.gid()).then(|| Gid::from_raw(like.gid()));
    if owner.is_some() || group.is_some() {
        fchown(file, owner, group)?;
    }
    Ok(())
}

/// Exchanges two names. Returns false if the file system cannot.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(folder: &Dir, one: &str, other: &str) -> io::Result<bool> {
    use rustix::fs::{RenameFlags, renameat_with};
    match renameat_with(folder, one, folder, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(error) if is_unsupported(error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_folder: &Dir, _one: &str, _other: &str) -> io::Result<bool> {
    Ok(false)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn is_unsupported(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error)
}

/// Syncs the names of a folder to disk.
pub(super) fn sync_folder(folder: &Dir) -> io::Result<()> {
    // On other systems a folder cannot be opened as a file.
    if cfg!(unix) {
        folder.open_with(".", &read_options_no_follow())?.sync_all()
    } else {
        Ok(())
    }
}

/// Renames without replacing anything. If the system cannot do that in one step, a file that appears after the check is
/// replaced.
pub(super) fn rename_to_free(folder: &Dir, from: &str, to: &str) -> io::Result<()> {
    if rename_in_one_step(folder, from, to)? {
        return Ok(());
    }
    match folder.symlink_metadata(to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => folder.rename(from, folder, to),
        Err(error) => Err(error),
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
    }
}

/// Gives a new file its free name without replacing anything. Unlike [`rename_to_free`] it needs no check before a rename, but
/// a crash may leave the temporary name beside the new one.
pub(super) fn publish(folder: &Dir, temporary: &str, name: &str) -> io::Result<()> {
    if rename_in_one_step(folder, temporary, name)? {
        return Ok(());
    }
    match link_to_free(folder, temporary, name) {
        // The file system has no hard links.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            rename_to_free(folder, temporary, name)
        }
        linked => linked,
    }
}

/// Moves a file by a hard link, which never replaces anything.
pub(super) fn link_to_free(folder: &Dir, from: &str, to: &str) -> io::Result<()> {
    folder.hard_link(from, folder, to)?;
    // A temporary file that stays is removed when it is old.
    let _ = folder.remove_file(from);
    Ok(())
}

/// Renames without replacing anything. Returns false if the system cannot.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename_in_one_step(folder: &Dir, from: &str, to: &str) -> io::Result<bool> {
    use rustix::fs::{RenameFlags, renameat_with};
    match renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(error) if is_unsupported(error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn rename_in_one_step(_folder: &Dir, _from: &str, _to: &str) -> io::Result<bool> {
    Ok(false)
}
