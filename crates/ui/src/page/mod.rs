//! The page: a list of the instances, and each of them drawn from its schema, live.
//!
//! Everything lies below `/ui`. Whom it is served to is decided by who serves the [`router`]. Files of the page are parts of the
//! program; a page gets data by one WebSocket (`live`) and hands over files by POST (`files`).

mod assets;
mod change;
mod files;
mod hosted;
mod hub;
mod live;
pub(crate) mod view;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::response::Redirect;
use axum::routing::{get, post};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::assets::{headers, headers_of_own};
pub use self::hosted::document;
use self::hub::Hub;
use crate::{Error, Ui};

/// Where the page is.
pub const PATH: &str = "/ui/";
/// What the page in a frame is called among the resources of an MCP server.
pub const URI: &str = "ui://uixt/instance";

/// How long pages may take to say goodbye.
const FAREWELL: Duration = Duration::from_secs(1);

/// Opens the store.
type Open = dyn Fn() -> Result<Arc<Ui>, Error> + Send + Sync;

/// The pages of a store, which is opened once one of them asks for anything.
pub struct Pages {
    open: Box<Open>,
    hub: OnceLock<Arc<Hub>>,
    closing: CancellationToken,
    sockets: TaskTracker,
}

impl Pages {
    pub fn new(open: impl Fn() -> Result<Arc<Ui>, Error> + Send + Sync + 'static) -> Arc<Self> {
        let (hub, closing, sockets) = (OnceLock::new(), CancellationToken::new(), TaskTracker::new());
        Arc::new(Self { open: Box::new(open), hub, closing, sockets })
    }

    /// Tells every page what is there now, and goodbye.
    pub async fn close(&self) {
        if let Some(hub) = self.hub.get() {
            hub.push(true).await;
        }
        self.closing.cancel();
        self.sockets.close();
        let _ = tokio::time::timeout(FAREWELL, self.sockets.wait()).await;
    }

    fn hub(&self) -> Result<&Arc<Hub>, Error> {
        if self.hub.get().is_none() {
            // Of two that are made at the same time one is dropped.
            let _ = self.hub.set(Hub::new((self.open)()?));
        }
        self.hub.get().ok_or_else(|| Error::Broken("it was not opened".to_owned()))
    }
}

/// Serves all instances of a store.
pub fn router(pages: Arc<Pages>) -> Router {
    Router::new()
        .route("/ui", get(|| async { Redirect::permanent(PATH) }))
        .route(PATH, get(assets::page))
        .route("/ui/i/{id}", get(assets::page))
        .route("/ui/page/{name}", get(assets::asset))
        .route("/ui/live", get(live::open))
        .route("/ui/files/{instance}", post(files::add).layer(DefaultBodyLimit::max(files::LARGEST)))
        .route("/ui/files/{instance}/{id}", get(files::get))
        .with_state(pages)
}
