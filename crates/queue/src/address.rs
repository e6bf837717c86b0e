//! `redis://[[USER]:PASSWORD@]HOST[:PORT]/NAME` → a server and the name of a queue there.

use std::fmt;
use std::str::FromStr;

use super::Error;

/// Where a queue is; its password is never shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    scheme: String,
    account: Option<String>,
    host: String,
    name: String,
}

impl Address {
    /// Returns the address of the server.
    #[cfg(any(feature = "redis", test))]
    pub(crate) fn url(&self) -> String {
        let account = self.account.as_ref().map(|account| format!("{account}@")).unwrap_or_default();
        format!("{}://{account}{}/", self.scheme, self.host)
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            let valid = "redis://HOST/NAME, redis://:PASSWORD@HOST:6379/NAME, or rediss:// for TLS";
            Error::Address(format!("must be {valid}"))
        };
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        if !["redis", "rediss", "valkey", "valkeys"].contains(&scheme) {
            return Err(wrong());
        }
        let scheme = scheme.replace("valkey", "redis");
        let (server, name) = rest.split_once('/').ok_or_else(wrong)?;
        let (account, host) = match server.rsplit_once('@') {
            Some((account, host)) => (Some(account.to_owned()), host),
            None => (None, server),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if host.is_empty() || name.is_empty() || !name.chars().all(is_plain) {
            return Err(wrong());
        }
        Ok(Self { scheme, account, host: host.to_owned(), name: name.to_owned() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}/{}", self.scheme, self.host, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_their_password_is_not_shown() {
        let address: Address = "rediss://:secret@queue.test:7000/build-7".parse().expect("an address");
        assert_eq!(address.to_string(), "rediss://queue.test:7000/build-7");
        assert_eq!((address.url().as_str(), address.name()), ("rediss://:secret@queue.test:7000/", "build-7"));
        for wrong in ["", "http://a/b", "redis://a", "redis://a/", "redis:///b", "redis://a/b/c", "redis://a/b c"] {
            assert!(wrong.parse::<Address>().is_err(), "{wrong}");
        }
    }
}
