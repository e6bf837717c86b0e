//! The private folder of a browser that was started here: its profile, gone with it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the folders' names begin with.
const PREFIX: &str = "uixt-browser-";

/// A folder that nobody else may look into; removed when it is dropped.
#[derive(Debug)]
pub(super) struct Profile {
    path: PathBuf,
}

impl Profile {
    /// Names one; whoever would remove it if this program were killed comes first, and makes it then with [`create`].
    pub(super) fn new() -> Self {
        let name: String = std::iter::repeat_with(fastrand::alphanumeric).take(16).collect();
        Self { path: std::env::temp_dir().join(format!("{PREFIX}{name}")) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Makes the folder. One that is there already is an error: somebody may have put it there.
pub(super) fn create(path: &Path) -> io::Result<()> {
    builder().create(path)
}

#[cfg(unix)]
fn builder() -> std::fs::DirBuilder {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = std::fs::DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(not(unix))]
fn builder() -> std::fs::DirBuilder {
    std::fs::DirBuilder::new()
}

/// How often a folder is removed into which something that ends may still be writing, and how long it is given each time.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(20);

impl Profile {
    /// Removes it, once whatever wrote into it was ended.
    pub(super) async fn remove(self) {
        for _ in 0..TRIES {
            let path = self.path.clone();
            // Hundreds of files: no other call is to wait for that.
            let _ = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(path)).await;
            if !self.path.exists() {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        // The guard of the process removes what is written after this.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
