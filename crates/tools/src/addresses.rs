//! Which addresses may be opened: a testcase opens any; an agent those of the web, files of a folder that it is offered, and on a phone
//! links of apps.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use reqwest::Url;

use super::{Context, Error, Kind};

/// Schemes of the web.
const OPEN: [&str; 2] = ["http", "https"];

/// Schemes that lead to a device's files and settings, into its browser, or to any component of any app: no links of an app.
const NO_LINKS: [&str; 15] = [
    "file",
    "content",
    "intent",
    "android-app",
    "javascript",
    "data",
    "blob",
    "filesystem",
    "about",
    "chrome",
    "devtools",
    "chrome-extension",
    "view-source",
    "jar",
    "package",
];

/// What may be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Addresses {
    #[default]
    Any,
    /// The web, and files below a folder where there is one.
    Web { folder: Option<PathBuf> },
}

impl Addresses {
    /// Tells why a page may not be opened at an address.
    fn check(&self, url: &str) -> Result<(), String> {
        let Self::Web { folder } = self else { return Ok(()) };
        let parsed = Url::parse(url).map_err(|error| format!("`{url}` is no address: {error}"))?;
        match parsed.scheme() {
            scheme if OPEN.contains(&scheme) && is_link_local(&parsed) => Err(format!(
                "`{url}` is no page: link-local addresses, where clouds keep their keys, are not opened for agents"
            )),
            scheme if OPEN.contains(&scheme) => Ok(()),
            "about" if parsed.path() == "blank" => Ok(()),
            "file" => file(&parsed, folder.as_deref()),
            other => Err(format!("`{other}:` is not opened for agents: http, https or about:blank")),
        }
    }

    /// Tells why a link may not be opened on a phone.
    fn check_link(&self, url: &str) -> Result<(), String> {
        if *self == Self::Any {
            return Ok(());
        }
        let scheme = url.trim_start().split(':').next().unwrap_or_default().to_ascii_lowercase();
        if NO_LINKS.contains(&scheme.as_str()) {
            return Err(format!("`{scheme}:` is not opened for agents: http, https, or an app's own scheme"));
        }
        match OPEN.contains(&scheme.as_str()) {
            true => self.check(url),
            false => Ok(()),
        }
    }
}

/// Tells whether an address is of this machine's own network link, however it is spelt.
fn is_link_local(url: &Url) -> bool {
    let is_of_link = |address: Ipv4Addr| address.is_link_local();
    match url.host_str().map(|host| host.trim_matches(['[', ']']).parse::<IpAddr>()) {
        Some(Ok(IpAddr::V4(address))) => is_of_link(address),
        Some(Ok(IpAddr::V6(address))) => {
            address.is_unicast_link_local() || address.to_ipv4_mapped().is_some_and(is_of_link)
        }
        _ => false,
    }
}

/// Refuses a file that does not lie below the folder, whatever links lie on the way.
fn file(url: &Url, folder: Option<&Path>) -> Result<(), String> {
    let Some(folder) = folder else {
        return Err(
            "files are not opened for agents; those of a folder are where the server has --allow-dir DIR".to_owned()
        );
    };
    let path = url.to_file_path().ok().and_then(|path| path.canonicalize().ok());
    let root = folder.canonicalize().ok();
    match path.zip(root).is_some_and(|(path, root)| path.starts_with(root)) {
        true => Ok(()),
        false => Err(format!("{} is no file below the folder of --allow-dir", url.path())),
    }
}

impl Context {
    /// Refuses an address that this caller may not open.
    pub(super) fn check_address(&self, url: &str) -> Result<(), Error> {
        let checked = match self.driver()?.pages("open addresses") {
            Ok(_) => self.addresses.check(url),
            Err(_) => self.addresses.check_link(url),
        };
        checked.map_err(|why| Error::new(Kind::BadArgument, why).with("url", url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_opens_the_web_and_the_files_it_is_offered() {
        let folder = tempfile::tempdir().unwrap();
        let (root, other) = (folder.path().join("offered"), folder.path().join("offered-not"));
        for folder in [&root, &other] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("a.html"), "a").unwrap();
        }
        let of = |folder: &Path| Url::from_file_path(folder.join("a.html")).unwrap().to_string();
        let (nothing, offered) = (Addresses::Web { folder: None }, Addresses::Web { folder: Some(root.clone()) });
        for open in ["http://a.b/c", "HTTPS://a.b", "about:blank"] {
            assert_eq!((nothing.check(open), offered.check(open)), (Ok(()), Ok(())), "{open}");
        }
        let closed = [
            "file:///etc/passwd".to_owned(),
            "FILE:/etc/passwd".to_owned(),
            "view-source:file:///etc/passwd".to_owned(),
            "chrome://settings".to_owned(),
            "about:version".to_owned(),
            "http://169.254.169.254/latest/meta-data".to_owned(),
            "http://2852039166/".to_owned(),
            "http://[fe80::1]/".to_owned(),
            "http://[::ffff:169.254.169.254]/".to_owned(),
            "javascript:alert(1)".to_owned(),
            "data:text/html,<p>a".to_owned(),
            "blob:file:///x".to_owned(),
            "filesystem:file:///x".to_owned(),
            "/etc/passwd".to_owned(),
            of(&other),
            format!("{}/../offered-not/a.html", Url::from_file_path(&root).unwrap()),
            format!("{}/%2e%2e/offered-not/a.html", Url::from_file_path(&root).unwrap()),
        ];
        for closed in &closed {
            assert!(nothing.check(closed).is_err() && offered.check(closed).is_err(), "{closed}");
            assert_eq!(Addresses::Any.check(closed), Ok(()));
        }
        assert_eq!(offered.check(&of(&root)), Ok(()));
        assert!(nothing.check(&of(&root)).is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&other, root.join("link")).unwrap();
            assert!(offered.check(&of(&root.join("link"))).is_err(), "a link leads out");
        }
    }
}
