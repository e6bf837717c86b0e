//! `uixt record FILE`, also `uixt repl --record FILE`: a person types what to do, or does it in a browser's window, and has it as a testcase.

pub(super) mod line;
mod phone;
mod window;

use std::io::{BufRead, IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;
use tokio::sync::mpsc;
use uixt_call::{Call, CallToolRequest, CallToolResult, Caller, ToolKind, arguments};

use self::line::Line;
use self::window::Window;
use crate::cli::device::devices::Devices;
use crate::cli::device::spec::{DeviceArgs, Spec};
use crate::cli::device::uia2::Uia2Args;
use crate::cli::exit::{Done, Exit, Failure, print, runtime};
use crate::cli::logging;
use crate::cli::signals::Asked;
use crate::driver::browser::Engine;
use crate::driver::{Deed, tidy};
use crate::functions::Functions;
use crate::recorder::{Recorder, Recording};
use crate::testcase::marked_root;
use crate::tools;
use crate::tools::{Audience, Local};

const HELP: &str = "\
what to do, as in a testcase or in plain words:
  tap Sign in · tap e5 · tap: {role: button, text: Sign in}
  input alice into User name · input: {text: …, into: e3, secret: true}
  swipe up · find Checkout (scrolls to it) · press enter · back · launch com.uixt.shop (stop, clear)
  see Welcome (asserts it) · assert_text: {id: total, equals: ¥12.50} · any tool of `uixt tools`
look   the screen again (so does an empty line)   show   the testcase so far
undo   forget the last step (what it did stays)   save   says where it is: every step is saved at once
quit   end (so does Ctrl-D)";

const WINDOW: &str = "\
act in the window, or on the phone: each act becomes a step. What was seen can be asserted here: see Welcome · assert_text: {id: total, equals: ¥12.50}
undo   forget the last step (what it did stays)   show   the testcase so far   quit   end (so does closing the window)";

/// How often the screen is looked at until it stands still, and how long between.
const LOOKS: usize = 10;
const APART: Duration = Duration::from_millis(100);

/// Longest line, in bytes: one that is longer was typed by nobody.
const MAX_LEN: u64 = 1 << 20;

/// Seconds for which a target is waited for where the line does not say; what is recorded waits as usual.
const TIMEOUT: f64 = 4.0;

#[derive(Args)]
pub(in crate::cli) struct Record {
    /// Testcase to write, in YAML.
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) devices: DeviceArgs,
    #[command(flatten)]
    pub(super) uia2: Uia2Args,
    /// Overwrite the testcase.
    #[arg(long)]
    pub(super) force: bool,
    /// Page to open first.
    #[arg(long)]
    pub(super) url: Option<String>,
}

impl Record {
    pub(in crate::cli) fn run(self) -> Done {
        logging::to_stderr(tracing::Level::ERROR);
        let recording = Arc::new(Recording::open(self.file.clone(), self.force).map_err(Failure::usage)?);
        let runtime = runtime()?;
        let done = runtime.block_on(self.talk(recording));
        // Whoever reads the standard input reads on, where it was a signal that ended this.
        runtime.shutdown_background();
        done
    }

    /// Tells whether a person acts in a browser's window, or on a phone. The error says that this device does not tell what they do.
    fn has_window(&mut self) -> Result<bool, Failure> {
        let ways = &self.devices.ways;
        // Who wants to see a window means one of a browser, where nothing else is said.
        match self.devices.device.get_or_insert(Spec::Browser(None)) {
            Spec::Browser(None | Some(Engine::Chrome)) if ways.webdriver_url.is_none() => Ok(true),
            Spec::Browser(_) => Err(Failure::usage(
                "only Chromium and Chrome tell what a person does in their window, and not by a WebDriver: use --device browser:chrome \
                 and no --webdriver-url, or leave --headed out and type what to do",
            )),
            Spec::Phone | Spec::Android(_) | Spec::Farm(_) => Ok(true),
            _ => Err(Failure::usage(
                "only Android phones tell what a person does on them: leave --headed out and type what to do",
            )),
        }
    }

    async fn talk(mut self, recording: Arc<Recording>) -> Done {
        let has_window = self.devices.ways.headed && self.has_window()?;
        let mut devices = Devices::default();
        let (registry, session) = devices.session(&self.devices.or_of_project()?, &self.uia2).await?;
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Files that are chosen in a window may lie anywhere in the project.
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let root = has_window.then(|| marked_root(&whole).unwrap_or(whole));
        let folder = root.as_deref().unwrap_or(folder);
        let session = session.in_folder(folder).with_functions(Functions::of_project(folder));
        let local = Arc::new(Local::new(Arc::clone(&registry), Arc::new(session), Audience::Testcase));
        let recorder = Arc::new(Recorder::new(tools::table(), local, recording));
        let window = match has_window {
            true => {
                let driver = registry
                    .open(self.devices.device.as_ref().map(Spec::platform), None)
                    .await
                    .map_err(Failure::errored)?;
                Some(Window::open(&driver, &recorder, folder))
            }
            false => None,
        };
        let mut talk = Talk {
            recorder,
            window,
            first: self.url.take().map(opening),
            failed: 0,
            slipped: false,
            is_terminal: std::io::stdin().is_terminal(),
        };
        let mut asked = Asked::listen()?;
        let ended = talk.until_the_end(&mut asked).await;
        if let Some(Err(why)) = talk.window.as_mut().map(Window::rest) {
            talk.complain(&why);
        }
        // Of a window that is closed, nothing more can be seen.
        if !talk.window.as_ref().is_some_and(Window::is_closed) {
            talk.recorder.conclude().await;
        }
        talk.recorder.end();
        devices.close().await;
        tidy::finish().await;
        talk.farewell(ended?)
    }
}

