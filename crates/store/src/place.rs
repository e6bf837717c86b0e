//! A project's folder → where its file lies.

use std::env::var_os;
use std::io;
use std::path::{Path, PathBuf};

/// The file's name.
pub const FILE: &str = "uixt.db";
/// The environment variable that names the folder of the file.
pub const VARIABLE: &str = "UIXT_DATA_DIR";
/// The folder in a project.
const FOLDER: &str = ".uixt";

/// Returns where the file of a project lies: in its `.uixt`; where there is no project, in the user's data. [`VARIABLE`] names another
/// folder. None where the user has no folder.
pub fn place(project: Option<&Path>) -> Option<PathBuf> {
    let named = |name: &str| var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let users = || {
        let data = named("XDG_DATA_HOME").or_else(|| named("HOME").map(|home| home.join(".local/share")));
        data.map(|data| data.join("uixt"))
    };
    let chosen = var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let folder = chosen.or_else(|| project.map(|root| root.join(FOLDER))).or_else(users)?;
    Some(folder.join(FILE))
}

/// Makes the folder of a file. That of a project says by itself that it is not to be committed.
pub(crate) fn prepare(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let ignore = folder.join(".gitignore");
    if folder.ends_with(FOLDER) && !ignore.exists() {
        std::fs::write(ignore, "*\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_has_its_file_in_a_folder_of_its_own_that_git_ignores() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join(FOLDER);
        prepare(&folder).expect("made");
        assert_eq!(std::fs::read_to_string(folder.join(".gitignore")).expect("a file"), "*\n");
        if var_os(VARIABLE).is_none() {
            assert_eq!(place(Some(root.path())), Some(folder.join(FILE)));
        }
    }
}
