//! Python behind walls: what it can do, what it cannot, and what is left of it.

mod attacks;
mod calls;
mod endings;
mod packages;
mod walls;

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::mcp_stdio::Server;

/// Returns a folder that holds the real Python and nothing else: no bubblewrap is found there.
fn only_python(folder: &Path) -> PathBuf {
    let question = "import os, sys; print(os.path.realpath(sys.executable))";
    let told = Command::new("python3").args(["-I", "-S", "-c", question]).output().expect("Python");
    let python = String::from_utf8(told.stdout).expect("a path");
    let path = folder.join("only_python");
    std::fs::create_dir_all(&path).expect("a folder");
    symlink(python.trim(), path.join("python3")).expect("a link");
    path
}

/// Starts a server for agents that finds Python in a folder, and says hello.
fn server(path: &Path, options: &[&str]) -> Server {
    let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
    command.args(["mcp-server", "--device", "phone", "--toolsets", "microsandbox"]).args(options);
    command.env("PATH", path).env_remove("UIXT_DEVICE");
    let mut server = Server::of(command);
    server.initialize();
    server
}

/// Returns the structured answer to a call.
#[track_caller]
fn ask(server: &mut Server, id: u64, tool: &str, arguments: &Value) -> Value {
    server.call(id, &format!("microsandbox_{tool}"), arguments)["result"]["structuredContent"].take()
}

/// Runs a code in the usual session.
#[track_caller]
fn run(server: &mut Server, id: u64, code: &str) -> Value {
    ask(server, id, "execute", &json!({"code": code}))
}
