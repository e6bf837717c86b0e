//! `uixt repl`: a prompt on a device. A line is a step as a testcase writes it, or in short words; what passed is a testcase.

mod complete;
mod input;
mod line;
mod listener;
mod picture;
mod screen;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use uixt_locate::Kind;

use self::complete::Words;
use self::input::{Input, Lines, Remembered};
use self::line::Line;
use self::listener::Listener;
use super::record::Record;
use crate::cli::data;
use crate::cli::device::devices::Devices;
use crate::cli::device::spec::DeviceArgs;
use crate::cli::device::uia2::Uia2Args;
use crate::cli::exit::{Done, Exit, Failure, print, runtime};
use crate::cli::logging;
use crate::cli::run::model_limits::consent;
use crate::cli::run::plan;
use crate::cli::signals::Asked;
use crate::cli::testcases::messages;
use crate::cli::testcases::variables::Variables;
use crate::driver::tidy;
use crate::recorder::{self, Typed};
use crate::result::{Entry, Event, Failure as Told, Outcome};
use crate::runner::journal::Journal;
use crate::runner::{Keep, Options, Planned, Screenshots, Sink, Stepwise};
use crate::testcase::{self, Overrides, Scope, TestCase};
use crate::tools;
use crate::tools::{Audience, Local};
use uixt_tools_ai::Guard;
use uixt_tools_ui::DataFile;

const HELP: &str = "\
a step, as a testcase writes it or in the words of `uixt repl --record`:
  tap: Sign in · tap Sign in · tap e5 · input alice into User name
  input: {text: $password, into: Password} · {get_text: {role: heading}, save: title}
  assert_visible: Welcome, $user · any tool of `uixt tools`; Tab completes names, arguments and what is on the screen
:screen       what is on the screen, with a picture where the terminal shows some
:list         the steps that passed
:undo         forget the last of them, and what it saved (what it did on the device stays)
:save FILE    write them as a testcase; `:save! FILE` overwrites one
:help         this       :quit  end (so does Ctrl-D)       Ctrl-C ends a step that runs";

/// How long before a line Ctrl-C still means the step of that.
const JUST_NOW: Duration = Duration::from_secs(1);

/// The file of the screen's picture, beside the project's data.
const PICTURE: &str = "screen.png";

#[derive(Args)]
pub(in crate::cli) struct Repl {
    #[command(flatten)]
    devices: DeviceArgs,
    #[command(flatten)]
    uia2: Uia2Args,
    #[command(flatten)]
    variables: Variables,
    /// Record into this testcase: a line may be in plain words, and is written at once, with what the screen showed after it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["variables", "env_file"])]
    record: Option<PathBuf>,
    /// Overwrite the testcase of --record.
    #[arg(long, requires = "record")]
    force: bool,
}

impl Repl {
    pub(in crate::cli) fn run(self) -> Done {
        match self.record {
            Some(file) => Record { file, devices: self.devices, uia2: self.uia2, force: self.force, url: None }.run(),
            None => self.try_steps(),
        }
    }

    fn try_steps(self) -> Done {
        logging::to_stderr(tracing::Level::ERROR);
        let overrides = self.variables.overrides()?;
        let here = std::env::current_dir().map_err(|error| Failure::errored(format!("no working folder: {error}")))?;
        let project = testcase::project(&here).map_err(|errors| messages::failure(&errors))?;
        let blank = line::blank().map_err(|errors| messages::failure(&errors))?;
        let case = TestCase { path: here.join(line::FILE), project, ..blank };
        // The functions of the project are found when a line is read in its place.
        let case =
            line::in_place_of(&case, "log: x", &Overrides::default()).map_err(|errors| messages::failure(&errors))?.0;
        let runtime = runtime()?;
        let done = runtime.block_on(self.talk(case, overrides));
        // Whoever reads the standard input reads on, where it was a signal that ended this.
        runtime.shutdown_background();
        done
    }

    async fn talk(mut self, case: TestCase, overrides: Overrides) -> Done {
        self.devices = self.devices.or_of_project()?;
        let mut devices = Devices::default();
        let (registry, session) = devices.session(&self.devices, &self.uia2).await?;
        let root = case.project.root.clone();
        let functions = case.functions.as_ref().map(|python| python.functions.clone());
        let guard = Guard { consent: consent(), ..Guard::default() };
        let session = session.in_folder(&root).with_functions(functions).with(DataFile(data::file(&root)));
        let session = session.with(plan::models(&case, &overrides)).with(guard);
        let local = Local::new(registry, Arc::new(session), Audience::Testcase);
        let listener = Arc::new(Listener::new(Arc::new(local)));
        let folder = tempfile::tempdir().map_err(|error| Failure::errored(format!("no temporary folder: {error}")))?;
        let journal =
            Journal::create(folder.path()).map_err(|error| Failure::errored(format!("no journal: {error}")))?;
        let options = Options {
            overrides: overrides.clone(),
            screenshots: Screenshots::Never,
            evidence: Keep::None,
            ..Options::new(tools::table())
        };
        let sink = Sink::new(journal, vec![Box::new(tell)]);
        let steps = Stepwise::new(case.scope(&overrides), Arc::clone(&listener) as Arc<_>, options, sink);
        let words = Words::default();
        let lines = Lines::open(&root, words.clone());
        let kept = data::file(&root).and_then(|file| Some(file.parent()?.to_owned()));
        let picture = kept.unwrap_or_else(|| folder.path().to_owned()).join(PICTURE);
        let mut talk =
            Talk { case, overrides, listener, steps, passed: Vec::new(), worst: Exit::Passed, words, lines, picture };
        let ended = talk.until_the_end().await;
        devices.close().await;
        tidy::finish().await;
        ended
    }
}

