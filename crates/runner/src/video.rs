//! A case that runs → a video of it: what its device films, in a folder of the report, and whether it is kept.
//!
//! A video is never a reason for a case to fail: what goes wrong with it is a warning in the case's log.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uixt_call::Boxed;
use uixt_core::video::{self, INDEX, Line};
use uixt_driver::Reel;
use uixt_locate::Error;

use super::context::Run;
use super::options::Keep;
use crate::result::Outcome;

/// The most that the video of a case may take, in bytes and in pictures.
const LARGEST: u64 = 64 << 20;
const PICTURES: u32 = 3_000;
/// How long a device may take to end a film and hand it over.
const ENDING: Duration = Duration::from_mins(1);
/// The same once the run was stopped.
const STOPPING: Duration = Duration::from_secs(1);

/// A try of a case that is filmed.
pub(super) struct Filming {
    reel: Arc<CaseReel>,
    film: JoinHandle<Result<(), Error>>,
    /// Whether it is kept whatever becomes of the try.
    is_kept: bool,
}

impl Filming {
    /// Begins to film a try, where that is asked for.
    pub(super) fn begin(run: &Run<'_>) -> io::Result<Option<Self>> {
        if run.options.video == Keep::None {
            return Ok(None);
        }
        let reel = match CaseReel::begin(&run.sink.folder(), &run.id) {
            Ok(reel) => Arc::new(reel),
            Err(error) => {
                run.log("warn", format!("no video: its folder cannot be made: {error}"))?;
                return Ok(None);
            }
        };
        let (caller, films) = (Arc::clone(&run.caller), Arc::clone(&reel));
        let film = tokio::spawn(async move { caller.film(films).await });
        Ok(Some(Self { reel, film, is_kept: run.options.video == Keep::All }))
    }

    /// Ends the film of a try, and keeps it or not.
    pub(super) async fn end(mut self, run: &Run<'_>, outcome: Outcome) -> io::Result<()> {
        let is_kept = self.is_kept || outcome >= Outcome::Failed;
        self.reel.wanted.store(is_kept, Ordering::Relaxed);
        self.reel.end.cancel();
        let limit = if run.stop.is_asked() { STOPPING } else { ENDING };
        let trouble = match tokio::time::timeout(limit, &mut self.film).await {
            Ok(Ok(Ok(()))) => None,
            Ok(Ok(Err(error))) => Some(error.message),
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => {
                self.film.abort();
                Some(format!("the device did not deliver it within {} s", limit.as_secs()))
            }
        };
        let left = if is_kept { self.reel.trouble() } else { self.reel.forget().err().map(|error| error.to_string()) };
        match trouble.or(left).filter(|_| is_kept) {
            Some(trouble) => run.log("warn", format!("no video, or not all of it: {trouble}")),
            None => Ok(()),
        }
    }
}

/// Where a try's film goes.
struct CaseReel {
    folder: PathBuf,
    end: CancellationToken,
    wanted: AtomicBool,
    kept: Mutex<Kept>,
}

/// What the folder holds.
struct Kept {
    index: File,
    /// How long the index was as the try began.
    before: u64,
    /// What the try has added.
    files: Vec<PathBuf>,
    /// How many files were named so far, and how many bytes and pictures there are.
    names: u32,
    bytes: u64,
    pictures: u32,
    is_cut: bool,
    trouble: Option<String>,
}

impl CaseReel {
    /// Opens the folder of a case's video, which an earlier try or another device may have begun.
    fn begin(dir: &Path, case: &str) -> io::Result<Self> {
        let own = video::folders(case).find(|folder| {
            let made = fs::create_dir_all(dir.join(video::FOLDER)).and_then(|()| fs::create_dir(dir.join(folder)));
            made.is_ok() || video::is_of(dir, folder, case) == Some(true)
        });
        let folder = dir.join(own.ok_or_else(|| io::Error::other("no free file name is left"))?);
        let mut index = File::options().append(true).create(true).open(folder.join(INDEX))?;
        if index.metadata()?.len() == 0 {
            write(&mut index, &Line::Case(case.to_owned()))?;
        }
        let before = index.metadata()?.len();
        let sizes = fs::read_dir(&folder)?.flatten().filter_map(|entry| Some(entry.metadata().ok()?.len()));
        let sizes: Vec<u64> = sizes.collect();
        let names = u32::try_from(sizes.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let kept = Kept {
            index,
            before,
            files: Vec::new(),
            names,
            bytes: sizes.iter().sum(),
            pictures: names,
            is_cut: false,
            trouble: None,
        };
        let (end, wanted) = (CancellationToken::new(), AtomicBool::new(true));
        Ok(Self { folder, end, wanted, kept: Mutex::new(kept) })
    }

    fn trouble(&self) -> Option<String> {
        self.kept.lock().trouble.take()
    }

    /// Removes what the try has filmed.
    fn forget(&self) -> io::Result<()> {
        let mut kept = self.kept.lock();
        for file in std::mem::take(&mut kept.files) {
            fs::remove_file(file)?;
        }
        kept.index.set_len(kept.before)?;
        let is_empty = fs::read_dir(&self.folder)?.flatten().all(|entry| entry.file_name() == INDEX);
        if is_empty { fs::remove_dir_all(&self.folder) } else { Ok(()) }
    }
}

impl Kept {
    /// Adds a file of so many bytes with its line; false where there is no room for it, or the disk does not take it.
    fn add(&mut self, file: PathBuf, bytes: u64, line: &Line) -> bool {
        self.bytes += bytes;
        let added = write(&mut self.index, line);
        self.files.push(file);
        self.noted(&added)
    }

