//! Where a call may look: the project's files, a `SearXNG`, a search tool of an MCP server.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use uixt_call::{Content, Progress, Servers};
use uixt_code::Limits;
use uixt_locate::{Error, Object};
use uixt_research::{Boxed, Found, Project, Searxng, Source, links};
use uixt_toolkit::{Context, other_servers};

/// How long a search tool of a server may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a session is told of research; by default only files are looked at, and no index of them is kept.
#[derive(Clone, Debug, Default)]
pub struct ResearchSources {
    /// The address of a `SearXNG`.
    pub searxng: Option<String>,
    /// An MCP server of the user's file, and its tool that searches.
    pub server: Option<(String, String)>,
    /// Hosts outside of the public internet whose pages are read.
    pub hosts: Vec<String>,
    /// Where the index of the project's files is kept.
    pub index: Option<PathBuf>,
}

/// Returns all places where this call may look; `patience` is for reading files that have changed.
pub(super) fn all(cx: &Context, told: &ResearchSources, patience: Duration) -> Result<Vec<Box<dyn Source>>, Error> {
    let mut all: Vec<Box<dyn Source>> = Vec::new();
    let folder = cx.readable();
    if let Ok((_, root)) = &folder {
        let project = Arc::new(Project::new(root.clone(), told.index.clone()).asked_by(cx.options.testcase.as_deref()));
        all.push(Box::new(Files { project, patience, progress: cx.progress.clone() }));
    }
    if let Some(address) = &told.searxng {
        all.push(Box::new(
            Searxng::new(address)
                .map_err(|why| Error::bad_argument(format!("`research: searxng:` of uixt.yaml: {why}")))?,
        ));
    }
    if let Some((server, tool)) = &told.server {
        let servers = other_servers::of(cx).filter(|servers| servers.names(server));
        let missing = || {
            let why = "no file of servers that is used here names it; give one with --mcp-config, or --with for agents";
            Error::bad_argument(format!("`research: server: {server}` of uixt.yaml: {why}"))
        };
        let servers = servers.ok_or_else(missing)?;
        all.push(Box::new(SearchTool { servers, server: server.clone(), tool: tool.clone() }));
    }
    match folder {
        Err(error) if all.is_empty() => {
            let message = format!(
                "there is nothing to look at: {}; or name a search engine in `research:` of uixt.yaml",
                error.message
            );
            Err(Error { message, ..error })
        }
        _ => Ok(all),
    }
}

/// The project's files.
struct Files {
    project: Arc<Project>,
    patience: Duration,
    progress: Progress,
}

impl Files {
    async fn ask(&self, questions: &[String]) -> Vec<Result<Found, String>> {
        let limits = Limits::after(self.patience);
        // Dropped where the call is.
        let _cancel = limits.cancel();
        let (project, asked, progress) = (Arc::clone(&self.project), questions.to_vec(), self.progress.clone());
        let find = move || {
            let fraction = |done: usize, of: usize| {
                let number = |number: usize| u32::try_from(number).map_or(f64::MAX, f64::from);
                progress.say(number(done), number(of), || format!("Read {done} of {of} files that have changed"));
            };
            project.find(&asked, &limits, &fraction)
        };
        let found = tokio::task::spawn_blocking(find).await.unwrap_or_else(|error| Err(error.to_string()));
        match found {
            Ok(finding) => {
                let of = |passages| Ok(Found::Passages(passages, finding.unread.clone()));
                finding.passages.into_iter().map(of).collect()
            }
            Err(why) => questions.iter().map(|_| Err(why.clone())).collect(),
        }
    }
}

impl Source for Files {
    fn name(&self) -> &'static str {
        "project"
    }

    fn is_of_web(&self) -> bool {
        false
    }

    fn find<'a>(&'a self, questions: &'a [String]) -> Boxed<'a, Vec<Result<Found, String>>> {
        Box::pin(self.ask(questions))
    }
}

/// A search tool of an MCP server, which takes a `query`.
struct SearchTool {
    servers: Arc<dyn Servers>,
    server: String,
    tool: String,
}

impl SearchTool {
    async fn ask(&self, question: &str) -> Result<Found, String> {
        let (server, tool) = (self.server.as_str(), self.tool.as_str());
        let failed = |error: Error| format!("{tool} of {server}: {}", error.message);
        let checked = self.servers.check(server, tool, json!({"query": question}), Some(PATIENCE)).await;
        let arguments: Object = checked.map_err(failed)?;
        let called = self.servers.call(server, tool, arguments, Some(PATIENCE), Progress::default()).await;
        let result = called.map_err(failed)?;
        let text = result.content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n");
        if result.is_failure() {
            return Err(format!(
                "{tool} of {server} answers with an error: {}",
                text.chars().take(200).collect::<String>()
            ));
        }
        Ok(Found::Links(links(&text)))
    }
}

impl Source for SearchTool {
    fn name(&self) -> &str {
        &self.server
    }

    fn is_of_web(&self) -> bool {
        true
    }

    fn find<'a>(&'a self, questions: &'a [String]) -> Boxed<'a, Vec<Result<Found, String>>> {
        // One after the other: servers that ask a service of a free plan are refused otherwise.
        Box::pin(async move {
            let mut all = Vec::new();
            for question in questions {
                all.push(self.ask(question).await);
            }
            all
        })
    }
}
