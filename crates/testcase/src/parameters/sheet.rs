//! A CSV file as rows that are read when they are asked for: only where every thousandth begins is kept in memory.

use std::sync::Arc;

use csv::{Position, Reader, ReaderBuilder, StringRecord};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::index::{Counted, Index, STRIDE, Version};

/// Most bytes of one row.
const LONGEST_ROW: u64 = 1024 * 1024;
/// Most rows of a file.
const MOST_ROWS: u64 = 1_000_000_000;
const MARK: [u8; 3] = *b"\xef\xbb\xbf";

/// An open file; its rows do not change while it is read, or an error says that they did.
#[derive(Debug)]
pub(super) struct Sheet {
    reader: Reader<Bounded>,
    columns: Vec<String>,
    index: Arc<Index>,
    /// The row that comes next.
    next: u64,
    record: StringRecord,
    /// The row that `record` holds.
    held: Option<u64>,
    shown: String,
}

impl Sheet {
    /// Opens a file and counts its rows, all of which must be as long as its first line; they are not counted again where
    /// that was done and the file has not changed since.
    pub(super) fn open(path: &Path, shown: &str, counted: &Counted) -> Result<Self, String> {
        let told = |message: String| format!("{shown}: {message}");
        let file = Bounded::open(path).map_err(|error| told(error.to_string()))?;
        let version = Version::of(&file.file).map_err(|error| told(error.to_string()))?;
        let mut reader = ReaderBuilder::new().from_reader(file);
        let columns: Vec<String> = reader
            .headers()
            .map_err(|error| told(explained(&error)))?
            .iter()
            .map(|name| name.trim().to_owned())
            .collect();
        let twice = columns.iter().enumerate().find(|(at, name)| columns[..*at].contains(name));
        if let Some((_, name)) = twice {
            return Err(told(format!("two columns are named `{name}`")));
        }
        let record = StringRecord::new();
        let mut sheet =
            Sheet { reader, columns, index: Arc::default(), next: 0, record, held: None, shown: shown.to_owned() };
        if let Some(index) = counted.get(path, version) {
            sheet.index = index;
            return Ok(sheet);
        }
        sheet.index = Arc::new(sheet.counted()?);
        counted.keep(path, version, &sheet.index);
        Ok(sheet)
    }

    fn counted(&mut self) -> Result<Index, String> {
        let mut index = Index::default();
        loop {
            let place = self.reader.position().clone();
            self.reader.get_mut().left = LONGEST_ROW;
            if !self.reader.read_record(&mut self.record).map_err(|error| self.told(&explained(&error)))? {
                break;
            }
            if index.count.is_multiple_of(STRIDE) {
                index.places.push(place);
            }
            index.count += 1;
            if index.count > MOST_ROWS {
                return Err(self.told(&format!("more than {MOST_ROWS} rows")));
            }
        }
        self.next = index.count;
        if index.count == 0 { Err(self.told("there is no row below the names of the columns")) } else { Ok(index) }
    }

    fn told(&self, message: &str) -> String {
        format!("{}: {message}", self.shown)
    }

    pub(super) fn count(&self) -> u64 {
        self.index.count
    }

    /// Reports names that no column has.
    pub(super) fn check_names(&self, names: &[String]) -> Result<(), String> {
        match names.iter().find(|name| !self.columns.contains(name)) {
            Some(name) => {
                Err(self.told(&format!("there is no column `{name}`; its columns: {}", self.columns.join(", "))))
            }
            None => Ok(()),
        }
    }

    /// Returns the named columns of a row.
    pub(super) fn row(&mut self, index: u64, names: &[String]) -> Result<Map<String, Value>, String> {
        // A sheet that changes slowly is asked for the same row again and again.
        if self.held != Some(index) {
            self.held = None;
            self.seek(index).map_err(|error| self.told(&explained(&error)))?;
            if !self.read().map_err(|error| self.told(&explained(&error)))? {
                return Err(self.told("the file became shorter while it was read"));
            }
            self.held = Some(index);
        }
        let value = |name: &String| {
            let at = self.columns.iter().position(|column| column == name)?;
            Some((name.clone(), Value::from(self.record.get(at)?)))
        };
        Ok(names.iter().filter_map(value).collect())
    }

    fn read(&mut self) -> csv::Result<bool> {
        self.reader.get_mut().left = LONGEST_ROW;
        self.next += 1;
        self.reader.read_record(&mut self.record)
    }

