//! A folder of the host → the files and folders below it, opened so that no link leads out: a path is opened part by part, and none of
//! its parts may be a link. Where the parts come from a path without links, a link that somebody puts there meanwhile is refused.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, fstat, openat};

use crate::Refused;
use crate::gitignore::Rules;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// A pipe that nobody writes to is opened at once, and refused.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Files that say what is left out, the later before the earlier.
const IGNORES: [&str; 2] = [".gitignore", ".ignore"];

/// Most bytes of such a file.
const LARGEST_IGNORE: u64 = 1 << 20;

/// What stands in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    pub(crate) is_folder: bool,
}

/// A folder that is open, and what its rules and those above leave out.
pub struct Folder {
    fd: OwnedFd,
    /// From the folder that was opened first; empty for that itself.
    path: PathBuf,
    rules: Vec<Rules>,
    above: Option<Arc<Folder>>,
}

/// What a path names.
pub(crate) enum Place {
    Folder(Arc<Folder>),
    File(File, u64),
}

impl Folder {
    /// Opens the folder below which everything lies that may be read.
    pub fn open(path: &Path) -> Result<Arc<Self>, Refused> {
        let flags = FOLDER.difference(OFlags::NOFOLLOW);
        let fd = openat(CWD, path, flags, Mode::empty());
        let fd = fd.map_err(|error| Refused::new(format!("cannot open the folder {}: {error}", path.display())))?;
        Ok(Arc::new(Self { rules: rules(&fd), fd, path: PathBuf::new(), above: None }))
    }

    /// Returns the path from the folder that was opened first.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder in this one.
    pub(crate) fn enter(self: &Arc<Self>, name: &[u8]) -> io::Result<Arc<Self>> {
        let fd = openat(&self.fd, name, FOLDER, Mode::empty())?;
        let path = self.path.join(OsStr::from_bytes(name));
        Ok(Arc::new(Self { rules: rules(&fd), fd, path, above: Some(Arc::clone(self)) }))
    }

    /// Opens a regular file in this folder; also returns its size.
    pub(crate) fn file(&self, name: &[u8]) -> io::Result<(File, u64)> {
        let file = openat(&self.fd, name, FILE, Mode::empty())?;
        let stat = fstat(&file)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok((File::from(file), u64::try_from(stat.st_size).unwrap_or_default())),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a device or a pipe, not a regular file")),
        }
    }

    /// Opens what a path names, which has no links and no `..` in it.
    pub(crate) fn find(self: &Arc<Self>, path: &Path) -> Result<Place, Refused> {
        let refused = |error: io::Error| Refused::new(format!("cannot read {}: {error}", path.display()));
        let parts: Vec<&[u8]> = path
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name.as_bytes()),
                _ => None,
            })
            .collect();
        let Some((last, above)) = parts.split_last() else { return Ok(Place::Folder(Arc::clone(self))) };
        let folder = above.iter().try_fold(Arc::clone(self), |folder, name| folder.enter(name)).map_err(refused)?;
        if let Ok(inner) = folder.enter(last) {
            return Ok(Place::Folder(inner));
        }
        folder.file(last).map(|(file, size)| Place::File(file, size)).map_err(refused)
    }

    /// Returns what stands in the folder by name, without links, devices and what is named `.git`.
    pub(crate) fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.fd)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            let is_folder = match entry.file_type() {
                FileType::Directory if !matches!(name, b"." | b".." | b".git") => true,
                FileType::RegularFile => false,
                FileType::Unknown if !matches!(name, b"." | b".." | b".git") => self.enters(name),
                _ => continue,
            };
            entries.push(Entry { name: name.to_vec(), is_folder });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// Tells of an entry, whose file system does not say it, whether it is a folder.
    fn enters(&self, name: &[u8]) -> bool {
        openat(&self.fd, name, FOLDER, Mode::empty()).is_ok()
    }

    /// Tells whether an entry of the folder is left out by the rules of this folder, or of one above.
    pub(crate) fn leaves_out(&self, entry: &Entry) -> bool {
        let mut path = entry.name.clone();
        let mut folder = self;
        loop {
            let decided = folder.rules.iter().rev().find_map(|rules| rules.decide(&path, entry.is_folder));
            match (decided, &folder.above) {
                (Some(decided), _) => return decided,
                (None, None) => return false,
                (None, Some(above)) => {
                    let name = folder.path.file_name().unwrap_or_default().as_bytes();
                    path = [name, b"/", &path].concat();
                    folder = above;
                }
            }
        }
    }
}

/// Reads the rules that stand in a folder.
fn rules(folder: &OwnedFd) -> Vec<Rules> {
    let read = |name: &&str| {
        let file = File::from(openat(folder, *name, FILE, Mode::empty()).ok()?);
        if !file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= LARGEST_IGNORE) {
            return None;
        }
        Rules::read(&String::from_utf8_lossy(&read_whole(file)?))
    };
    IGNORES.iter().filter_map(read).collect()
}

fn read_whole(mut file: File) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut file, &mut bytes).ok()?;
    Some(bytes)
}
