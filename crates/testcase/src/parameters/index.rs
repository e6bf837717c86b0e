//! Where the rows of CSV files begin: counted once, for as long as a file is the same.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use csv::Position;
use parking_lot::Mutex;

/// Rows between two places that are kept.
pub(super) const STRIDE: u64 = 1024;

/// How long ago a file must have changed last: within a clock's tick it could change again and look the same.
const SETTLED: Duration = Duration::from_millis(100);

/// The rows of one file.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Where each [`STRIDE`]th row begins.
    pub(super) places: Vec<Position>,
    pub(super) count: u64,
}

/// What has been counted, in common for all clones.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted(Arc<Mutex<HashMap<PathBuf, Kept>>>);

#[derive(Debug)]
struct Kept {
    version: Version,
    index: Arc<Index>,
}

/// What was counted already is no part of what parameters say.
impl PartialEq for Counted {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Counted {
    pub(super) fn get(&self, path: &Path, version: Version) -> Option<Arc<Index>> {
        let all = self.0.lock();
        all.get(path).filter(|kept| kept.version == version).map(|kept| Arc::clone(&kept.index))
    }

    /// Keeps what was counted of a file that was of this version before.
    pub(super) fn keep(&self, path: &Path, version: Version, index: &Arc<Index>) {
        if version.is_settled {
            self.0.lock().insert(path.to_path_buf(), Kept { version, index: Arc::clone(index) });
        }
    }
}

/// Tells one state of a file from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    is_settled: bool,
}

impl Version {
    pub(super) fn of(file: &File) -> io::Result<Self> {
        let meta = file.metadata()?;
        let is_settled = meta.modified()?.elapsed().is_ok_and(|age| age >= SETTLED);
        Ok(Version {
            file: (meta.dev(), meta.ino()),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
            is_settled,
        })
    }
}
