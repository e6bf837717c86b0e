//! A file that stands in a second folder without taking the room of a second one.

use std::fs;
use std::io;
use std::path::Path;

use super::atomic_file::AtomicFile;

/// Links the file into the folder `dir` as `name`, or copies it where the file system links none; what is there is replaced.
pub fn link(file: &Path, dir: &Path, name: &str) -> io::Result<()> {
    let to = dir.join(name);
    if fs::hard_link(file, &to).is_ok() || same_file(file, &to) {
        return Ok(());
    }
    let mut copy = AtomicFile::create(dir, name)?;
    io::copy(&mut fs::File::open(file)?, &mut copy)?;
    copy.keep()
}

#[cfg(unix)]
fn same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path: &Path| fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

#[cfg(not(unix))]
fn same_file(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let to = dir.path().join("to");
        fs::create_dir(&to).unwrap();
        fs::write(dir.path().join("a"), "new").unwrap();
        fs::write(to.join("b"), "old").unwrap();
        for _ in 0..2 {
            link(&dir.path().join("a"), &to, "b").unwrap();
            link(&dir.path().join("a"), &to, "c").unwrap();
        }
        assert_eq!(fs::read_to_string(to.join("b")).unwrap(), "new");
        assert_eq!(fs::read_to_string(to.join("c")).unwrap(), "new");
        assert!(same_file(&dir.path().join("a"), &to.join("c")));
        assert!(link(&dir.path().join("missing"), &to, "d").is_err());
    }
}
