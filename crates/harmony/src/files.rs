//! Files to a phone and from it, and folders there.

use std::path::Path;
use std::time::Duration;

use crate::answer::failed;
use crate::driver::{Error, quote};
use crate::shell::Shell;

/// How long a file may take, beside a second for each megabyte of it.
const TRANSFER: Duration = Duration::from_mins(2);

/// Returns a new name for a file that is removed after its use.
pub(crate) fn temporary(ending: &str) -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    // Its keys are drawn at random.
    let number = std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("/data/local/tmp/uixt-{number:016x}{ending}")
}

/// Removes a file, as far as that goes.
pub(crate) async fn remove(shell: &Shell, path: &str) {
    if let Err(error) = shell.act("rm", &format!("rm -f {}", quote(path))).await {
        tracing::debug!(%error, path, "a file was left on the phone");
    }
}

/// Copies a file to the phone, and makes the folders above it.
pub(crate) async fn push(shell: &Shell, from: &Path, to: &str) -> Result<u64, Error> {
    if let Some((folder, _)) = to.rsplit_once('/').filter(|(folder, _)| !folder.is_empty()) {
        let said = shell.act("mkdir", &format!("mkdir -p {}", quote(folder))).await?;
        if !said.trim().is_empty() {
            return Err(failed("mkdir", &said));
        }
    }
    // What cannot be read is told by who reads it.
    let size = tokio::fs::metadata(from).await.map_or(0, |file| file.len());
    Ok(shell.server.send_file(&shell.key, from, to, limit(size)).await?)
}

fn limit(size: u64) -> Duration {
    TRANSFER + Duration::from_secs(size >> 20)
}

pub(crate) async fn pull(shell: &Shell, from: &str, to: &Path) -> Result<u64, Error> {
    let Some(size) = size(shell, from).await? else {
        return Err(Error::NotFound { what: format!("`{from}` on the phone") });
    };
    Ok(shell.server.receive_file(&shell.key, from, to, limit(size)).await?)
}

/// Returns a file's bytes; none where there is no such file.
pub(crate) async fn size(shell: &Shell, path: &str) -> Result<Option<u64>, Error> {
    let path = quote(path);
    let said = shell.look("wc", &format!("test -f {path} && wc -c < {path}")).await?;
    if said.trim().is_empty() { Ok(None) } else { said.trim().parse().map(Some).map_err(|_| failed("wc", &said)) }
}

pub(crate) async fn is_folder(shell: &Shell, path: &str) -> Result<bool, Error> {
    Ok(shell.look("test", &format!("test -d {} && echo yes", quote(path))).await?.trim() == "yes")
}