/// A step that passed.
struct Passed {
    typed: Typed,
    /// As it was typed.
    line: String,
    /// The variables before it.
    before: Scope,
}

/// A conversation.
struct Talk {
    /// The project's, in whose place lines are read.
    case: TestCase,
    overrides: Overrides,
    listener: Arc<Listener>,
    steps: Stepwise,
    passed: Vec<Passed>,
    /// The worst that came of a line.
    worst: Exit,
    words: Words,
    lines: Lines,
    /// Where a picture of the screen is kept, where the terminal shows none.
    picture: PathBuf,
}

impl Talk {
    async fn until_the_end(&mut self) -> Done {
        let mut asked = Asked::listen()?;
        if self.lines.is_terminal() {
            print("type a step, or :help")?;
        }
        self.learn().await;
        let mut remember = None;
        loop {
            let is_terminal = self.lines.is_terminal();
            let mut pressed = None;
            let line = {
                let next = self.lines.next(remember.take());
                tokio::pin!(next);
                loop {
                    tokio::select! {
                        line = &mut next => break line,
                        // Pressed just behind a line, it is meant for the step.
                        is_interrupt = asked.is_interrupt() => match is_interrupt && is_terminal {
                            true => pressed = Some(Instant::now()),
                            false => return Ok(Exit::Interrupted),
                        },
                    }
                }
            };
            let stop = CancellationToken::new();
            if pressed.is_some_and(|pressed| pressed.elapsed() < JUST_NOW) {
                stop.cancel();
            }
            let line = match line {
                Input::Line(line) => line,
                // Ctrl-C at the prompt takes the line back.
                Input::Interrupted => continue,
                Input::Unreadable(reason) => {
                    self.complain(&reason);
                    continue;
                }
                Input::End => break,
            };
            match line::read(&line) {
                Line::Nothing => {}
                Line::Quit => break,
                Line::Help => _ = print(HELP)?,
                Line::List => _ = print(&self.list())?,
                Line::Undo => self.undo()?,
                Line::Screen => self.screen().await?,
                Line::Save { file, force } => self.save(&file, force)?,
                Line::Unknown(message) => self.complain(&message),
                Line::Step(step) => self.step(&step, &line, (&mut asked, stop)).await?,
            }
            remember = Some(Remembered { is_kept: self.may_keep(&line), line });
        }
        Ok(if self.lines.is_terminal() { Exit::Passed } else { self.worst })
    }

    /// Tells whether a line may be kept: what is secret is kept nowhere, and of what failed to type something nobody knows.
    fn may_keep(&self, line: &str) -> bool {
        let passed = self.passed.last().filter(|last| last.line == line);
        let types = line.contains("input") || line.contains("type");
        !line.contains("secret") && passed.map_or(!types, |passed| !passed.typed.is_secret(tools::table()))
    }

    fn note(&mut self, exit: Exit) {
        if self.worst != Exit::Errored {
            self.worst = exit;
        }
    }

    fn complain(&mut self, message: &str) {
        self.note(Exit::Failed);
        eprintln!("{message}");
    }

    /// Runs a step, which a signal ends.
    async fn step(
        &mut self,
        step: &str,
        line: &str,
        (asked, stop): (&mut Asked, CancellationToken),
    ) -> Result<(), Failure> {
        let known = self.known();
        let (case, written) = match line::in_place_of(&self.case, step, &known) {
            Ok(read) => read,
            Err(errors) => {
                let colour = std::io::stderr().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
                let told: Vec<String> = errors.iter().map(|error| error.render(colour)).collect();
                self.complain(&told.join("\n"));
                return Ok(());
            }
        };
        let before = self.steps.scope().as_it_stands();
        let planned = planned(case);
        self.listener.forget();
        let outcome = {
            let running = self.steps.run(&planned, stop.clone());
            tokio::pin!(running);
            tokio::select! {
                outcome = &mut running => outcome,
                () = asked.wait() => {
                    stop.cancel();
                    running.await
                }
            }
        };
        asked.forget_interrupt().await;
        let outcome = outcome.map_err(|error| Failure::errored(format!("cannot write the journal: {error}")))?;
        let heard = self.listener.take();
        if outcome >= Outcome::Failed {
            self.note(Exit::of(outcome));
            if stop.is_cancelled() {
                eprintln!("failed: interrupted");
            }
        } else {
            heard.texts.iter().try_for_each(|text| print(text).map(drop))?;
            self.tell_saved(&planned.case)?;
        }
        if outcome < Outcome::Failed && outcome != Outcome::Skipped {
            let typed = Typed { step: written, records: heard.records };
            self.passed.push(Passed { typed, line: line.to_owned(), before });
        }
        self.learn().await;
        Ok(())
    }