    fn seek(&mut self, index: u64) -> csv::Result<()> {
        let block = index / STRIDE;
        if index < self.next || block > self.next / STRIDE {
            let place = usize::try_from(block).ok().and_then(|block| self.index.places.get(block)).cloned();
            self.reader.seek(place.unwrap_or_else(Position::new))?;
            self.next = block * STRIDE;
        }
        while self.next < index {
            if !self.read()? {
                break;
            }
        }
        Ok(())
    }
}

fn explained(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, Position::line);
            format!("line {line} has {len} values, not {expected_len}")
        }
        csv::ErrorKind::Utf8 { pos, .. } => {
            format!("line {} is not UTF-8", pos.as_ref().map_or(0, Position::line))
        }
        csv::ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}

/// A file without its byte order mark, of which no more is read for one row than a row may hold.
#[derive(Debug)]
struct Bounded {
    file: File,
    begin: u64,
    left: u64,
}

/// What is read ahead of the row that is wanted.
const AHEAD: u64 = 64 * 1024;

impl Bounded {
    fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("this is not a regular file"));
        }
        let mut first = [0; 3];
        let marked = file.read_exact(&mut first).is_ok() && first == MARK;
        let begin = if marked { 3 } else { 0 };
        file.seek(SeekFrom::Start(begin))?;
        Ok(Bounded { file, begin, left: LONGEST_ROW })
    }
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other("a row is longer than 1 MiB; is a quote not closed?"));
        }
        let most = usize::try_from(AHEAD.min(self.left)).unwrap_or(buffer.len()).min(buffer.len());
        let length = self.file.read(&mut buffer[..most])?;
        self.left = self.left.saturating_sub(length as u64);
        Ok(length)
    }
}

impl Seek for Bounded {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Start(at) => self.file.seek(SeekFrom::Start(at + self.begin)).map(|at| at - self.begin),
            other => self.file.seek(other).map(|at| at.saturating_sub(self.begin)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sheet(text: &str) -> Result<Sheet, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, text).unwrap();
        Sheet::open(&path, "a.csv", &Counted::default())
    }

    #[test]
    fn a_file_is_counted_again_only_once_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, counted) = (folder.path().join("a.csv"), Counted::default());
        let write = |text: &str, age: u64| {
            std::fs::write(&path, text).unwrap();
            let time = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
            File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        };
        let open = || Sheet::open(&path, "a.csv", &counted).unwrap();
        let lines: String = (0..3000).map(|n| format!("{n}\n")).collect();
        write(&format!("n\n{lines}"), 60);
        let (first, mut second) = (open(), open());
        assert!(Arc::ptr_eq(&first.index, &second.index));
        let names = ["n".to_owned()];
        for index in [0, 1, 2999, 1500, 0] {
            let row = second.row(index, &names).unwrap();
            assert_eq!(Value::Object(row), json!({"n": index.to_string()}));
        }
        write("n\n1\n2\n", 30);
        assert_eq!(open().count(), 2);
        // What has just been written may be written again within the same tick.
        write("n\n1\n", 0);
        assert!(!Arc::ptr_eq(&open().index, &open().index));
    }

    #[test]
    fn any_row_is_found() {
        let lines: String = (0..5000).map(|n| format!("{n},\"小\n{n}\"\n")).collect();
        let mut sheet = sheet(&format!("\u{feff}n, text\n{lines}")).unwrap();
        assert_eq!((sheet.count(), sheet.index.places.len()), (5000, 5));
        let names = ["n".to_owned(), "text".to_owned()];
        for index in [0, 1, 1, 4999, 4999, 3, 1024, 2047, 2048, 1023, 4999, 0] {
            let row = sheet.row(index, &names).unwrap();
            assert_eq!(Value::Object(row), json!({"n": index.to_string(), "text": format!("小\n{index}")}));
        }
    }

    #[test]
    fn broken_files_are_refused_with_their_line() {
        let table = [
            ("a,b\n1,2\n3\n", "a.csv: line 3 has 1 values, not 2"),
            ("a,a\n1,2\n", "a.csv: two columns are named `a`"),
            ("a,b\n", "a.csv: there is no row below the names of the columns"),
            ("", "a.csv: there is no row below the names of the columns"),
        ];
        for (text, expected) in table {
            assert_eq!(sheet(text).err().as_deref(), Some(expected));
        }
        let open = format!("a,b\n1,\"{}", "x,y\n".repeat(1_000_000));
        assert_eq!(sheet(&open).err().as_deref(), Some("a.csv: a row is longer than 1 MiB; is a quote not closed?"));
        assert!(sheet("a\n1").unwrap().check_names(&["b".to_owned()]).is_err());
    }
}