/// What a person says or does.
enum Heard {
    Line(Option<Result<String, String>>),
    Deed(Option<(Deed, Instant)>),
}

/// A conversation.
struct Talk {
    recorder: Arc<Recorder>,
    /// Where the person acts, too.
    window: Option<Window>,
    /// What is done before anything else.
    first: Option<CallToolRequest>,
    /// How many lines came to nothing.
    failed: usize,
    /// Whether the last line could not be read.
    slipped: bool,
    is_terminal: bool,
}

impl Talk {
    /// Answers line by line; says whether it was interrupted.
    async fn until_the_end(&mut self, asked: &mut Asked) -> Result<Exit, Failure> {
        let mut lines = lines();
        if self.is_terminal {
            print(if self.window.is_some() { WINDOW } else { "type what to do, or `help`" })?;
        }
        match self.first.take() {
            Some(request) => self.call(request).await?,
            None if self.window.is_none() => self.look().await?,
            None => {}
        }
        let mut is_read = true;
        loop {
            self.prompt();
            let heard = tokio::select! {
                line = lines.recv(), if is_read => Heard::Line(line),
                deed = Window::next(&mut self.window) => Heard::Deed(deed?),
                () = asked.wait() => return Ok(Exit::Interrupted),
            };
            let line = match heard {
                // A window goes on where nobody can type.
                Heard::Line(None) if self.window.is_some() => {
                    is_read = false;
                    continue;
                }
                Heard::Line(None) | Heard::Deed(None) => return Ok(Exit::Passed),
                Heard::Deed(Some(deed)) => {
                    tokio::select! {
                        done = self.record(deed) => done?,
                        () = asked.wait() => return Ok(Exit::Interrupted),
                    }
                    continue;
                }
                Heard::Line(Some(Ok(line))) => line,
                Heard::Line(Some(Err(reason))) => {
                    self.complain(&reason);
                    self.slipped = true;
                    continue;
                }
            };
            // A call that is dropped ends on the device, too.
            let is_over = tokio::select! {
                is_over = self.answer(&line) => is_over?,
                () = asked.wait() => return Ok(Exit::Interrupted),
            };
            if is_over {
                return Ok(Exit::Passed);
            }
        }
    }

    /// Records what was done in the window, and what came of it once nothing more is.
    async fn record(&mut self, deed: (Deed, Instant)) -> Result<(), Failure> {
        let Some(window) = &mut self.window else { return Ok(()) };
        if let Err(reason) = window.record(deed, &self.recorder).await {
            self.complain(&reason);
        }
        if let Some(trouble) = self.recorder.trouble() {
            self.complain(&trouble);
        }
        let waits = self.window.as_ref().is_some_and(Window::is_phone) || !self.recorder.is_typing();
        if waits { self.look().await } else { self.print_new() }
    }

    fn print_new(&mut self) -> Result<(), Failure> {
        self.window.as_mut().map_or(Ok(()), |window| window.print_new(&self.recorder))
    }

    fn prompt(&self) {
        if self.is_terminal && self.window.is_none() {
            let mut out = std::io::stdout().lock();
            // A terminal that is gone ends the input, too.
            let _ = write!(out, "> ").and_then(|()| out.flush());
        }
    }

    /// Does what a line says; tells whether it was the last.
    async fn answer(&mut self, line: &str) -> Result<bool, Failure> {
        if let Some(Err(why)) = self.window.as_mut().map(Window::rest) {
            self.complain(&why);
        }
        match line::read(line) {
            Ok(Line::Quit) => return Ok(true),
            Ok(Line::Nothing) if !line.trim().is_empty() => {}
            Ok(Line::Nothing | Line::Look) => self.look().await?,
            Ok(Line::Help) => print(HELP).map(|_| ())?,
            Ok(Line::Show) => print(&self.recorder.text().unwrap_or_else(|| "no step yet".to_owned())).map(|_| ())?,
            Ok(Line::Save) => print(&self.saved()).map(|_| ())?,
            Ok(Line::Undo) => self.undo()?,
            Ok(Line::Call(request)) => self.call(*request).await?,
            Err(reason) => {
                self.complain(&reason);
                self.slipped = true;
                return Ok(false);
            }
        }
        self.slipped = false;
        Ok(false)
    }

