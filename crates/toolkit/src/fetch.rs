//! A path or an http(s) address → a file of this computer, whole and checked. Knows no device.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use uixt_core::host::{Files, name_of};
use uixt_locate::{Error, Kind};

/// How long a server may be silent, and how long a connection may take.
const SILENCE: Duration = Duration::from_secs(30);
const CONNECT: Duration = Duration::from_secs(10);
/// How long a call may take that fetches a file.
pub const LIMIT: Duration = Duration::from_mins(20);
/// Bytes of a file at most.
const LARGEST: u64 = 8 << 30;
/// Bytes read at a time.
const CHUNK: usize = 256 * 1024;

/// What a file must be; nothing is checked of what is not said.
#[derive(Debug, Default)]
pub struct Expected {
    /// Bytes.
    pub size: Option<u64>,
    /// The SHA-256 sum in hexadecimal.
    pub sha256: Option<String>,
}

/// A file that is there to be read; one that was fetched only for this is removed again.
pub struct Fetched {
    /// Where it lies.
    pub path: PathBuf,
    temporary: bool,
}

impl Drop for Fetched {
    fn drop(&mut self) {
        if self.temporary {
            // Should it stay, it lies among temporary files.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Tells whether a source is an address rather than a path.
pub fn is_address(source: &str) -> bool {
    let begins = |scheme: &str| source.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    begins("http://") || begins("https://")
}

/// Returns the file of a path, or fetches that of an address.
pub async fn get(files: &Files, source: &str) -> Result<Fetched, Error> {
    if !is_address(source) {
        return Ok(Fetched { path: files.input(source).map_err(Error::bad_argument)?, temporary: false });
    }
    let name = format!("uixt-{:016x}-{}", fastrand::u64(..), name_of(source));
    // Made before the file is, so that it is removed even where the call is given up.
    let fetched = Fetched { path: std::env::temp_dir().join(name), temporary: true };
    save(files, source, &fetched.path, &Expected::default()).await?;
    Ok(fetched)
}

/// Copies what a path or an address names to `to`; returns its size in bytes. What does not come whole or is not what was
/// expected leaves nothing there.
pub async fn save(files: &Files, source: &str, to: &Path, expected: &Expected) -> Result<u64, Error> {
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let part = Fetched { path: to.with_file_name(format!("{name}.part")), temporary: true };
    let mut sink = Sink::create(&part.path).await?;
    if is_address(source) {
        download(source, &mut sink).await.map_err(|error| of_source(error, source))?;
    } else {
        copy(&files.input(source).map_err(Error::bad_argument)?, &mut sink).await?;
    }
    let size = sink.finish(source, expected).await?;
    tokio::fs::rename(&part.path, to).await.map_err(|error| unwritable(to, &error))?;
    Ok(size)
}

async fn download(address: &str, sink: &mut Sink) -> Result<(), Error> {
    let service = |what: String| Error::new(Kind::Service, format!("{address}: {what}"));
    let failed = |error: reqwest::Error| service(causes(&error.without_url()));
    let client = uixt_core::http::client().connect_timeout(CONNECT).read_timeout(SILENCE).build().map_err(failed)?;
    let mut response = client.get(address).send().await.map_err(failed)?;
    if !response.status().is_success() {
        return Err(service(format!("the server answers {}", response.status())));
    }
    while let Some(bytes) = response.chunk().await.map_err(failed)? {
        sink.write(&bytes).await?;
    }
    Ok(())
}

async fn copy(from: &Path, sink: &mut Sink) -> Result<(), Error> {
    let unreadable =
        |error: std::io::Error| Error::new(Kind::BadArgument, format!("cannot read {}: {error}", from.display()));
    let mut file = File::open(from).await.map_err(unreadable)?;
    let mut buffer = vec![0; CHUNK];
    loop {
        let length = file.read(&mut buffer).await.map_err(unreadable)?;
        if length == 0 {
            return Ok(());
        }
        sink.write(&buffer[..length]).await?;
    }
}

/// Says which source an error is about, where it tells only of the file that was written.
fn of_source(mut error: Error, source: &str) -> Error {
    let source = uixt_call::mask::without_user(source);
    if !error.message.contains(source.as_str()) {
        error.message = format!("{source}: {}", error.message);
    }
    error
}

/// Writes an error with what caused it; the outermost says little by itself.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut inner = error.source();
    while let Some(cause) = inner {
        text.push_str(&format!(": {cause}"));
        inner = cause.source();
    }
    text
}

/// A file that is being written, and summed up meanwhile.
struct Sink {
    file: File,
    path: PathBuf,
    size: u64,
    sum: Sha256,
}

impl Sink {
    async fn create(path: &Path) -> Result<Self, Error> {
        let file = File::create(path).await.map_err(|error| unwritable(path, &error))?;
        Ok(Self { file, path: path.to_owned(), size: 0, sum: Sha256::new() })
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.size += bytes.len() as u64;
        if self.size > LARGEST {
            return Err(Error::new(Kind::Service, format!("the file is longer than {} GB", LARGEST >> 30)));
        }
        self.sum.update(bytes);
        self.file.write_all(bytes).await.map_err(|error| {
            let mut error = unwritable(&self.path, &error);
            error.message.push_str(&format!(", after {} bytes", self.size));
            error
        })
    }

    /// Ends the file and holds it against what was expected.
    async fn finish(mut self, source: &str, expected: &Expected) -> Result<u64, Error> {
        self.file.flush().await.map_err(|error| unwritable(&self.path, &error))?;
        let wrong = |what: String| Error::new(Kind::Service, format!("{source}: {what}"));
        if let Some(size) = expected.size.filter(|size| *size != self.size) {
            return Err(wrong(format!("{} bytes came where {size} were expected", self.size)));
        }
        let Some(wanted) = &expected.sha256 else { return Ok(self.size) };
        let sum = hex(self.sum);
        if sum.eq_ignore_ascii_case(wanted) {
            return Ok(self.size);
        }
        Err(wrong(format!("its SHA-256 is {sum} where {wanted} was expected")))
    }
}

/// Returns the SHA-256 of a file, in hex.
pub(super) async fn sha256(path: &Path) -> Result<String, Error> {
    let unreadable =
        |error: std::io::Error| Error::new(Kind::Service, format!("cannot read {}: {error}", path.display()));
    let mut file = File::open(path).await.map_err(unreadable)?;
    let (mut buffer, mut sum) = (vec![0; CHUNK], Sha256::new());
    loop {
        match file.read(&mut buffer).await.map_err(unreadable)? {
            0 => return Ok(hex(sum)),
            length => sum.update(&buffer[..length]),
        }
    }
}

fn hex(sum: Sha256) -> String {
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Kind::Service, format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::StatusCode;
    use axum::routing::get as on_get;

    use super::*;

    const SUM: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    /// Serves `abc` at `/app.apk`; returns the address without a path.
    async fn server() -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new()
            .route("/app.apk", on_get(|| async { "abc" }))
            .route("/gone", on_get(|| async { (StatusCode::GONE, "abc") }));
        tokio::spawn(async move { axum::serve(listener, app).await });
        format!("http://{address}")
    }

    #[tokio::test]
    async fn files_come_from_servers_and_paths_and_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let (files, to) = (Files::of_project(folder.path()), folder.path().join("a.apk"));
        let server = server().await;
        let right = Expected { size: Some(3), sha256: Some(SUM.to_uppercase()) };
        for source in [format!("{server}/app.apk"), "a.apk".to_owned()] {
            assert_eq!(save(&files, &source, &to, &right).await.unwrap(), 3, "{source}");
            assert_eq!(std::fs::read(&to).unwrap(), b"abc");
        }
        std::fs::remove_file(&to).unwrap();
        let short = Expected { size: Some(4), sha256: None };
        let other = Expected { size: None, sha256: Some("00".repeat(32)) };
        for (path, expected, part) in [
            ("app.apk", short, "3 bytes came where 4"),
            ("app.apk", other, SUM),
            ("gone", Expected::default(), "410 Gone"),
        ] {
            let error = save(&files, &format!("{server}/{path}"), &to, &expected).await.unwrap_err();
            assert!(error.kind == Kind::Service && error.message.contains(part), "{error}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn what_was_fetched_for_one_call_does_not_stay() {
        let files = Files::default();
        let fetched = get(&files, &format!("{}/app.apk", server().await)).await.unwrap();
        let path = fetched.path.clone();
        assert!(path.exists() && path.extension().is_some_and(|end| end == "apk"));
        drop(fetched);
        assert!(!path.exists());
        let nobody = get(&files, "http://127.0.0.1:9/x").await.err().unwrap();
        assert_eq!(nobody.kind, Kind::Service);
        assert_eq!(get(&files, "no/such/file").await.err().unwrap().kind, Kind::BadArgument);
    }
}
