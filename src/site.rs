//! A folder of this computer → a web site on loopback, to be read only, for as long as it is held.
//!
//! Knows nothing else of the crate. What begins with a dot is not served, nor what lies elsewhere, whatever links lead there. Only
//! requests that name this computer are answered: a page of another site whose name was turned to it reads nothing.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, LOCATION};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::mcp::http::{Admission, guard_routes};

/// Largest file that is served, in bytes.
const LARGEST: u64 = 256 << 20;

/// Endings of files' names, and what they hold.
const TYPES: &[(&str, &str)] = &[
    ("html", "text/html; charset=utf-8"),
    ("htm", "text/html; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("map", "application/json"),
    ("txt", "text/plain; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("xml", "application/xml"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("ico", "image/x-icon"),
    ("woff2", "font/woff2"),
    ("wasm", "application/wasm"),
    ("pdf", "application/pdf"),
    ("mp4", "video/mp4"),
];

/// A site; it ends when this is dropped.
pub struct Site {
    address: String,
    server: JoinHandle<()>,
}

struct Root {
    folder: Option<PathBuf>,
    /// The names that requests may call the host.
    hosts: [String; 2],
}

impl Site {
    /// Serves a folder on a free port. Fails where it is none, or no port is to be had.
    pub async fn start(folder: &Path) -> std::io::Result<Self> {
        Self::start_with(Some(folder), Router::new()).await
    }

    /// Serves a folder, where there is one, beside other routes, which are for this computer's own pages alone.
    pub async fn start_with(folder: Option<&Path>, others: Router) -> std::io::Result<Self> {
        let folder = folder.map(Path::canonicalize).transpose()?;
        if folder.as_ref().is_some_and(|folder| !folder.is_dir()) {
            return Err(std::io::Error::new(std::io::ErrorKind::NotADirectory, "it is not a folder"));
        }
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let bound = listener.local_addr()?;
        let port = bound.port();
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let address = format!("http://{}", hosts[0]);
        let root = Arc::new(Root { folder, hosts });
        let others = guard_routes(others, bound, Admission::default());
        let router = Router::new().fallback(answer).with_state(root).merge(others);
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::warn!("the project's site ended: {error}");
            }
        });
        Ok(Self { address, server })
    }

    /// Returns its address, without a slash behind it.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(State(root): State<Arc<Root>>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if !root.hosts.iter().any(|known| known == host) {
        return (StatusCode::MISDIRECTED_REQUEST, "This is another host.\n").into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")], "This site is read only.\n").into_response();
    }
    let Some(folder) = &root.folder else { return (StatusCode::NOT_FOUND, "Nothing is here.\n").into_response() };
    match served(folder, uri.path()).await {
        Served::File(kind, bytes) => {
            ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], Body::from(bytes)).into_response()
        }
        Served::Folder => (StatusCode::FOUND, [(LOCATION, format!("{}/", uri.path()))]).into_response(),
        Served::Nothing => (StatusCode::NOT_FOUND, "Nothing is here.\n").into_response(),
    }
}

enum Served {
    File(&'static str, Vec<u8>),
    /// Its own pages are named from behind its slash.
    Folder,
    Nothing,
}

async fn served(root: &Path, path: &str) -> Served {
    let Some(file) = named(root, path).and_then(|file| file.canonicalize().ok()) else { return Served::Nothing };
    if !file.starts_with(root) {
        return Served::Nothing;
    }
    let file = match file.is_dir() {
        true if !path.ends_with('/') => return Served::Folder,
        true => file.join("index.html"),
        false => file,
    };
    // The index may be a link that leads elsewhere.
    let Ok(file) = file.canonicalize() else { return Served::Nothing };
    let is_small = tokio::fs::metadata(&file).await.is_ok_and(|meta| meta.is_file() && meta.len() <= LARGEST);
    if !file.starts_with(root) || !is_small {
        return Served::Nothing;
    }
    match tokio::fs::read(&file).await {
        Ok(bytes) => Served::File(kind(&file), bytes),
        Err(_) => Served::Nothing,
    }
}

/// Returns the file that an address's path names; none where it names what is not served.
fn named(root: &Path, path: &str) -> Option<PathBuf> {
    let path = decoded(path)?;
    let path = Path::new(path.trim_start_matches('/'));
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(name) => !name.to_string_lossy().starts_with('.'),
        _ => false,
    };
    path.components().all(is_plain).then(|| root.join(path))
}

/// Reads `%20` and the like; none where that is no text, or what no file's name holds.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok().filter(|path| !path.contains(['\0', '\\']))
}

fn kind(file: &Path) -> &'static str {
    let ending = file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let known = TYPES.iter().find(|(known, _)| *known == ending);
    known.map_or("application/octet-stream", |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_below_is_named() {
        let root = Path::new("/site");
        assert_eq!(named(root, "/a/b%20c.html"), Some("/site/a/b c.html".into()));
        assert_eq!(named(root, "/"), Some("/site/".into()));
        for path in ["/../etc/passwd", "/%2e%2e/etc", "/.git/config", "/a/.env", "/a%00b", "/a%5Cb", "/%zz", "/%ff"] {
            assert_eq!(named(root, path), None, "{path}");
        }
        assert_eq!((kind(Path::new("a.HTML")), kind(Path::new("a"))), (TYPES[0].1, "application/octet-stream"));
    }

    #[tokio::test]
    async fn a_folder_is_served_to_be_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("site");
        std::fs::create_dir_all(below.join("sub")).expect("folders");
        std::fs::write(folder.path().join("secret"), "s").expect("a file");
        std::fs::write(below.join("sub/index.html"), "<h1>Sub</h1>").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path().join("secret"), below.join("link")).expect("a link");
        let site = Site::start(&below).await.expect("a site");
        let client = uixt_core::http::plain_client().build().expect("a client");
        let get = async |path: &str| {
            let answer = client.get(format!("{}{path}", site.address())).send().await.expect("an answer");
            (answer.status().as_u16(), answer.text().await.expect("a text"))
        };
        assert_eq!(get("/sub").await, (200, "<h1>Sub</h1>".to_owned()));
        assert_eq!((get("/link").await.0, get("/none").await.0, get("/").await.0), (404, 404, 404));
        let posted = client.post(format!("{}/sub/", site.address())).send().await.expect("an answer");
        assert_eq!(posted.status().as_u16(), 405);
        let other = client.get(format!("{}/sub/", site.address())).header("host", "evil.example").send().await;
        assert_eq!(other.expect("an answer").status().as_u16(), 421);
        assert!(Site::start(&folder.path().join("secret")).await.is_err());
    }
}
