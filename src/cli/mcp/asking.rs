//! What the commands of `uixt mcp` have in common: servers that are started for one piece of work, and how that ends.

use std::sync::Arc;

use crate::cli::exit::{Exit, Failure, runtime};
use crate::cli::signals::Asked;
use crate::mcp::client::{Remote, Servers};

/// Does something with servers, and ends them however it ends.
pub(super) fn with<T>(servers: &Servers, work: impl AsyncFnOnce(&Servers) -> Result<T, Failure>) -> Result<T, Failure> {
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let mut asked = Asked::listen()?;
        let done = tokio::select! {
            done = work(servers) => done,
            () = asked.wait() => Err(Failure::rendered(Exit::Interrupted, "interrupted".to_owned())),
        };
        servers.close().await;
        done
    });
    runtime.shutdown_background();
    done
}

pub(super) fn remote<'a>(servers: &'a Servers, name: &str) -> Result<&'a Arc<Remote>, Failure> {
    servers.get(name).map_err(Failure::usage)
}