    async fn call(&mut self, request: CallToolRequest) -> Result<(), Failure> {
        let request = impatient(request);
        let is_look = tools::find(&request.name).is_some_and(|tool| tool.read_only || !tool.needs_device);
        let result = self.recorder.call(request, Call::default()).await;
        let told = field(&result, "message");
        if result.is_failure() {
            self.complain(&told);
            return Ok(());
        }
        print(&told)?;
        for extra in ["snapshot", "source"].iter().map(|name| field(&result, name)).filter(|text| !text.is_empty()) {
            print(&extra)?;
        }
        if let Some(trouble) = self.recorder.trouble() {
            self.complain(&trouble);
        }
        if is_look { Ok(()) } else { self.look().await }
    }

    /// Shows the screen once it stands still, or as it is; of a window, whose screen is seen, the steps that are new.
    async fn look(&mut self) -> Result<(), Failure> {
        if let Some(window) = &mut self.window
            && let Some(is_settled) = window.settle().await
        {
            if let Some(why) = window.take_lack() {
                self.complain(&why);
            }
            return if is_settled { self.print_new() } else { Ok(()) };
        }
        let mut before = String::new();
        for _ in 0..LOOKS {
            if self.window.as_ref().is_some_and(Window::has_more) {
                break;
            }
            let result = self.recorder.call(CallToolRequest::new("snapshot"), Call::default()).await;
            if result.is_failure() && self.window.is_none() {
                self.complain(&field(&result, "message"));
                return Ok(());
            }
            let now = field(&result, "snapshot");
            if now == before {
                break;
            }
            before = now;
            tokio::time::sleep(APART).await;
        }
        if self.window.is_some() { self.print_new() } else { print(&before).map(|_| ()) }
    }

    fn undo(&self) -> Result<(), Failure> {
        if self.slipped {
            let told = "the last line was none that did anything, and there is nothing of it to forget; `undo` again forgets \
                        the step before";
            return print(told).map(|_| ());
        }
        let told = match self.recorder.undo() {
            Some(failure) if failure.starts_with("that ") => {
                format!("forgot {failure}: it made no step; `undo` again forgets the step before")
            }
            Some(tool) => format!("forgot {tool}; what it did on the device stays"),
            None => "there is no step to forget".to_owned(),
        };
        print(&told).map(|_| ())
    }

    fn complain(&mut self, reason: &str) {
        self.failed += 1;
        eprintln!("{}", reason.replace("take a snapshot", "type `look`"));
    }

    fn saved(&self) -> String {
        match self.recorder.path() {
            Some(path) => format!("every step is in {}", path.display()),
            None => "there is no step yet, and no file".to_owned(),
        }
    }

    /// Says where the testcase is. Lines that failed count where nobody could read that they did.
    fn farewell(&self, ended: Exit) -> Done {
        if let Some(trouble) = self.recorder.trouble() {
            return Err(Failure::errored(trouble));
        }
        match self.recorder.path() {
            Some(path) => eprintln!("recorded {}; replay it with: uixt run {0}", path.display()),
            None => eprintln!("nothing was recorded"),
        }
        Ok(if ended == Exit::Passed && self.failed > 0 && !self.is_terminal { Exit::Failed } else { ended })
    }
}

/// Returns the call that opens a page.
fn opening(url: String) -> CallToolRequest {
    CallToolRequest::new("open_url").with_arguments([("url".to_owned(), url.into())].into_iter().collect())
}

/// Waits less long for what a person names: a slip of the pen is more likely than a slow page.
fn impatient(mut request: CallToolRequest) -> CallToolRequest {
    let tool = tools::find(&request.name).filter(|tool| tool.kind != ToolKind::Wait);
    let waits = tool.is_some_and(|tool| arguments::valid(tool).any(|name| name == "timeout"));
    if waits {
        request.arguments.get_or_insert_default().entry("timeout").or_insert_with(|| TIMEOUT.into());
    }
    request
}

fn field(result: &CallToolResult, name: &str) -> String {
    let field = result.structured_content.as_ref().and_then(|object| object.get(name)).and_then(Value::as_str);
    field.unwrap_or_default().to_owned()
}

/// Reads the standard input line by line, on a thread of its own: nothing else can wait for it and for a signal.
pub(super) fn lines() -> mpsc::Receiver<Result<String, String>> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        for number in 1.. {
            let line = match next_line(&mut input) {
                Ok(None) => return,
                Ok(Some(line)) => line.map_err(|why| format!("line {number} {why}; it was not run")),
                Err(error) => {
                    let _ = sender.blocking_send(Err(format!("line {number} cannot be read: {error}")));
                    return;
                }
            };
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// Reads a line, or says what is wrong with it; none at the end.
fn next_line(input: &mut impl BufRead) -> std::io::Result<Option<Result<String, String>>> {
    let mut bytes = Vec::new();
    input.by_ref().take(MAX_LEN).read_until(b'\n', &mut bytes)?;
    if bytes.len() as u64 == MAX_LEN && !bytes.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(Some(Err(format!("is longer than {} MiB", MAX_LEN >> 20))));
    }
    let line = String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned());
    Ok(Some(line).filter(|line| line.as_ref().map_or(true, |line| !line.is_empty())))
}
