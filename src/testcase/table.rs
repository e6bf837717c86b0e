//! CSV file → list of maps, one a row, the first line naming the columns, every value a string. Files lie inside the project.

use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

use super::source::read_limited;

/// Most bytes that the rows may take, the columns' names in every row included.
const LARGEST_TABLE: usize = 6 * 1024 * 1024;

/// Where testcases may name files: paths are relative to `folder`, else to `root`, and lead nowhere outside of `root`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Files {
    pub(super) folder: PathBuf,
    pub(super) root: PathBuf,
}

impl Files {
    /// Reads the rows of a table.
    pub(super) fn table(&self, path: &str) -> Result<Value, String> {
        let found = self.find(path)?;
        let bytes = read_limited(&found).map_err(|message| format!("{path} {message}"))?;
        rows(&bytes).map_err(|message| format!("{path}: {message}"))
    }

    /// Finds a file of the project.
    pub(super) fn find(&self, path: &str) -> Result<PathBuf, String> {
        self.first(path, [&self.folder, &self.root])
    }

    /// Finds a file of the project, looking below the project's folder first, as `HttpRunner` does for what steps refer to.
    pub(super) fn refer(&self, path: &str) -> Result<PathBuf, String> {
        self.first(path, [&self.root, &self.folder])
    }

    fn first(&self, path: &str, folders: [&PathBuf; 2]) -> Result<PathBuf, String> {
        if path.is_empty() || Path::new(path).is_absolute() {
            return Err(format!("`{path}` is not a path relative to the project"));
        }
        let found = folders.iter().find_map(|folder| folder.join(path).canonicalize().ok());
        let found = found.ok_or_else(|| format!("there is no file {path}"))?;
        let root = self.root.canonicalize().map_err(|error| error.to_string())?;
        if found.starts_with(root) { Ok(found) } else { Err(format!("{path} lies outside of the project")) }
    }
}

fn rows(bytes: &[u8]) -> Result<Value, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::Reader::from_reader(bytes);
    let columns = reader.headers().map_err(|error| error.to_string())?.clone();
    if let Some(twice) =
        columns.iter().enumerate().find(|(at, name)| columns.iter().take(*at).any(|other| other == *name))
    {
        return Err(format!("two columns are named `{}`", twice.1));
    }
    let width = columns.as_slice().len() + columns.len() * 64;
    let mut room = LARGEST_TABLE;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        room = room.checked_sub(width + record.as_slice().len()).ok_or("the table is too large")?;
        let row = columns.iter().zip(record.iter()).map(|(name, value)| (name.to_owned(), value.into()));
        rows.push(Value::Object(row.collect::<Map<_, _>>()));
    }
    Ok(Value::Array(rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_are_maps_of_strings() {
        let text = "\u{feff}user,age\n小明,\"1,2\"\nb,03\n";
        assert_eq!(rows(text.as_bytes()), Ok(json!([{"user": "小明", "age": "1,2"}, {"user": "b", "age": "03"}])));
        assert!(rows(b"a,b\n1\n").is_err());
        assert_eq!(rows(b"a,a\n1,2\n"), Err("two columns are named `a`".to_owned()));
        let wide = (0..1000).map(|n| format!("{n:0>900}")).collect::<Vec<_>>().join(",");
        let tall = vec![vec!["x"; 1000].join(","); 100].join("\n");
        assert_eq!(rows(format!("{wide}\n{tall}").as_bytes()), Err("the table is too large".to_owned()));
    }

    #[test]
    fn files_lie_inside_the_project() {
        let outer = tempfile::tempdir().unwrap();
        let files = Files { folder: outer.path().join("project/cases"), root: outer.path().join("project") };
        std::fs::create_dir_all(&files.folder).unwrap();
        std::fs::write(outer.path().join("secret.csv"), "a\n1\n").unwrap();
        std::fs::write(files.root.join("users.csv"), "a\n1\n").unwrap();
        assert_eq!(files.table("users.csv"), Ok(json!([{"a": "1"}])));
        assert_eq!(files.table("../users.csv"), Ok(json!([{"a": "1"}])));
        assert_eq!(files.table("../../secret.csv"), Err("../../secret.csv lies outside of the project".to_owned()));
        assert_eq!(files.table("none.csv"), Err("there is no file none.csv".to_owned()));
        assert!(files.table("/etc/passwd").is_err());
    }
}
