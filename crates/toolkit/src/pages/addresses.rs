//! Which addresses may be opened: a testcase opens any; an agent those of the web, files of a folder that it is offered, and on a phone
//! links of apps.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use reqwest::Url;

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
    /// Every address.
    Any,
    /// The web, and files below a folder where there is one. Of private networks only these hosts, where `*` is all, and those whose page
    /// is shown.
    Web {
        /// Whose files are opened as pages.
        folder: Option<PathBuf>,
        /// Those of private networks that are opened.
        hosts: Vec<String>,
    },
}

impl Addresses {
    /// Tells why a page may not be opened at an address.
    pub(crate) fn check(&self, url: &str) -> Result<(), String> {
        let Self::Web { folder, .. } = self else { return Ok(()) };
        let parsed = Url::parse(url).map_err(|error| format!("`{url}` is not an address: {error}"))?;
        match parsed.scheme() {
            scheme if OPEN.contains(&scheme) && is_link_local(&parsed) => {
                Err(format!("`{url}` is not opened for agents: clouds keep their keys at link-local addresses"))
            }
            scheme if OPEN.contains(&scheme) => Ok(()),
            "about" if parsed.path() == "blank" => Ok(()),
            "file" => file(&parsed, folder.as_deref()),
            other => Err(format!("`{other}:` is not opened for agents: http, https or about:blank")),
        }
    }

    /// Returns the host of an address in a private network that nobody named.
    pub(crate) fn private_host(&self, url: &str) -> Option<String> {
        let Self::Web { hosts, .. } = self else { return None };
        let host = private(&Url::parse(url).ok()?)?;
        let is_named = hosts.iter().any(|named| named == "*" || named.eq_ignore_ascii_case(&host));
        (!is_named).then_some(host)
    }

    /// Tells why a link may not be opened on a phone.
    pub(crate) fn check_link(&self, url: &str) -> Result<(), String> {
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

/// Endings of names that only private networks have. Sources: RFC 6762, RFC 8375, ICANN's `.internal`, and habit.
const PRIVATE: [&str; 5] = [".local", ".internal", ".home.arpa", ".lan", ".intranet"];

/// Returns the host of an address that lies in a private network; this machine's own lies in none.
pub(crate) fn private(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    let is_private_v4 = |address: Ipv4Addr| {
        let [first, second, ..] = address.octets();
        // Shared addresses of providers (RFC 6598) as well.
        address.is_private() || (first == 100 && second & 0xc0 == 64)
    };
    let is_private = match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => is_private_v4(address),
        Ok(IpAddr::V6(address)) => address.is_unique_local() || address.to_ipv4_mapped().is_some_and(is_private_v4),
        Err(_) => PRIVATE.iter().any(|ending| host.ends_with(ending)),
    };
    is_private.then_some(host)
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
        false => Err(format!("{} is not below the folder of --allow-dir", url.path())),
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
        let web = |folder| Addresses::Web { folder, hosts: Vec::new() };
        let of = |folder: &Path| Url::from_file_path(folder.join("a.html")).unwrap().to_string();
        let (nothing, offered) = (web(None), web(Some(root.clone())));
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

    #[test]
    fn a_private_network_is_open_where_its_hosts_are_named() {
        let with = |hosts: &[&str]| Addresses::Web {
            folder: None,
            hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
        };
        let private = [
            "http://10.0.0.1/",
            "http://192.168.1.1:8080/a",
            "http://172.16.0.9/",
            "http://100.64.0.1/",
            "http://[fd00::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://167772161/",
            "http://0x0a.1/",
            "http://printer.local/",
            "http://metadata.google.internal/",
            "http://nas.lan./",
        ];
        for url in private {
            assert!(with(&[]).private_host(url).is_some(), "{url}");
            assert_eq!((with(&["*"]).private_host(url), Addresses::Any.private_host(url)), (None, None), "{url}");
        }
        for url in [
            "http://127.0.0.1:3000/",
            "http://localhost/",
            "http://[::1]/",
            "http://8.8.8.8/",
            "http://172.32.0.1/",
            "https://a.test/",
            "about:blank",
        ] {
            assert_eq!(with(&[]).private_host(url), None, "{url}");
        }
        assert_eq!(with(&["10.0.0.1"]).private_host("http://10.0.0.1:81/"), None);
        assert!(with(&["10.0.0.1"]).private_host("http://10.0.0.2/").is_some());
    }
}
