//! A regular expression and where to look → the lines that match, in the order of their files.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use regex::bytes::Regex;

use crate::around::around;
use crate::folder::Folder;
use crate::gather::{Found, Looked, gather};
use crate::lines::{Reader, Searched};
use crate::pattern::of_lines;
use crate::walk::Filter;
use crate::{Limits, Refused};

/// Largest file that is searched, in bytes.
const LARGEST: u64 = 64 << 20;

/// What is looked for.
pub struct Query {
    pub pattern: String,
    pub filter: Filter,
    /// Lines told before and behind each that matches.
    pub context: usize,
    /// Most lines that match.
    pub most: usize,
}

/// Searches a file, or those below a folder; the path has no link and no `..` in it. Returns the lines as `Line 4: …`, those around them as
/// `Line 3- …`.
pub fn search(folder: &Arc<Folder>, path: &Path, query: &Query, limits: &Limits) -> Result<Found<String>, Refused> {
    let regex = of_lines(&query.pattern)?;
    gather(folder, path, (&query.filter, query.most, limits), || {
        // Each thread has its own: what one keeps while it matches is not shared.
        let (regex, mut reader) = (regex.clone(), Reader::default());
        move |_: &Path, file: &File, size| lines(file, size, (&regex, &mut reader), query, limits)
    })
}

fn lines(
    file: &File,
    size: u64,
    (regex, reader): (&Regex, &mut Reader),
    query: &Query,
    limits: &Limits,
) -> Looked<String> {
    if size > LARGEST {
        return Looked::Skipped(format!("larger than {} MiB", LARGEST >> 20));
    }
    // One more than may be told, so that there are more is known.
    match reader.search(file, regex, query.most + 1, limits) {
        Ok(Searched::Binary(why)) => Looked::Skipped(why.to_owned()),
        Ok(Searched::Ended) => Looked::Ended,
        Err(error) => Looked::Skipped(error.to_string()),
        Ok(Searched::Lines(lines)) => {
            let mut last = 0;
            let told = lines.iter().enumerate().map(|(at, line)| {
                let next = lines.get(at + 1).map(|next| next.number);
                let (text, shown) = around(file, line, query.context, last, next);
                last = shown;
                text
            });
            Looked::At(told.collect())
        }
    }
}
