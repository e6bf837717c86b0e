//! Where an hdc server is, and how one is started where the user has the program: uixt has none of its own.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

/// The port of an hdc server, where `OHOS_HDC_SERVER_PORT` names no other.
const PORT: u16 = 8710;
const PORT_VARIABLE: &str = "OHOS_HDC_SERVER_PORT";
/// How long the program may take to start its server.
const STARTING: Duration = Duration::from_secs(15);

/// Returns the address where a server is expected on this computer.
pub fn usual_address() -> String {
    let port = std::env::var(PORT_VARIABLE).ok().and_then(|port| port.trim().parse::<u16>().ok());
    format!("127.0.0.1:{}", port.filter(|port| *port != 0).unwrap_or(PORT))
}

/// Returns the program `hdc`, on the PATH or in the folder `HDC_HOME`.
fn program() -> Option<PathBuf> {
    let name = if cfg!(windows) { "hdc.exe" } else { "hdc" };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::var_os("HDC_HOME").map(PathBuf::from);
    let mut folders = home.into_iter().chain(std::env::split_paths(&path));
    folders.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file()))
}

/// Starts a server by the program; tells whether there is one that said it did.
pub(crate) async fn start() -> bool {
    let Some(program) = program() else { return false };
    let mut command = tokio::process::Command::new(program);
    command.arg("start").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    match tokio::time::timeout(STARTING, command.status()).await {
        Ok(Ok(status)) => status.success(),
        other => {
            tracing::warn!(?other, "`hdc start` did not start a server");
            false
        }
    }
}

/// Says what to do where no server answers.
pub(crate) fn advice(address: &str) -> String {
    let other = "name another by --hdc-server, or use --device harmony-phone";
    match (address == usual_address(), program().is_some()) {
        (true, true) => format!("run `hdc start` by hand and see what it says; or {other}"),
        (true, false) => format!(
            "start one with `hdc start`, which comes with DevEco Studio and OpenHarmony's command line tools (put `hdc` on the PATH, or its \
             folder into HDC_HOME); or {other}"
        ),
        (false, _) => format!("start one there with `hdc -s {address} -m`; or {other}"),
    }
}
