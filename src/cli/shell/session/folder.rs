//! Where the sockets of sessions lie: a folder that belongs to this user and that nobody else may look into.

use std::fs::{DirBuilder, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::cli::exit::Failure;

/// Longest path of the folder, in bytes: sockets' paths may have about 100 on every system, of which their names take 22.
const LONGEST: usize = 78;
/// What its group and everybody else may do with a folder.
const OF_OTHERS: u32 = 0o077;
/// How often the folder is made anew where another process removes it meanwhile.
const TRIES: usize = 20;

/// Returns the folder, which may not be there.
pub(super) fn path() -> PathBuf {
    let own = format!("uixt-{}", rustix::process::geteuid().as_raw());
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let runtime = runtime.filter(|path| path.is_dir()).map(|path| path.join("uixt"));
    let places = runtime.into_iter().chain([std::env::temp_dir().join(&own)]);
    let mut fitting = places.filter(|path| path.as_os_str().len() <= LONGEST);
    fitting.next().unwrap_or_else(|| Path::new("/tmp").join(own))
}

/// Tells whether the folder is there; an error says why it is not to be trusted.
pub(super) fn check(path: &Path) -> Result<bool, String> {
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(format!("cannot look at {}: {error}", path.display())),
    };
    let is_private = found.mode() & OF_OTHERS == 0;
    match found.is_dir() && is_own(&found) && is_private {
        true => Ok(true),
        false => Err(format!(
            "{} is not a folder of yours alone (mode 0700), so that others may listen there: remove it, or set XDG_RUNTIME_DIR to \
             another folder",
            path.display()
        )),
    }
}

/// Tells whether something belongs to this user.
pub(super) fn is_own(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw()
}

/// The folder while nobody else adds or removes a socket.
pub(super) struct Locked {
    path: PathBuf,
    /// The lock ends with it.
    _file: File,
}

impl Locked {
    /// Waits for the folder; makes it where it is not there.
    pub(super) fn made() -> Result<Self, Failure> {
        let path = path();
        for _ in 0..TRIES {
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(Failure::errored(format!("cannot make {}: {error}", path.display())));
                }
                _ => {}
            }
            if let Some(locked) = Self::there()? {
                return Ok(locked);
            }
        }
        Err(Failure::errored(format!("{} is removed again and again", path.display())))
    }

    /// Waits for the folder; none where it is not there.
    pub(super) fn there() -> Result<Option<Self>, Failure> {
        let path = path();
        if !check(&path).map_err(Failure::errored)? {
            return Ok(None);
        }
        Self::lock(path.clone()).map_err(|error| Failure::errored(format!("cannot lock {}: {error}", path.display())))
    }

    fn lock(path: PathBuf) -> io::Result<Option<Self>> {
        let file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        file.lock()?;
        let locked = file.metadata()?;
        // Whoever had it locked may have removed it.
        let is_same = |now: Metadata| (now.dev(), now.ino()) == (locked.dev(), locked.ino());
        Ok(path.symlink_metadata().is_ok_and(is_same).then_some(Self { path, _file: file }))
    }

    /// Removes a socket, and the folder where it was the last.
    pub(super) fn remove(&self, socket: &Path) {
        let _ = std::fs::remove_file(socket);
        let _ = std::fs::remove_dir(&self.path);
    }
}
