//! The virtual phone's files: a tree in memory, writable under `/sdcard` and `/data/local/tmp` only.
//!
//! Paths are absolute and clean (see [`clean`]); knows nothing of shells or sync.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use super::faults;

/// Bytes that all files may hold together.
const CAPACITY: usize = 256 << 20;
/// Files and folders that may be there at the same time.
const NODES: usize = 20_000;
const LONGEST_NAME: usize = 255;
const LONGEST_PATH: usize = 1024;
/// Where files may be written.
const WRITABLE: [&str; 2] = ["/sdcard", "/data/local/tmp"];
/// Other names of `/sdcard`, as Android links them.
const SDCARD: [&str; 3] = ["/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard"];
const FOLDERS: [&str; 21] = [
    "/",
    "/data",
    "/data/app",
    "/data/data",
    "/data/local",
    "/data/local/tmp",
    "/dev",
    "/proc",
    "/sdcard",
    "/sdcard/Android",
    "/sdcard/DCIM",
    "/sdcard/Documents",
    "/sdcard/Download",
    "/sdcard/Movies",
    "/sdcard/Music",
    "/sdcard/Pictures",
    "/storage",
    "/system",
    "/system/app",
    "/system/bin",
    "/vendor",
];

/// Why a file operation failed, in the words of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Errno {
    #[error("No such file or directory")]
    NotFound,
    #[error("File exists")]
    Exists,
    #[error("Not a directory")]
    NotFolder,
    #[error("Is a directory")]
    IsFolder,
    #[error("Permission denied")]
    Permission,
    #[error("Read-only file system")]
    ReadOnly,
    #[error("No space left on device")]
    NoSpace,
    #[error("Directory not empty")]
    NotEmpty,
    #[error("File name too long")]
    TooLong,
    #[error("Invalid argument")]
    Invalid,
}

impl Errno {
    /// Returns Linux's number.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::NotFound => 2,
            Self::Permission => 13,
            Self::Exists => 17,
            Self::NotFolder => 20,
            Self::IsFolder => 21,
            Self::Invalid => 22,
            Self::NoSpace => 28,
            Self::ReadOnly => 30,
            Self::TooLong => 36,
            Self::NotEmpty => 39,
        }
    }
}

/// A file or a folder.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// `None` for a folder; shared with whoever reads it while it changes.
    pub(super) content: Option<Arc<Vec<u8>>>,
    /// Permission bits.
    pub(super) mode: u32,
    /// Seconds since 1970.
    pub(super) modified: i64,
}

impl Node {
    pub(super) fn is_folder(&self) -> bool {
        self.content.is_none()
    }

    /// Bytes.
    pub(super) fn size(&self) -> usize {
        self.content.as_ref().map_or(4096, |content| content.len())
    }

    /// Kind and permissions, as in `st_mode`.
    pub(super) fn st_mode(&self) -> u32 {
        self.mode | if self.is_folder() { 0o040_000 } else { 0o100_000 }
    }
}

/// The files, shared by everybody who serves the phone.
#[derive(Clone)]
pub(super) struct SharedFiles(Arc<Mutex<Files>>);

impl SharedFiles {
    pub(super) fn new(now: i64) -> Self {
        Self(Arc::new(Mutex::new(Files::new(now))))
    }

    /// Locks them; never across an `await`.
    pub(super) fn lock(&self) -> MutexGuard<'_, Files> {
        self.0.lock()
    }
}

pub(super) struct Files {
    nodes: BTreeMap<String, Node>,
    used: usize,
    now: i64,
}

impl Files {
    fn new(now: i64) -> Self {
        let folder = |path: &&str| {
            let mode = if writable(path).is_ok() { 0o771 } else { 0o755 };
            ((*path).to_owned(), Node { content: None, mode, modified: now })
        };
        let mut nodes: BTreeMap<_, _> = FOLDERS.iter().map(folder).collect();
        let null = Node { content: Some(Arc::default()), mode: 0o666, modified: now };
        nodes.insert("/dev/null".to_owned(), null);
        Self { nodes, used: 0, now }
    }

    /// Sets the time that changes get from now on, in seconds since 1970.
    pub(super) fn set_now(&mut self, now: i64) {
        self.now = now;
    }

    pub(super) fn get(&self, path: &str) -> Result<&Node, Errno> {
        match self.nodes.get(path) {
            Some(node) => Ok(node),
            None if self.nodes.get(parent(path)).is_some_and(|node| !node.is_folder()) => Err(Errno::NotFolder),
            None => Err(Errno::NotFound),
        }
    }

    pub(super) fn read(&self, path: &str) -> Result<Arc<Vec<u8>>, Errno> {
        self.get(path)?.content.clone().ok_or(Errno::IsFolder)
    }

