//! CSV file → list of maps, one a row, the first line naming the columns, every value a string.

use serde_json::{Map, Value};

use super::source::read_limited;
use crate::host::Files;

/// Most bytes that the rows may take, the columns' names in every row included.
const LARGEST_TABLE: usize = 6 * 1024 * 1024;

/// Reads the rows of a table that a testcase names.
pub(super) fn read(files: &Files, path: &str) -> Result<Value, String> {
    let found = files.beside(path)?;
    let bytes = read_limited(&found).map_err(|message| format!("{path} {message}"))?;
    rows(&bytes).map_err(|message| format!("{path}: {message}"))
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
    fn tables_lie_inside_the_project() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("project");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(outer.path().join("secret.csv"), "a\n1\n").unwrap();
        std::fs::write(root.join("users.csv"), "a\n1\n").unwrap();
        let files = Files::of_project(root);
        assert_eq!(read(&files, "users.csv"), Ok(json!([{"a": "1"}])));
        assert_eq!(read(&files, "../secret.csv"), Err("../secret.csv lies outside of the project".to_owned()));
        assert_eq!(read(&files, "none.csv"), Err("there is no file none.csv".to_owned()));
    }
}
