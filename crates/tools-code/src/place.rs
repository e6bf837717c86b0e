//! A path that a call names → the folder below which it may lie, opened, and what is meant in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use uixt_code::{Folder, Limits, Refused, split_glob};
use uixt_locate::{Error, Kind};
use uixt_toolkit::Context;
use uixt_toolkit::pages::addresses::Addresses;

/// What a call looks at.
pub(crate) struct Place {
    pub(crate) folder: Arc<Folder>,
    /// From the folder, without links.
    pub(crate) path: PathBuf,
    /// Which files below it, where the path that was given is a pattern.
    pub(crate) glob: Option<String>,
    pub(crate) is_folder: bool,
}

/// Finds what a path means.
pub(crate) fn find(cx: &Context, given: &str) -> Result<Place, Error> {
    let (files, root) = cx.readable()?;
    let wrong = |why: String| Error::bad_argument(why);
    let root = root.canonicalize().map_err(|error| wrong(format!("cannot read {}: {error}", root.display())))?;
    let given = below(given, &root);
    let (path, glob) = match (files.asset(&given), split_glob(&given)) {
        (Ok(path), _) => (path, None),
        (Err(_), Some((folder, glob))) => {
            let folder = if folder.is_empty() { "." } else { folder };
            (files.asset(folder).map_err(|why| wrong(why.to_string()))?, Some(glob))
        }
        (Err(why), None) => return Err(wrong(why.to_string())),
    };
    let is_folder = path.is_dir();
    let path = path.strip_prefix(&root).map_err(|_| wrong(format!("{given} lies outside of {}", root.display())))?;
    Ok(Place { folder: Folder::open(&root).map_err(refused)?, path: path.to_owned(), glob, is_folder })
}

/// Returns a path from the folder, where it is written from the root of the file system and lies below the folder.
fn below(given: &str, root: &Path) -> String {
    let path = Path::new(given).strip_prefix(root).map(|path| path.to_string_lossy().into_owned());
    match path {
        Ok(path) if path.is_empty() => ".".to_owned(),
        Ok(path) => path,
        Err(_) => given.to_owned(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
pub(crate) fn refused(why: Refused) -> Error {
    Error::bad_argument(why.to_string())
}

/// Runs what looks at files beside other work; it ends soon where nobody waits for it any more.
pub(crate) async fn look<T: Send + 'static>(
    time: Duration,
    look: impl FnOnce(&Limits) -> Result<T, Refused> + Send + 'static,
) -> Result<T, Error> {
    let limits = Limits::after(time);
    // Dropped where the call is.
    let _cancel = limits.cancel();
    let looking = tokio::task::spawn_blocking(move || look(&limits));
    looking.await.map_err(|error| Error::new(Kind::Service, error.to_string()))?.map_err(refused)
}

/// Tells whether the answer is for a model, which pays for each word.
pub(crate) fn is_for_model(cx: &Context) -> bool {
    cx.addresses != Addresses::Any
}

/// Returns a file that a call names, where it may be read.
pub(crate) fn file(cx: &Context, given: &str) -> Result<PathBuf, Error> {
    let place = find(cx, given)?;
    let (_, root) = cx.readable()?;
    if place.is_folder || place.glob.is_some() {
        return Err(Error::bad_argument(format!("{given} is no file")));
    }
    Ok(root.join(place.path))
}
