//! Which Python file the expressions of a case may call: `functions`, `HttpRunner`'s `plugin`, or `debugtalk.py` of the project.

use std::path::{Path, PathBuf};

use super::error::Error;
use super::library::Setting;
use super::node::Entry;
use super::python::Python;
use super::reader::Reader;
use uixt_core::functions::FILE;

/// Finds the file among the entries of a config, or in the project's folder, and reads the names in it.
pub(super) fn read(reader: &mut Reader<'_>, config: &[Entry], setting: &Setting<'_>) -> Option<Python> {
    let entry = config.iter().find(|entry| matches!(entry.key.as_str(), "functions" | "plugin"));
    let entry = entry.filter(|entry| !super::keys::asks_for_nothing("", &entry.value));
    let path = entry.map_or_else(|| of_project(setting), |entry| named(reader, entry))?;
    match setting.library.python(&path, &setting.project.root).as_ref() {
        Ok(python) => Some(python.clone()),
        Err(error) => {
            match entry {
                Some(entry) => reader.refuse(entry.value.place.span, error.to_string()),
                None => reader.report(Error::of_file(FILE, error.to_string())),
            }
            None
        }
    }
}

fn of_project(setting: &Setting<'_>) -> Option<PathBuf> {
    Some(setting.project.root.join(FILE)).filter(|path| path.is_file())
}

fn named(reader: &mut Reader<'_>, entry: &Entry) -> Option<PathBuf> {
    let given = if entry.key == "plugin" { entry.value.entry("path").map(|path| &path.value) } else { None };
    let node = given.unwrap_or(&entry.value);
    let path = reader.text(node, &format!("`{}`", entry.key))?;
    if !Path::new(&path).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("py")) {
        let help = "functions are written in Python: name a .py file";
        reader.refuse_with_help(node.place.span, format!("`{path}` cannot be called"), help);
        return None;
    }
    match reader.about.files.referred(&path).map_err(String::from) {
        Ok(path) => Some(path),
        Err(message) => {
            reader.refuse(node.place.span, message);
            None
        }
    }
}
