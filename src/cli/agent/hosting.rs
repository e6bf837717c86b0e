//! `uixt mcp-server --http`: the options of a server over HTTP → where it listens, whom it lets in.

mod routes;
mod sessionless;

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub(super) use self::sessionless::Sessionless;
use super::session_factory::SessionFactory;
use crate::cli::exit::{Failure, print};
use crate::cli::signals::Asked;
use crate::mcp::http::{Admission, Bounds, Http, PATH, Token};

/// The environment variable that holds the token.
const TOKEN: &str = "UIXT_MCP_TOKEN";

#[derive(Args)]
pub(super) struct HttpArgs {
    /// Serve over HTTP at this address rather than on standard input and output: `127.0.0.1:8000`, or a port; 0 picks a free one
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http: Option<String>,
    /// Another name that the server is reached by, as a proxy's, with or without a port
    #[arg(long, value_name = "NAME", requires = "http", value_parser = host)]
    allow_host: Vec<String>,
    /// Web page that may ask the server, as `http://localhost:6274`
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// File with the token that clients must name; `UIXT_MCP_TOKEN` may hold it instead. Beyond this machine there is always one
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// How many sessions over HTTP there may be; the one that idled longest gives way
    #[arg(long, value_name = "N", default_value_t = 64, requires = "http", value_parser = clap::value_parser!(u16).range(1..=1000))]
    max_sessions: u16,
    /// Minutes after which a session over HTTP ends that nobody uses
    #[arg(long, value_name = "MINUTES", default_value_t = 60.0, requires = "http", value_parser = minutes)]
    session_idle: f64,
}

impl HttpArgs {
    /// Returns where to listen, where that was asked for.
    pub(super) fn address(&self) -> Option<&str> {
        self.http.as_deref()
    }

    /// Listens, says where, and serves until the process is asked to end.
    pub(super) async fn serve(&self, address: &str, factory: SessionFactory, asked: &mut Asked) -> Result<(), Failure> {
        raise_file_limit();
        let (caller, server) = factory.sessionless();
        let others = Arc::clone(&factory.others);
        let page = factory.pages.clone().map_or_else(axum::Router::new, uixt_ui::page::router);
        let listener = listen(address).await?;
        let bound = listener.local_addr().map_err(Failure::errored)?;
        let http = Http {
            admission: self.admission(bound.ip().is_loopback())?,
            bounds: Bounds {
                sessions: self.max_sessions.into(),
                idle: Duration::from_secs_f64(self.session_idle * 60.0),
            },
            make: Arc::new(move || factory.server()),
            shared: Arc::new(server),
            others: routes::routes(caller, others).merge(page),
        };
        print(&format!("http://{bound}{PATH}"))?;
        let ended = CancellationToken::new();
        let asking = async {
            asked.wait().await;
            ended.cancel();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            served = http.serve(listener, ended.clone()) => served.map_err(Failure::errored),
            () = asking => Ok(()),
        }
    }

    fn admission(&self, is_loopback: bool) -> Result<Admission, Failure> {
        let token = match (self.token()?, is_loopback) {
            (None, false) => Some(made()?),
            (token, _) => token,
        };
        Ok(Admission { hosts: self.allow_host.clone(), origins: self.allow_origin.clone(), token })
    }

    fn token(&self) -> Result<Option<Token>, Failure> {
        let (text, from) = match &self.token_file {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    Failure::usage(format!("--token-file: cannot read {}: {error}", path.display()))
                })?;
                (text, format!("--token-file {}", path.display()))
            }
            None => match std::env::var(TOKEN) {
                Ok(text) => (text, TOKEN.to_owned()),
                Err(_) => return Ok(None),
            },
        };
        Token::new(&text).map(Some).map_err(|error| Failure::usage(format!("{from}: {error}")))
    }
}

/// Returns whom a server on this machine alone lets in: everybody here, or who names the token of the environment.
pub(in crate::cli) fn admission_here() -> Result<Admission, Failure> {
    let token = match std::env::var(TOKEN) {
        Ok(text) => Some(Token::new(&text).map_err(|error| Failure::usage(format!("{TOKEN}: {error}")))?),
        Err(_) => None,
    };
    Ok(Admission { token, ..Admission::default() })
}

/// Returns whom the studio lets in: who names the token that a folder keeps, so that a page that is open finds the studio again when it is
/// started anew.
pub(in crate::cli) fn studio_admission(folder: &Path) -> Result<(Admission, String), Failure> {
    let file = folder.join("token");
    let wrong = |error: std::io::Error| Failure::errored(format!("{}: {error}", file.display()));
    let text = match std::fs::read_to_string(&file) {
        Ok(text) if Token::new(&text).is_ok() => text.trim().to_owned(),
        _ => {
            let (_, text) = Token::random().map_err(Failure::errored)?;
            std::fs::create_dir_all(folder).map_err(wrong)?;
            let mut options = OpenOptions::new();
            let mut kept = options.write(true).create(true).truncate(true).mode(0o600).open(&file).map_err(wrong)?;
            kept.write_all(text.as_bytes()).map_err(wrong)?;
            text
        }
    };
    let token = Token::new(&text).map_err(Failure::errored)?;
    Ok((Admission { token: Some(token), ..Admission::default() }, text))
}

/// Makes a token and tells the person who started the server, and nobody else.
fn made() -> Result<Token, Failure> {
    let (token, text) = Token::random().map_err(Failure::errored)?;
    eprintln!("other machines can reach the server, so clients must send this header:");
    eprintln!("Authorization: Bearer {text}");
    eprintln!("(another token with every start; {TOKEN} or --token-file sets one)");
    Ok(token)
}

/// Lets there be as many connections as the machine allows, rather than the 1,024 files of a shell.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

async fn listen(address: &str) -> Result<TcpListener, Failure> {
    if is_url(address) {
        let message =
            format!("--http {address}: a URL is for --print-config; name an address to listen at: 127.0.0.1:8000");
        return Err(Failure::usage(message));
    }
    let bound = match address.parse::<u16>() {
        Ok(port) => TcpListener::bind(("127.0.0.1", port)).await,
        Err(_) => TcpListener::bind(address).await,
    };
    bound.map_err(|error| Failure::errored(format!("cannot listen at `{address}`: {error}")))
}

/// Checks where to listen, as far as that can be seen.
/// Tells whether a text is a URL of a server.
pub(super) fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

fn address(text: &str) -> Result<String, String> {
    let is_port = |port: &str| port.parse::<u16>().is_ok();
    let is_whole = text.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && is_port(port));
    // Only what is printed for a host may name a server that runs elsewhere.
    match is_port(text) || is_whole || is_url(text) {
        true => Ok(text.to_owned()),
        false => Err("an address is a port from 0 to 65535, or a host with one: 127.0.0.1:8000, [::1]:8000".to_owned()),
    }
}

fn host(text: &str) -> Result<String, String> {
    let is_name = |authority: &axum::http::uri::Authority| !authority.host().is_empty() && !text.contains('@');
    match text.parse() {
        Ok(authority) if is_name(&authority) => Ok(text.to_owned()),
        _ => Err("a host is a name, with or without a port: proxy.example:8443".to_owned()),
    }
}

fn minutes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if (0.001..=100_000.0).contains(&minutes) => Ok(minutes),
        _ => Err("minutes are a number from 0.001 to 100000".to_owned()),
    }
}
