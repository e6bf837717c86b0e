//! HTTP clients, all over the same TLS provider, which is made when the first client is; and its sums of files. Knows nothing else of the crate.

use reqwest::ClientBuilder;

/// Returns a builder of clients that trust the certificates that the system trusts.
pub(crate) fn client() -> ClientBuilder {
    install_provider();
    ClientBuilder::new()
}

/// Returns a builder of clients for plain HTTP: no certificates are read, none is trusted, no proxy is used.
pub(crate) fn plain_client() -> ClientBuilder {
    client().no_proxy().tls_certs_only([])
}

/// Makes the process's TLS provider, unless it is there.
pub(crate) fn install_provider() {
    // An error means that somebody was faster, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// A SHA-256 sum that is being made.
pub(crate) type Sum = Box<dyn rustls::crypto::hash::Context>;

/// Begins a SHA-256 sum, by the means of the TLS provider.
pub(crate) fn sha256() -> Option<Sum> {
    let suite = rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13();
    suite.map(|suite| suite.common.hash_provider.start())
}
