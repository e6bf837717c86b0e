//! HTTP clients, all over the same TLS provider, which is made when the first client is. Knows nothing else of the crate.

mod public;

use std::error::Error;

use reqwest::ClientBuilder;

pub use public::{PublicNames, is_public};

/// Returns a builder of clients that trust the certificates that the system trusts.
pub fn client() -> ClientBuilder {
    install_provider();
    ClientBuilder::new()
}

/// Returns a builder of clients for plain HTTP: no certificates are read, none is trusted, no proxy is used.
pub fn plain_client() -> ClientBuilder {
    client().no_proxy().tls_certs_only([])
}

/// Returns what an error comes from in the end, which tells more than the error of a request itself; none where it comes from nothing.
pub fn deepest_cause(error: &dyn Error) -> Option<&(dyn Error + 'static)> {
    let mut cause = error.source()?;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    Some(cause)
}

/// Makes the process's TLS provider, unless it is there.
pub fn install_provider() {
    // An error means that somebody was faster, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