    /// Returns what lies in a folder, by name.
    pub(super) fn list(&self, path: &str) -> Result<Vec<(&str, &Node)>, Errno> {
        if !self.get(path)?.is_folder() {
            return Err(Errno::NotFolder);
        }
        let prefix = if path == "/" { "/".to_owned() } else { format!("{path}/") };
        let inside = self.nodes.range(prefix.clone()..).take_while(|(child, _)| child.starts_with(&prefix));
        Ok(inside
            .filter_map(|(child, node)| Some((child.get(prefix.len()..)?, node)))
            .filter(|(name, _)| !name.is_empty() && !name.contains('/'))
            .collect())
    }

    /// Returns every path, in order.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.nodes.keys().map(String::as_str)
    }

    /// Bytes in all files.
    pub(super) fn used(&self) -> usize {
        if self.is_full("/") { CAPACITY } else { self.used }
    }

    pub(super) fn capacity() -> usize {
        CAPACITY
    }

    /// Returns what stands in a fault's file; `None` where it is empty or not there.
    pub(super) fn fault(&self, name: &str) -> Option<String> {
        faults::script(&self.read(&faults::path(name)?).ok()?)
    }

    /// Tells whether nothing more fits on the phone, other than faults.
    fn is_full(&self, path: &str) -> bool {
        !faults::is_fault(path) && self.fault(faults::FULL).is_some()
    }

    /// Makes an empty file, or empties one.
    pub(super) fn create(&mut self, path: &str, mode: u32) -> Result<(), Errno> {
        if path == "/dev/null" {
            return Ok(());
        }
        writable(path)?;
        match self.nodes.get(path) {
            Some(node) if node.is_folder() => return Err(Errno::IsFolder),
            Some(node) => self.used -= node.size(),
            None => self.room_for(path)?,
        }
        let node = Node { content: Some(Arc::default()), mode: mode & 0o777, modified: self.now };
        self.nodes.insert(path.to_owned(), node);
        Ok(())
    }

    /// Adds to the end of a file, which is made where it is missing.
    pub(super) fn append(&mut self, path: &str, bytes: &[u8]) -> Result<(), Errno> {
        if path == "/dev/null" {
            return Ok(());
        }
        writable(path)?;
        if !self.nodes.contains_key(path) {
            self.create(path, 0o660)?;
        }
        if bytes.len() > CAPACITY - self.used || self.is_full(path) && !bytes.is_empty() {
            return Err(Errno::NoSpace);
        }
        let node = self.nodes.get_mut(path).ok_or(Errno::NotFound)?;
        Arc::make_mut(node.content.as_mut().ok_or(Errno::IsFolder)?).extend_from_slice(bytes);
        node.modified = self.now;
        self.used += bytes.len();
        Ok(())
    }

    /// Sets when a file was changed, in seconds since 1970.
    pub(super) fn set_modified(&mut self, path: &str, modified: i64) {
        if let Some(node) = self.nodes.get_mut(path) {
            node.modified = modified;
        }
    }

    /// Sets the permission bits of a file or a folder that may be changed.
    pub(super) fn set_mode(&mut self, path: &str, mode: u32) -> Result<(), Errno> {
        self.get(path)?;
        removable(path)?;
        if let Some(node) = self.nodes.get_mut(path) {
            node.mode = mode & 0o777;
        }
        Ok(())
    }

    pub(super) fn make_folder(&mut self, path: &str) -> Result<(), Errno> {
        if self.nodes.contains_key(path) {
            return Err(Errno::Exists);
        }
        writable(path)?;
        self.room_for(path)?;
        self.nodes.insert(path.to_owned(), Node { content: None, mode: 0o770, modified: self.now });
        Ok(())
    }

    /// Makes a folder and those above it; fails where a file is in the way.
    pub(super) fn make_folders(&mut self, path: &str) -> Result<(), Errno> {
        for (end, _) in path.match_indices('/').skip(1).chain([(path.len(), "")]) {
            match self.make_folder(&path[..end]) {
                Err(Errno::Exists) if self.get(&path[..end])?.is_folder() => {}
                other => other?,
            }
        }
        Ok(())
    }

    /// Removes a file or an empty folder.
    pub(super) fn remove(&mut self, path: &str) -> Result<(), Errno> {
        let node = self.get(path)?;
        removable(path)?;
        if node.is_folder() && !self.list(path)?.is_empty() {
            return Err(Errno::NotEmpty);
        }
        if let Some(Node { content: Some(content), .. }) = self.nodes.remove(path) {
            self.used -= content.len();
        }
        Ok(())
    }

    /// Removes a file, or a folder and everything in it.
    pub(super) fn remove_all(&mut self, path: &str) -> Result<(), Errno> {
        self.get(path)?;
        removable(path)?;
        for path in self.tree(path) {
            if let Some(Node { content: Some(content), .. }) = self.nodes.remove(&path) {
                self.used -= content.len();
            }
        }
        Ok(())
    }

    /// Moves a file or a folder; replaces a file that is there.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<(), Errno> {
        let is_folder = self.get(from)?.is_folder();
        removable(from)?;
        writable(to)?;
        if to == from {
            return Ok(());
        }
        if to.starts_with(&format!("{from}/")) {
            return Err(Errno::Invalid);
        }
        match self.nodes.get(to) {
            Some(node) if node.is_folder() => return Err(if is_folder { Errno::NotEmpty } else { Errno::IsFolder }),
            Some(_) if is_folder => return Err(Errno::NotFolder),
            Some(_) => self.remove(to)?,
            None => self.room_for(to)?,
        }
        for path in self.tree(from) {
            if let Some(node) = self.nodes.remove(&path) {
                self.nodes.insert(format!("{to}{}", &path[from.len()..]), node);
            }
        }
        Ok(())
    }

    /// Returns a path and everything below it.
    fn tree(&self, path: &str) -> Vec<String> {
        let prefix = format!("{path}/");
        let below = self.nodes.range(prefix.clone()..).take_while(|(child, _)| child.starts_with(&prefix));
        [path.to_owned()].into_iter().chain(below.map(|(child, _)| child.clone())).collect()
    }

    /// Checks that a new node may stand at this path.
    fn room_for(&self, path: &str) -> Result<(), Errno> {
        let name = path.rsplit('/').next().unwrap_or_default();
        if name.len() > LONGEST_NAME || path.len() > LONGEST_PATH {
            return Err(Errno::TooLong);
        }
        if !self.get(parent(path))?.is_folder() {
            return Err(Errno::NotFolder);
        }
        if self.nodes.len() >= NODES { Err(Errno::NoSpace) } else { Ok(()) }
    }
}

