//! The shop's server on loopback: HTTP requests → what the shop knows → JSON. One per phone.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

type Shared = Arc<Mutex<()>>;

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct Backend {
    address: SocketAddr,
    shop: Shared,
    server: AbortHandle,
}

impl Backend {
    /// Starts a server on a free port of the loopback interface.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shop = Shared::default();
        let app = Router::new();
        let server = tokio::spawn(async move { axum::serve(listener, app).await }).abort_handle();
        Ok(Self { address, shop, server })
    }

    /// Returns where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Forgets who is logged in, the cart and the orders.
    pub fn reset(&self) {
        *self.shop.lock().unwrap_or_else(PoisonError::into_inner) = ();
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.server.abort();
    }
}