    /// Shows what a step saved.
    fn tell_saved(&self, case: &TestCase) -> Result<(), Failure> {
        let scope = self.steps.scope();
        for step in &case.steps {
            let names = step
                .saves
                .iter()
                .map(|save| &save.variable)
                .chain(step.extracts.iter().map(|extract| &extract.variable));
            for name in names {
                let value = scope.evaluate_text(&format!("${{{name}}}")).unwrap_or_default();
                print(&scope.secrets().text(format!("{name} = {value}")))?;
            }
        }
        Ok(())
    }

    /// Returns the variables that a line may name: those of the command line, and what steps have saved.
    fn known(&self) -> Overrides {
        let mut known = self.overrides.clone();
        let steps = self.passed.iter().map(|passed| &passed.typed.step);
        for name in steps.flat_map(line::set_by) {
            known.variables.entry(name).or_insert(Value::Null);
        }
        known
    }

    /// Reads what can be completed: what is on the screen.
    async fn learn(&self) {
        if self.lines.is_terminal() {
            self.words.learn(&screen::text(self.listener.inner()).await.unwrap_or_default());
        }
    }

    async fn screen(&mut self) -> Result<(), Failure> {
        match screen::text(self.listener.inner()).await {
            Ok(text) => print(&text).map(drop)?,
            Err(message) => {
                self.complain(&message);
                return Ok(());
            }
        }
        match screen::picture(self.listener.inner()).await {
            Ok(png) => picture::show(&png, &self.picture, self.lines.is_terminal()),
            Err(message) => self.complain(&message),
        }
        Ok(())
    }

    fn list(&self) -> String {
        match self.passed.is_empty() {
            true => "no step yet".to_owned(),
            false => self.text("steps"),
        }
    }

    fn text(&self, name: &str) -> String {
        let typed: Vec<Typed> = self.passed.iter().map(|passed| passed.typed.clone()).collect();
        recorder::testcase(tools::table(), name, &self.given(), &typed)
    }

    /// Returns the variables of the command line, which a run of the file is not given; those of files are secrets, and stay where they are.
    fn given(&self) -> Map<String, Value> {
        let mut given = self.overrides.variables.clone();
        let environs = self.overrides.environs.keys();
        given.extend(environs.map(|name| (name.clone(), format!("${{ENV({name})}}").into())));
        given
    }

    fn undo(&mut self) -> Result<(), Failure> {
        let told = match self.passed.pop() {
            Some(last) => {
                self.steps.go_back(last.before);
                format!("forgot {}; what it did on the device stays", self.steps.scope().secrets().text(last.line))
            }
            None => "there is no step to forget".to_owned(),
        };
        print(&told).map(drop)
    }

    fn save(&mut self, file: &Path, force: bool) -> Result<(), Failure> {
        if self.passed.is_empty() {
            self.complain("nothing is saved: no step has passed yet");
            return Ok(());
        }
        match recorder::write(file.to_owned(), force, |name| self.text(name)) {
            Ok(()) => print(&format!("saved {}; run it with: uixt run {0}", file.display())).map(drop),
            Err(error) => {
                self.complain(&error.to_string().replace("`--force`", "`:save! FILE`"));
                Ok(())
            }
        }
    }
}

/// Shows what came of an action, or of a step that has none. That it was interrupted is told by whoever was asked to.
fn tell(entry: &Entry) {
    let took = |elapsed_ms: u64| format!("{:.2} s", Duration::from_millis(elapsed_ms).as_secs_f64());
    match &entry.event {
        Event::ActionFinished { error: Some(error), .. } | Event::StepFinished { error: Some(error), .. }
            if error.kind == Kind::Interrupted.name() => {}
        Event::ActionFinished { tool, error: Some(error), elapsed_ms, .. } => {
            eprintln!("failed: {} ({})", error.message, took(*elapsed_ms));
            suggest(tool, error);
        }
        Event::ActionFinished { message, elapsed_ms, .. } => _ = print(&format!("{message} ({})", took(*elapsed_ms))),
        Event::StepFinished { outcome, error: Some(error), .. } if *outcome == Outcome::Skipped => {
            _ = print(&format!("skipped: {}", error.message));
        }
        Event::StepFinished { error: Some(error), outcome, .. } if *outcome >= Outcome::Failed => {
            eprintln!("failed: {}", error.message);
        }
        Event::Log { message, .. } => eprintln!("{message}"),
        _ => {}
    }
}

fn suggest(tool: &str, error: &Told) {
    crate::report::suggestions(tool, Some(error)).iter().for_each(|line| eprintln!("  {line}"));
}

/// Returns a testcase as a run has it.
fn planned(case: TestCase) -> Planned {
    let (lane, own_locks, locks, warnings, secrets) = Default::default();
    Planned { id: format!("{}#0", line::FILE), case, refusal: None, lane, own_locks, locks, warnings, secrets }
}
