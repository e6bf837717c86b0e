//! A proposal that was agreed to → its file, whole or not at all, and only where it loads as well as before.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::super::vocabulary;
use super::diff;
use super::proposal::Proposal;
use crate::testcase::{self, Overrides};

/// Reads the file that a proposal changes.
pub(super) fn read(proposal: &Proposal) -> Result<String, String> {
    fs::read_to_string(&proposal.file).map_err(|error| format!("{}: {error}", proposal.file.display()))
}

/// Writes a suggestion; returns the lines that changed.
pub(super) fn write(proposal: &Proposal, choice: usize) -> Result<String, String> {
    let old = read(proposal)?;
    let new = (proposal.choice(choice)?.change)(&old)?;
    let before = errors(&proposal.file);
    replace(&proposal.file, &new)?;
    // A testcase may need what only its callers know, and so have errors by itself.
    if let Some(error) = errors(&proposal.file).difference(&before).next() {
        replace(&proposal.file, &old)?;
        return Err(format!("the file would not load with it: {error}"));
    }
    Ok(diff::changed(&old, &new))
}

/// Returns what is wrong with a file by itself.
fn errors(file: &Path) -> BTreeSet<String> {
    let loaded = testcase::load(&[file.to_path_buf()], &vocabulary(), &Overrides::default());
    loaded.err().unwrap_or_default().into_iter().map(|error| error.message).collect()
}

/// Puts a whole new file in the place of an old one, also behind a link.
fn replace(file: &Path, text: &str) -> Result<(), String> {
    let put = || -> std::io::Result<()> {
        let file = fs::canonicalize(file)?;
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut part = tempfile::Builder::new().prefix(".fix-").tempfile_in(folder)?;
        part.write_all(text.as_bytes())?;
        part.as_file().set_permissions(fs::metadata(&file)?.permissions())?;
        part.as_file().sync_all()?;
        part.persist(&file)?;
        Ok(())
    };
    put().map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// What files would be, by their paths: as they are, and as they would be.
#[derive(Default)]
pub(super) struct Drafts(BTreeMap<PathBuf, (String, String)>);

impl Drafts {
    /// Adds a suggestion to what its file would be.
    pub(super) fn add(&mut self, proposal: &Proposal, choice: usize) -> Result<(), String> {
        let choice = proposal.choice(choice)?;
        if let Some((_, draft)) = self.0.get_mut(&proposal.file) {
            *draft = (choice.change)(draft)?;
            return Ok(());
        }
        let text = read(proposal)?;
        let draft = (choice.change)(&text)?;
        self.0.insert(proposal.file.clone(), (text, draft));
        Ok(())
    }

    /// Returns the difference of all files.
    pub(super) fn diff(&self) -> String {
        let shown = |file: &Path| file.to_string_lossy().replace('\\', "/");
        self.0.iter().map(|(file, (old, new))| diff::unified(&shown(file), old, new)).collect()
    }
}
