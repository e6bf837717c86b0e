//! The process in the background: opens the device, listens, serves, and leaves nothing behind.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::UnixListener;
use uixt_call::{Boxed, Call, CallToolRequest, CallToolResult, Caller, ToolDefinition};

use super::super::call::ending;
use super::Address;
use super::folder::Locked;
use super::masked::Masked;
use super::naming::USUAL;
use super::serving::{About, Host};
use super::start::Start;
use super::stdio;
use crate::cli::agent::recording::Recorded;
use crate::cli::data;
use crate::cli::device::devices::Devices;
use crate::cli::exit::{Done, Exit, Failure, runtime};
use crate::cli::project_tools;
use crate::cli::signals::Asked;
use crate::cli::surroundings;
use crate::driver::{DeviceInfo, tidy};
use crate::functions::Functions;
use crate::tools::{Audience, Local};
use uixt_toolkit::Session;
use uixt_tools_ui::DataFile;

/// What the device is asked first, which opens it.
const FIRST: &str = "get_screen_size";
/// How long closing the device may take.
const CLOSING: Duration = Duration::from_secs(20);
/// The key of a request's `_meta` that marks calls of a text.
const OF_TEXT: &str = "uixtText";

pub(super) fn run(start: &Start) -> Done {
    // Without a terminal, and no Ctrl-C of whoever starts it.
    let _ = rustix::process::setsid();
    let runtime = runtime()?;
    let done = runtime.block_on(serve(start));
    runtime.shutdown_background();
    done
}

async fn serve(start: &Start) -> Done {
    let address = Address::here(&start.name)?;
    address.check_free()?;
    let recorded = start.recording.clone().absolute().open(None)?;
    let mut asked = Asked::listen()?;
    let mut devices = Devices::default();
    let interrupted = || Failure::rendered(Exit::Interrupted, "interrupted".to_owned());
    let opened = tokio::select! {
        opened = open(start, &mut devices, &recorded) => opened,
        () = asked.wait() => Err(interrupted()),
        () = stdio::starter_gone() => Err(interrupted()),
    };
    let listening = opened.and_then(|(caller, device)| {
        let listener = listen(&address)?;
        let line = ready(&address, &device);
        let told = stdio::tell(&line).and_then(|()| stdio::leave());
        told.map_err(|error| {
            remove(&address);
            Failure::errored(error)
        })?;
        Ok((listener, caller, device))
    });
    let ended = match listening {
        Ok((listener, caller, device)) => {
            let about = About::new(&address, serial(&device));
            let host = Host::new(Arc::clone(&caller), about, Duration::from_secs(start.idle.into()));
            let waiting = Arc::new(host).serve(listener, || remove(&address), &mut asked).await;
            recorded.conclude().await;
            caller.end();
            Ok(waiting)
        }
        Err(failure) => Err(failure),
    };
    let _ = tokio::time::timeout(CLOSING, async {
        devices.close().await;
        tidy::finish().await;
    })
    .await;
    drop(devices);
    ended?.tell(&farewell(&recorded)).await;
    Ok(Exit::Passed)
}

/// Opens the device and makes a caller of it.
async fn open(
    start: &Start,
    devices: &mut Devices,
    recorded: &Recorded,
) -> Result<(Arc<dyn Caller>, DeviceInfo), Failure> {
    let (registry, session) = devices.session(&start.devices.or_of_project()?, &start.uia2).await?;
    let here = std::env::current_dir().map_err(Failure::errored)?;
    let session = session.with_functions(Functions::of_project(&here)).with(DataFile(data::file(Path::new("."))));
    let session: Arc<Session> = Arc::new(surroundings::here(None).tell(session).with(start.packages.setting()));
    let folder = start.allow_dir.folder()?;
    let local = |audience| -> Arc<dyn Caller> {
        let local = Local::new(Arc::clone(&registry), Arc::clone(&session), audience);
        Arc::new(start.then.of(local.offering(folder.clone())))
    };
    let typed = local(Audience::Testcase);
    let first = typed.call(CallToolRequest::new(FIRST), Call::default()).await;
    let object = first.structured_content.unwrap_or_default();
    let device = session.selected().filter(|_| object["success"] == true);
    let Some(device) = device else {
        let message = object["message"].as_str().unwrap_or("the device cannot be opened");
        return Err(Failure::rendered(ending::exit(&object), format!("error: {message}")));
    };
    let within = recorded.around(Arc::new(Both { typed, of_text: local(Audience::Text) }));
    let of_text = project_tools::around(Arc::new(Marked(Arc::clone(&within)))).for_agents(Arc::clone(&within), true);
    let caller = Both { typed: Arc::new(project_tools::around(within)), of_text: Arc::new(of_text) };
    Ok((Arc::new(Masked::around(caller)), device.info().clone()))
}

/// Listens at the address, where nobody does meanwhile.
fn listen(address: &Address) -> Result<UnixListener, Failure> {
    let _locked = Locked::made()?;
    address.check_free_here()?;
    UnixListener::bind(&address.socket)
        .map_err(|error| Failure::errored(format!("cannot listen at {}: {error}", address.socket.display())))
}

fn remove(address: &Address) {
    if let Ok(Some(locked)) = Locked::there() {
        locked.remove(&address.socket);
    }
}

fn serial(device: &DeviceInfo) -> String {
    format!("{}:{}", device.platform, device.serial)
}

/// Says what was started, and how to use and end it.
fn ready(address: &Address, device: &DeviceInfo) -> String {
    let name = if device.name.is_empty() { String::new() } else { format!(" ({})", device.name) };
    let option = if address.name == USUAL { String::new() } else { format!(" --session {}", address.name) };
    format!(
        "session `{}` on {}{name}: `uixt call{option} TOOL …` uses it in {}; {} ends it",
        address.name,
        serial(device),
        address.project.display(),
        address.command("stop")
    )
}

fn farewell(recorded: &Recorded) -> Value {
    let files = recorded.files();
    let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    json!({"recorded": files, "trouble": recorded.trouble()})
}

/// Who answers calls that were typed, and who those of a text: one session with two audiences.
struct Both {
    typed: Arc<dyn Caller>,
    of_text: Arc<dyn Caller>,
}

/// Marks what goes to a caller as of a text.
struct Marked(Arc<dyn Caller>);

/// Marks a request as one of a text.
pub(super) fn mark(request: &mut CallToolRequest) {
    request.meta.insert(OF_TEXT.to_owned(), true.into());
}

impl Caller for Both {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.typed.list()
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        let is_of_text = request.meta.contains_key(OF_TEXT);
        if is_of_text { self.of_text.call(request, call) } else { self.typed.call(request, call) }
    }

    fn end(&self) {
        self.typed.end();
    }
}

impl Caller for Marked {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.0.list()
    }

    fn call(&self, mut request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        mark(&mut request);
        self.0.call(request, call)
    }
}