/// Returns the folder that a clean path lies in.
pub(super) fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(end) => &path[..end],
    }
}

/// Joins a path to the folder it is relative to and takes out `.`, `..` and doubled slashes.
pub(super) fn clean(folder: &str, path: &str) -> String {
    let joined = if path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let clean = format!("/{}", parts.join("/"));
    for alias in SDCARD {
        if let Some(rest) = clean.strip_prefix(alias)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return format!("/sdcard{rest}");
        }
    }
    clean
}

fn writable(path: &str) -> Result<(), Errno> {
    let below = |root: &&str| path.strip_prefix(*root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if WRITABLE.iter().any(below) {
        return Ok(());
    }
    let kept = ["/data", "/dev", "/proc", "/storage"].iter().any(below);
    Err(if kept { Errno::Permission } else { Errno::ReadOnly })
}

fn removable(path: &str) -> Result<(), Errno> {
    if WRITABLE.contains(&path) { Err(Errno::Permission) } else { writable(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_clean() {
        assert_eq!(clean("/sdcard", "a/../b//c/."), "/sdcard/b/c");
        assert_eq!(clean("/", "../../x"), "/x");
        assert_eq!(clean("/", "/storage/emulated/0/DCIM"), "/sdcard/DCIM");
        assert_eq!(clean("/", "/storage/emulated/01"), "/storage/emulated/01");
    }

    #[test]
    fn only_two_places_are_writable() {
        let mut files = Files::new(0);
        assert_eq!(files.create("/system/bin/su", 0o755), Err(Errno::ReadOnly));
        assert_eq!(files.create("/data/x", 0o644), Err(Errno::Permission));
        assert_eq!(files.create("/sdcard/a/b", 0o644), Err(Errno::NotFound));
        assert_eq!(files.create("/sdcard/a", 0o644), Ok(()));
        assert_eq!(files.create("/sdcard/a/b", 0o644), Err(Errno::NotFolder));
        assert_eq!(files.remove_all("/sdcard"), Err(Errno::Permission));
    }

    #[test]
    fn space_is_bounded_and_comes_back() {
        let mut files = Files::new(0);
        let half = vec![0; CAPACITY / 2];
        files.append("/sdcard/a", &half).unwrap();
        files.append("/sdcard/b", &half).unwrap();
        assert_eq!(files.append("/sdcard/c", b"x"), Err(Errno::NoSpace));
        files.remove("/sdcard/a").unwrap();
        files.create("/sdcard/b", 0o644).unwrap();
        assert_eq!(files.used(), 0);
    }

    #[test]
    fn folders_move_with_what_they_hold() {
        let mut files = Files::new(0);
        files.make_folders("/sdcard/a/b").unwrap();
        files.append("/sdcard/a/b/f", b"1").unwrap();
        assert_eq!(files.rename("/sdcard/a", "/sdcard/a/b/c"), Err(Errno::Invalid));
        files.rename("/sdcard/a", "/sdcard/z").unwrap();
        assert_eq!(*files.read("/sdcard/z/b/f").unwrap(), b"1");
        assert_eq!(files.remove("/sdcard/z"), Err(Errno::NotEmpty));
        files.remove_all("/sdcard/z").unwrap();
        assert_eq!((files.used(), files.list("/sdcard/z").is_err()), (0, true));
    }
}
