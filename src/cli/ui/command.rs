//! `uixt ui`: the page of UI instances, and instances as files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uixt_ui::Ui;
use uixt_ui::page::{self, Pages};

use crate::cli::agent::hosting::admission_here;
use crate::cli::data;
use crate::cli::exit::{Done, Exit, Failure, print, runtime};
use crate::cli::logging;
use crate::cli::signals::Asked;
use crate::mcp::http;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct UiCommand {
    #[command(subcommand)]
    act: Option<Act>,
    /// Port on 127.0.0.1 to serve the page at; 0 picks a free one
    #[arg(long, default_value_t = 8017)]
    port: u16,
}

#[derive(Subcommand)]
enum Act {
    /// Print instances as JSON, all of them where none is named.
    Export {
        /// Ids of instances.
        ids: Vec<String>,
    },
    /// Add the instances of JSON files, as `export` prints them or one in each.
    Import {
        /// JSON files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Replace instances of the same ids
        #[arg(long)]
        replace: bool,
    },
}

impl UiCommand {
    pub(in crate::cli) fn run(self) -> Done {
        logging::to_stderr(tracing::Level::WARN);
        match &self.act {
            None => {
                let runtime = runtime()?;
                let done = runtime.block_on(self.serve());
                runtime.shutdown_background();
                done
            }
            Some(Act::Export { ids }) => export(&*open()?, ids),
            Some(Act::Import { files, replace }) => import(&*open()?, files, *replace),
        }
    }

    async fn serve(&self) -> Done {
        let ui = open()?;
        let mut asked = Asked::listen()?;
        let bound = TcpListener::bind(("127.0.0.1", self.port)).await;
        let listener = bound.map_err(|error| {
            Failure::errored(format!("cannot serve at port {}: {error}; --port 0 picks a free one", self.port))
        })?;
        let address = listener.local_addr().map_err(Failure::errored)?;
        print(&format!("http://{address}{}\n", page::PATH))?;
        eprintln!("instances are kept in {}", ui.path().display());
        let pages = Pages::new(move || Ok(Arc::clone(&ui)));
        let router = page::router(Arc::clone(&pages));
        let served = http::serve_routes(router, admission_here()?, listener, CancellationToken::new());
        tokio::select! {
            served = served => served.map_err(Failure::errored)?,
            () = asked.wait() => pages.close().await,
        }
        Ok(Exit::Passed)
    }
}

fn open() -> Result<Arc<Ui>, Failure> {
    Ui::shared(&data::file_of(Path::new("."))?).map_err(Failure::errored)
}

fn export(ui: &Ui, ids: &[String]) -> Done {
    let all = match ids.is_empty() {
        true => ui.list().map_err(Failure::errored)?.into_iter().map(|summary| summary.now).collect(),
        false => ids.iter().map(|id| ui.get(id)).collect::<Result<Vec<_>, _>>().map_err(Failure::usage)?,
    };
    let instances: Vec<Value> = all.iter().map(|one| one.instance.to_json()).collect();
    print(&format!("{}\n", serde_json::to_string_pretty(&json!({"instances": instances})).unwrap_or_default()))
}

/// Adds the instances of files, all or none where one cannot be read.
fn import(ui: &Ui, files: &[PathBuf], replace: bool) -> Done {
    let mut all: Vec<(&Path, Value)> = Vec::new();
    for file in files {
        all.extend(read(file)?.into_iter().map(|value| (file.as_path(), value)));
    }
    for (file, value) in &all {
        if let Err(error) = uixt_ui::Instance::from_value(value) {
            return Err(Failure::usage(format!("{}: {error}; nothing was added", file.display())));
        }
    }
    for (file, value) in &all {
        let done = if replace { ui.replace(value, "import") } else { ui.import(value) };
        let done = done.map_err(|error| Failure::usage(format!("{}: {error} (--replace does)", file.display())))?;
        println!("{} is in version {}", done.now.instance.id(), done.now.version);
    }
    Ok(Exit::Passed)
}

fn read(file: &Path) -> Result<Vec<Value>, Failure> {
    let wrong = |why: String| Failure::usage(format!("{}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| wrong(format!("not JSON: {error}")))?;
    match value {
        Value::Object(mut map) if map.contains_key("instances") => match map.remove("instances") {
            Some(Value::Array(list)) => Ok(list),
            _ => Err(wrong("`instances` must be a list".to_owned())),
        },
        one => Ok(vec![one]),
    }
}
