//! `content`: questions to the media index. Source: AOSP `cmds/content/src/com/android/commands/content/Content.java`.
//!
//! Understands conditions on `_data` only: `_data='PATH'` and `_data LIKE 'START%'`.

use std::io;

use super::call::Call;
use crate::files::clean;
use crate::media::is_film;

const ROOT: &str = "content://media/external/";
/// How the index names `/sdcard`.
const STORAGE: &str = "/storage/emulated/0";

/// Which rows are meant.
#[derive(Debug, PartialEq, Eq)]
enum Condition {
    All,
    Is(String),
    Begins(String),
}

struct Wish {
    table: String,
    columns: Vec<String>,
    condition: Condition,
}

pub(super) async fn content(call: &mut Call<'_>) -> io::Result<u8> {
    let Some((verb, rest)) = call.arguments.split_first() else {
        return call.done("usage: adb shell content [subcommand] [options]\n").await;
    };
    let wish = match wish(rest) {
        Ok(wish) => wish,
        Err(message) => return call.fail(1, &format!("Error while accessing provider:media\n{message}")).await,
    };
    let rows: Vec<String> = {
        let system = call.handset().system.lock().await;
        system.media().filter(|path| wish.means(path)).map(str::to_owned).collect()
    };
    match verb.as_str() {
        "query" if rows.is_empty() => call.done("No result found.\n").await,
        "query" => {
            let line = |(number, path): (usize, &String)| format!("Row: {number} {}\n", wish.row(number, path));
            call.done(rows.iter().enumerate().map(line).collect::<String>()).await
        }
        "delete" => {
            for path in &rows {
                // A file that is not there any more is only forgotten.
                let _ = call.handset().files.lock().remove(path);
            }
            call.handset().system.lock().await.forget_media(&rows);
            Ok(0)
        }
        other => call.fail(1, &format!("[ERROR] Unsupported operation: {other}")).await,
    }
}

fn wish(arguments: &[String]) -> Result<Wish, String> {
    let (mut table, mut columns, mut condition) = (None, vec!["_id".to_owned(), "_data".to_owned()], Condition::All);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("[ERROR] No value for {argument}"));
        match argument.as_str() {
            "--uri" => table = Some(value()?),
            "--projection" => columns = value()?.split(':').map(str::to_owned).collect(),
            "--where" => condition = self::condition(value()?)?,
            "--user" | "--sort" => drop(value()?),
            other => return Err(format!("[ERROR] Unsupported argument: {other}")),
        }
    }
    let unknown =
        || "java.lang.IllegalArgumentException: the virtual phone has content://media/external only".to_owned();
    let table = table.and_then(|uri| uri.strip_prefix(ROOT)).ok_or_else(unknown)?.to_owned();
    if !["file", "images/media", "video/media"].contains(&table.as_str()) {
        return Err(unknown());
    }
    match columns.iter().find(|column| !["_id", "_data", "_display_name"].contains(&column.as_str())) {
        Some(column) => Err(format!("java.lang.IllegalArgumentException: Invalid column {column}")),
        None => Ok(Wish { table, columns, condition }),
    }
}

fn condition(text: &str) -> Result<Condition, String> {
    let literal = |text: &str| {
        let inner = text.trim().strip_prefix('\'')?.strip_suffix('\'')?;
        let lone = inner.replace("''", "").contains('\'');
        (!lone).then(|| inner.replace("''", "'"))
    };
    let text = text.trim();
    let read = text.strip_prefix("_data").and_then(|rest| {
        let rest = rest.trim_start();
        if let Some(value) = rest.strip_prefix('=') {
            return Some(Condition::Is(clean("/", &literal(value)?)));
        }
        let start = literal(rest.strip_prefix("LIKE ")?)?;
        Some(Condition::Begins(clean("/", start.strip_suffix('%')?)))
    });
    read.ok_or_else(|| {
        format!("android.database.sqlite.SQLiteException: near \"{text}\": only _data=… and _data LIKE '…%'")
    })
}

impl Wish {
    fn means(&self, path: &str) -> bool {
        let of_table = match self.table.as_str() {
            "images/media" => !is_film(path),
            "video/media" => is_film(path),
            _ => true,
        };
        of_table
            && match &self.condition {
                Condition::All => true,
                Condition::Is(wanted) => wanted == path,
                Condition::Begins(start) => path.starts_with(start.as_str()),
            }
    }

    /// `_id=1000, _data=/storage/emulated/0/DCIM/a.png`.
    fn row(&self, number: usize, path: &str) -> String {
        let value = |column: &String| match column.as_str() {
            "_id" => format!("_id={}", 1000 + number),
            "_display_name" => format!("_display_name={}", path.rsplit('/').next().unwrap_or(path)),
            _ => format!("_data={STORAGE}{}", path.strip_prefix("/sdcard").unwrap_or(path)),
        };
        self.columns.iter().map(value).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_others_refused() {
        assert_eq!(condition("_data='/storage/emulated/0/a''b'"), Ok(Condition::Is("/sdcard/a'b".to_owned())));
        assert_eq!(condition("_data LIKE '/storage/emulated/0/x/%'"), Ok(Condition::Begins("/sdcard/x".to_owned())));
        for other in ["1=1", "_data='a' OR 1=1", "_data='a' OR _data='b'", "_data LIKE 'a'"] {
            assert!(condition(other).is_err(), "{other}");
        }
    }
}