    fn noted(&mut self, done: &io::Result<()>) -> bool {
        if let Err(error) = done {
            self.trouble.get_or_insert_with(|| error.to_string());
        }
        done.is_ok()
    }

    /// Notes that there is no room for more, once.
    fn cut(&mut self) {
        if !self.is_cut {
            self.is_cut = true;
            let why = format!("the video stops here: its limit is {} MB, or {PICTURES} pictures", LARGEST >> 20);
            let cut = write(&mut self.index, &Line::Cut(why));
            self.noted(&cut);
        }
    }

    fn next_name(&mut self, end: &str) -> String {
        self.names += 1;
        format!("{:04}.{end}", self.names)
    }
}

impl Reel for CaseReel {
    fn ended<'a: 'b, 'b>(&'a self) -> Boxed<'b, ()>
    where
        Self: 'b,
    {
        Box::pin(self.end.cancelled())
    }

    fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    fn frame(&self, jpeg: &[u8], at: SystemTime) -> bool {
        let mut kept = self.kept.lock();
        if kept.bytes + jpeg.len() as u64 > LARGEST || kept.pictures >= PICTURES {
            kept.cut();
            return false;
        }
        kept.pictures += 1;
        let name = kept.next_name("jpg");
        let file = self.folder.join(&name);
        let written = fs::write(&file, jpeg);
        kept.noted(&written) && kept.add(file, jpeg.len() as u64, &Line::Frame(name, at.into()))
    }

    fn next_part(&self) -> Option<PathBuf> {
        let mut kept = self.kept.lock();
        if kept.bytes >= LARGEST {
            kept.cut();
            return None;
        }
        let name = kept.next_name("mp4");
        Some(self.folder.join(name))
    }

    fn part(&self, file: &Path, began: SystemTime, lasted: Duration) {
        let mut kept = self.kept.lock();
        let bytes = file.metadata().map_or(0, |data| data.len());
        if kept.bytes + bytes > LARGEST {
            let removed = fs::remove_file(file);
            kept.noted(&removed);
            kept.bytes = LARGEST;
            kept.cut();
            return;
        }
        let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let (began, ms): (DateTime<Utc>, u64) = (began.into(), u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX));
        kept.add(file.to_owned(), bytes, &Line::Part(name, began, ms));
    }
}

/// Appends a line, by one write.
fn write(index: &mut File, line: &Line) -> io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    index.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_try_that_is_not_kept_leaves_what_was_before_it() {
        let dir = tempfile::tempdir().unwrap();
        let begin = |case: &str| CaseReel::begin(dir.path(), case).unwrap();
        let first = begin("a/b.yaml#0");
        assert!(first.frame(b"one", SystemTime::now()));
        let second = begin("a/b.yaml#0");
        assert!(second.frame(b"two", SystemTime::now()));
        second.forget().unwrap();
        let video = video::read(dir.path(), "a/b.yaml#0").unwrap();
        assert_eq!(video.frames.len(), 1);
        assert_eq!(fs::read(dir.path().join(&video.frames[0].0)).unwrap(), b"one");
        let namesake = begin("a-b.yaml#0");
        assert!(namesake.frame(b"three", SystemTime::now()));
        assert_eq!(video::read(dir.path(), "a-b.yaml#0").unwrap().frames.len(), 1);
        namesake.forget().unwrap();
        assert_eq!(video::read(dir.path(), "a-b.yaml#0"), None);
        assert!(video::read(dir.path(), "a/b.yaml#0").is_some());
    }

    #[test]
    fn a_video_is_bounded_and_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let reel = CaseReel::begin(dir.path(), "a").unwrap();
        let large = vec![0; 40 << 20];
        assert!(reel.frame(&large, SystemTime::now()));
        assert!(!reel.frame(&large, SystemTime::now()) && !reel.frame(&large, SystemTime::now()));
        let file = reel.next_part().unwrap();
        fs::write(&file, &large).unwrap();
        reel.part(&file, SystemTime::now(), Duration::from_secs(1));
        assert_eq!((file.exists(), reel.next_part()), (false, None));
        let video = video::read(dir.path(), "a").unwrap();
        assert_eq!((video.frames.len(), video.parts.len()), (1, 0));
        assert!(video.cut.unwrap().contains("64 MB"));
    }
}
