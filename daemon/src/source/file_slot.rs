//! The place of one file beneath a root, and of what lies beside it while its content is replaced.
//!
//! Two files of a folder change places in one step where the system can do that, so that there is always a file, and
//! whatever was there, be it what somebody wrote a moment ago, is afterwards under the other name. Elsewhere the file is
//! moved aside first, and the new one put into the gap, which fails if somebody has filled it meanwhile: for an instant
//! there is no file, but nothing is ever overwritten.

use std::io::{self, Read, Write};
use std::path::{Component, Path};

use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::beneath::{RootDir, reading_itself};

/// How two files change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapMethod {
    /// At once, where the file system can.
    Exchange,
    /// By way of a third name.
    Aside,
}

/// What is under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotContent {
    Nothing,
    File(blake3::Hash),
    /// A folder, a link, a pipe, or a file that is too large to be one of ours.
    Other,
}

/// Called before each step that changes something: tests stop or fail there.
pub type StepHook<'a> = &'a dyn Fn(&'static str) -> io::Result<()>;

pub struct FileSlot {
    folder: Dir,
    name: String,
}

/// Names of files that stand beside others while these are replaced. No walk takes them up.
pub fn is_temporary(name: &str) -> bool {
    name.strip_suffix(".tmp")
        .is_some_and(|name| name.starts_with(".claudevil-"))
}

impl FileSlot {
    /// The spot of a path as the walk names it. No file has to be there, but its folder must.
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

    /// A regular file under this name, whole. A link in its place is an error.
    pub fn read(&self, name: &str, most: u64) -> io::Result<(Vec<u8>, Metadata)> {
        let file = self.folder.open_with(name, &reading_itself())?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "not a regular file",
            ));
        }
        let mut bytes = vec![];
        file.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("larger than {most} bytes"),
            ));
        }
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

    /// Why the file may not be changed. Putting another in its place would not ask for its own permission.
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

    /// Makes a file beside ours, with its permissions, on the disk when this returns.
    pub fn create(
        &self,
        name: &str,
        bytes: &[u8],
        like: &Metadata,
        point: StepHook,
    ) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        // Nobody else reads a half of it.
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        point("create")?;
        let mut file = self.folder.open_with(name, &options)?;
        point("fill")?;
        file.write_all(bytes)?;
        #[cfg(unix)]
        own_like(&file, like)?;
        file.set_permissions(like.permissions())?;
        #[cfg(target_os = "linux")]
        self.attributes_like(&file)?;
        file.sync_all()
    }

    /// Access lists and the attributes that a person gave. What the system alone may set it sets by itself.
    #[cfg(target_os = "linux")]
    fn attributes_like(&self, file: &cap_std::fs::File) -> io::Result<()> {
        use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
        let ours = self.folder.open_with(&self.name, &reading_itself())?;
        let mut names = vec![0; 16 << 10];
        // A file system without any says so.
        let Ok(length) = flistxattr(&ours, &mut names) else {
            return Ok(());
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

    /// Has our file and the one beside it change places. `third` is a name for the way by three steps, and is free again
    /// afterwards.
    pub fn swap(
        &self,
        beside: &str,
        third: &str,
        way: SwapMethod,
        point: StepHook,
    ) -> io::Result<()> {
        point("swap")?;
        if way == SwapMethod::Exchange && exchange(&self.folder, &self.name, beside)? {
            return Ok(());
        }
        self.folder.rename(&self.name, &self.folder, third)?;
        point("put")?;
        if let Err(error) = move_into_gap(&self.folder, beside, &self.name) {
            // Back, unless somebody was faster: then it stays for whoever tidies up.
            move_into_gap(&self.folder, third, &self.name)?;
            return Err(error);
        }
        point("third")?;
        move_into_gap(&self.folder, third, beside)
    }

    /// Completes or takes back a change of places that was cut off.
    pub fn finish_swap(&self, beside: &str, third: &str, point: StepHook) -> io::Result<()> {
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
        point("mend")?;
        gap.map_or(Ok(()), |gap| move_into_gap(&self.folder, third, gap))
    }

    /// Gives what is under a name another one, which nothing has.
    pub fn rename(&self, from: &str, to: &str, point: StepHook) -> io::Result<()> {
        point("shift")?;
        move_into_gap(&self.folder, from, to)
    }

    pub fn remove(&self, name: &str, point: StepHook) -> io::Result<()> {
        point("remove")?;
        match self.folder.remove_file(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Puts the folder's names onto the disk.
    pub fn sync(&self) -> io::Result<()> {
        // Elsewhere a folder cannot be opened as a file.
        if cfg!(unix) {
            self.folder.open_with(".", &reading_itself())?.sync_all()
        } else {
            Ok(())
        }
    }
}

/// A file that belongs to another person or group stays theirs, or is not replaced.
#[cfg(unix)]
fn own_like(file: &cap_std::fs::File, like: &Metadata) -> io::Result<()> {
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

/// Whether the file system can do this at all.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(folder: &Dir, one: &str, other: &str) -> io::Result<bool> {
    use rustix::fs::{RenameFlags, renameat_with};
    match renameat_with(folder, one, folder, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(error) if cannot(error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_folder: &Dir, _one: &str, _other: &str) -> io::Result<bool> {
    Ok(false)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn cannot(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error)
}

/// Renames without ever replacing anything.
pub(super) fn move_into_gap(folder: &Dir, from: &str, to: &str) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    match rustix::fs::renameat_with(folder, from, folder, to, rustix::fs::RenameFlags::NOREPLACE) {
        Err(error) if cannot(error) => {}
        other => return Ok(other?),
    }
    match folder.symlink_metadata(to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => folder.rename(from, folder, to),
        Err(error) => Err(error),
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
    }
}
