//! The files that a run leaves.

/// Returns the files that a run writes into a folder unasked.
pub(crate) fn written(folder: &str) -> impl Iterator<Item = String> {
    let options = uixt::report::Options::default();
    let wanted = uixt::report::FORMATS.iter().filter(move |format| format.is_wanted(&options));
    wanted.map(move |format| format!("{folder}/{}", format.file))
}
