//! `uixt run --watch`: runs, then waits for what is saved, and runs what that belongs to again, on the devices that stay open.
//!
//! The last case that did not pass is left as it stands, and goes on at its failed step where no step before it is another one.
//! Whatever else runs on its device ends that.

mod choice;
mod events;
mod keys;
mod shape;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use self::choice::{Choice, State};
use self::events::Events;
use self::keys::{Key, Keys};
use self::shape::{Digest, Shape, digest, whole};
use super::command::{Reserved, Run};
use super::plan::RunSettings;
use super::pool::{PoolArgs, Slot};
use super::run_hooks::RunHooks;
use super::selection::Selection;
use crate::cli::exit::{Done, Exit, Failure, runtime};
use crate::cli::signals::Asked;
use crate::cli::testcases::messages;
use crate::driver::tidy;
use crate::result::Outcome;
use crate::runner::journal::{Journal, Reader};
use crate::runner::{
    self, Ended, HookPoint, Options, PausedCaseSlot, Plan, Planned, RerunSelection, Sink, Worker, case_id,
};
use crate::testcase::{self, Overrides, TestCase};

/// Where what tidies up after a case that stood is written down, in the folder of its run.
const TEARDOWN: &str = "teardown";

pub(super) fn run(run: &Run) -> Done {
    if run.pool.device.len() > 1 {
        let help = "a case goes on where it stands, on the one device there is: name one with --device";
        return Err(Failure::usage(format!("--watch runs on one device\n  = {help}")));
    }
    if let Some(missing) = run.paths.iter().find(|path| !path.exists()) {
        return Err(Failure::usage(format!("{}: there is no such file or folder", missing.display())));
    }
    let overrides = run.selection.overrides()?;
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let mut watcher = Watcher::new(run, overrides)?;
        let ended = watcher.go_on().await;
        watcher.close().await;
        ended
    });
    // A look that hangs on a device must not keep the process.
    runtime.shutdown_timeout(Duration::from_millis(200));
    ended
}

/// What is to be run.
enum Due {
    All,
    /// What did not pass.
    Failed,
    /// What these files belong to.
    Saved(BTreeSet<PathBuf>),
}

/// A testcase as it ran last.
struct Known {
    case: TestCase,
    shape: Shape,
    /// The ids of its cases that did not pass.
    failed: BTreeSet<String>,
}

/// Testcases as they are now.
struct Loaded {
    cases: Vec<(TestCase, Shape)>,
    hooks: RunHooks,
}

struct Watcher<'a> {
    run: &'a Run,
    overrides: Overrides,
    /// Whoever waits for what is asked holds it meanwhile.
    asked: tokio::sync::Mutex<Asked>,
    events: Events,
    /// What stood in the files when they were read.
    files: BTreeMap<PathBuf, Digest>,
    /// By the testcase's file as it is shown.
    known: BTreeMap<String, Known>,
    standing: Arc<PausedCaseSlot>,
    /// What all runs share, and the worker of the last one; none before the first.
    open: Option<(RunSettings, Arc<Slot>)>,
    /// What runs once all others have.
    last_hooks: RunHooks,
    last_folder: PathBuf,
    last: Exit,
}

impl<'a> Watcher<'a> {
    fn new(run: &'a Run, overrides: Overrides) -> Result<Self, Failure> {
        let mut events = Events::new()?;
        for path in run.paths.iter().filter(|path| path.is_dir()) {
            events.watch(&whole(path), true)?;
        }
        Ok(Self {
            run,
            overrides,
            asked: tokio::sync::Mutex::new(Asked::listen()?),
            events,
            files: BTreeMap::new(),
            known: BTreeMap::new(),
            standing: Arc::default(),
            open: None,
            last_hooks: RunHooks::new(),
            last_folder: PathBuf::new(),
            last: Exit::Passed,
        })
    }

    /// Runs and waits in turns, until somebody ends it.
    async fn go_on(&mut self) -> Done {
        let mut due = Some(Due::All);
        while let Some(what) = due {
            match self.load().map(|loaded| self.choose(loaded, &what)) {
                Ok((loaded, chosen)) if !chosen.is_empty() => match self.run_chosen(loaded, &chosen).await {
                    Ok(Exit::Interrupted) => return Ok(Exit::Interrupted),
                    Ok(exit) => self.last = exit,
                    // Without a device there is nothing to wait for.
                    Err(failure) if self.open.is_none() => return Err(failure),
                    Err(failure) => self.complain(&failure),
                },
                Ok(_) => {}
                Err(failure) => self.complain(&failure),
            }
            due = self.wait().await?;
        }
        Ok(self.last)
    }

    fn complain(&mut self, failure: &Failure) {
        self.last = failure.exit;
        eprintln!("{failure}");
    }

    /// Reads everything, until what was read is what stands in the files, all of which are watched.
    fn load(&mut self) -> Result<Loaded, Failure> {
        loop {
            let found = testcase::files(&self.run.paths).into_iter().map(|file| whole(&file));
            let files: BTreeSet<PathBuf> = self.files.keys().cloned().chain(found).collect();
            for folder in files.iter().filter_map(|file| file.parent()) {
                self.events.watch(folder, false)?;
            }
            self.files =
                files.into_iter().map(|file| (digest(&file), file)).map(|(digest, file)| (file, digest)).collect();
            let (cases, hooks) = self.run.selection.load(&self.run.paths, &self.overrides)?;
            Selection::check_environment(&cases, &self.overrides)?;
            let cases: Vec<_> =
                cases.into_iter().map(|case| (Shape::of(&case), case)).map(|(shape, case)| (case, shape)).collect();
            let is_seen = |file: &PathBuf| self.files.get(file).is_some_and(|read| *read == digest(file));
            let used: BTreeSet<PathBuf> = cases.iter().flat_map(|(_, shape)| shape.files.iter().cloned()).collect();
            if used.iter().all(is_seen) {
                return Ok(Loaded { cases, hooks });
            }
            self.files.extend(used.into_iter().map(|file| (file, None)));
        }
    }

    /// Picks what runs: what goes on where it stands comes first, before anything else touches the device.
    fn choose(&self, loaded: Loaded, due: &Due) -> (Loaded, Vec<(usize, Choice)>) {
        let mut chosen = Vec::new();
        for (position, (case, shape)) in loaded.cases.iter().enumerate() {
            let known = self.known.get(&case.file);
            let before = known.map(|known| &known.shape);
            let choice = match (due, before) {
                (Due::All, _) => Some(Choice { goes_on: false, why: String::new() }),
                (Due::Saved(_), None) => Some(Choice { goes_on: false, why: format!("{} is new", case.file) }),
                (Due::Saved(saved), Some(before)) if !shape.files.is_disjoint(saved) || before != shape => {
                    choice::of_saved(case, (before, shape), saved, self.state(&case.file))
                }
                (Due::Failed, Some(before)) if known.is_some_and(|known| !known.failed.is_empty()) => {
                    Some(choice::of_failed(case, (before, shape), self.state(&case.file)))
                }
                _ => None,
            };
            chosen.extend(choice.map(|choice| (position, choice)));
        }
        if chosen.is_empty() {
            eprintln!(
                "{}",
                match due {
                    Due::Failed => "nothing failed",
                    Due::All | Due::Saved(_) => "nothing that runs has changed",
                }
            );
        }
        chosen.sort_by_key(|(_, choice)| !choice.goes_on);
        (loaded, chosen)
    }

    fn state(&self, file: &str) -> State {
        let failed = self.known.get(file).map_or(0, |known| known.failed.len());
        let stands = self.standing.case().filter(|(id, _)| is_of(id, file)).map(|(_, step)| step);
        State { failed, stands }
    }

    /// Runs what was chosen, as a run with a report of its own.
    async fn run_chosen(&mut self, mut loaded: Loaded, chosen: &[(usize, Choice)]) -> Done {
        chosen.iter().filter(|(_, choice)| !choice.why.is_empty()).for_each(|(_, choice)| eprintln!("{}", choice.why));
        let goes_on = chosen.first().is_some_and(|(_, choice)| choice.goes_on);
        if !goes_on {
            self.leave().await;
        }
        let only = if goes_on { self.only(&loaded, chosen) } else { None };
        let cases: Vec<TestCase> = chosen.iter().map(|(position, _)| loaded.cases[*position].0.clone()).collect();
        let hooks =
            if self.open.is_none() { self.first_hooks(std::mem::take(&mut loaded.hooks)) } else { RunHooks::new() };
        let options =
            Options { only, standing: Some(Arc::clone(&self.standing)), ..self.run.options(self.overrides.clone()) };
        let ended = self.run_cases(cases, hooks, options, goes_on).await?;
        self.learn(loaded, chosen)?;
        Ok(self.run.exit(ended))
    }

    /// Returns which cases of the chosen testcases run: of the one that goes on, only the row that stands.
    fn only(&self, loaded: &Loaded, chosen: &[(usize, Choice)]) -> Option<RerunSelection> {
        let (case, _) = self.standing.case()?;
        let others = chosen.iter().filter(|(_, choice)| !choice.goes_on);
        let begun = others.map(|(position, _)| loaded.cases[*position].0.file.clone()).collect();
        Some(RerunSelection { failed: [case].into(), begun, ..RerunSelection::default() })
    }

    /// Takes what runs before all cases; what runs after them waits for the end.
    fn first_hooks(&mut self, hooks: RunHooks) -> RunHooks {
        let is_before = |moment: HookPoint| matches!(moment, HookPoint::BeforeRun | HookPoint::BeforeDevice);
        let (before, after) = hooks.into_iter().partition(|(moment, _)| is_before(*moment));
        self.last_hooks = after;
        before
    }

    /// Runs cases on the devices that are open, or opens them.
    async fn run_cases(
        &mut self,
        cases: Vec<TestCase>,
        hooks: RunHooks,
        options: Options,
        goes_on: bool,
    ) -> Result<Ended, Failure> {
        let folder = self.run.folder()?;
        let _reserved = Reserved(folder.clone());
        let stop = CancellationToken::new();
        let done = {
            let work = self.work((cases, hooks), options, (&folder, goes_on), stop.clone());
            tokio::pin!(work);
            let mut asked = self.asked.lock().await;
            tokio::select! {
                done = &mut work => done,
                () = asked.wait() => {
                    stop.cancel();
                    tokio::select! {
                        done = &mut work => done,
                        () = asked.wait() => std::process::exit(Exit::Interrupted as i32),
                    }
                }
            }
        };
        let (ended, settings, slot) = done?;
        self.open = slot.map(|slot| (settings, slot));
        self.last_folder = folder;
        Ok(ended)
    }

    async fn work(
        &self,
        (cases, hooks): (Vec<TestCase>, RunHooks),
        options: Options,
        (folder, goes_on): (&Path, bool),
        stop: CancellationToken,
    ) -> Result<(Ended, RunSettings, Option<Arc<Slot>>), Failure> {
        // What goes on is a part of a case, and says nothing of the whole.
        let outcomes = if goes_on || self.open.is_some() { None } else { self.run.outcomes(&cases) };
        let reports = folder.to_path_buf();
        let (settings, planned) = match &self.open {
            None => {
                let settings = self.run.settings(&self.overrides, folder);
                let planned = self.run.pool.plan(&Arc::new(settings.clone()), cases, hooks).await?;
                (settings, planned)
            }
            Some((settings, slot)) => {
                let settings = RunSettings { reports, goes_on, ..settings.clone() };
                let slot = slot.again(&Arc::new(settings.clone()));
                let planned = PoolArgs::plan_on(vec![Arc::new(slot)], cases, hooks).await?;
                (settings, planned)
            }
        };
        let (cases, hooks, slots) = planned;
        messages::warn(cases.iter().flat_map(|planned| &planned.warnings));
        let workers = slots.iter().map(|slot| Arc::clone(slot) as Arc<dyn Worker>).collect();
        let paths = self.run.paths.iter().map(|path| path.display().to_string()).collect();
        let plan = Plan { paths, cases, around: hooks, workers, ..Plan::default() };
        let ended = self.run.report(plan, options, folder, (Vec::new(), outcomes), stop).await?;
        Ok((ended, settings, slots.into_iter().next()))
    }

    /// Takes note of how the cases ended, and of what they are made of.
    fn learn(&mut self, loaded: Loaded, chosen: &[(usize, Choice)]) -> Result<(), Failure> {
        let mut failed: Vec<String> = Vec::new();
        for case in Reader::open(&self.last_folder).map_err(Failure::errored)? {
            let case = case.map_err(Failure::errored)?;
            if case.outcome >= Outcome::Failed {
                failed.push(case.id);
            }
        }
        for (position, (case, shape)) in loaded.cases.into_iter().enumerate() {
            let file = case.file.clone();
            if chosen.iter().any(|(of, _)| *of == position) {
                let failed = failed.iter().filter(|id| is_of(id, &file)).cloned().collect();
                self.known.insert(file, Known { case, shape, failed });
            } else if let Some(known) = self.known.get_mut(&file).filter(|known| known.failed.is_empty()) {
                (known.case, known.shape) = (case, shape);
            }
        }
        // What a run wrote itself was not saved by anybody.
        let data: Vec<PathBuf> = self.files.keys().filter(|file| !is_source(file)).cloned().collect();
        self.files.extend(data.into_iter().map(|file| (digest(&file), file)).map(|(digest, file)| (file, digest)));
        Ok(())
    }

    /// Tidies up after the case that stands, if there is one.
    async fn leave(&mut self) {
        let Some(stand) = self.standing.take() else { return };
        let known = self.known.values().find(|known| stand.is_of(&known.case.file));
        let Some(case) = known.map(|known| known.case.clone()) else { return };
        if case.config.teardown.is_empty() && case.config.on_failure.is_empty() {
            return stand.end();
        }
        let folder = self.last_folder.join(TEARDOWN);
        let file = case.file.clone();
        let sink = Journal::create(&folder).map(|journal| Sink::new(journal, Vec::new()));
        let options = self.run.options(self.overrides.clone());
        let done = match sink {
            Ok(sink) => runner::leave(stand, planned(case), options, sink, CancellationToken::new()).await,
            Err(error) => Err(error),
        };
        match done {
            Ok(outcome) if outcome < Outcome::Failed => eprintln!("{file}: its teardown has run"),
            Ok(_) => {
                eprintln!("warning: {file}: its teardown did not pass: {}", folder.join("journal.jsonl").display());
            }
            Err(error) => {
                eprintln!("warning: {file}: its teardown could not be written down in {}: {error}", folder.display());
            }
        }
    }

    /// Waits until something is to be run; none at the end.
    async fn wait(&mut self) -> Result<Option<Due>, Failure> {
        let mut keys = Keys::listen();
        eprintln!("{}", self.told(keys.is_some()));
        let mut asked = self.asked.lock().await;
        loop {
            if !Self::saved(self.run, &self.files).is_empty() {
                self.events.quiet().await;
                // What is saved in place is empty first, for as long as its editor takes.
                if Self::saved(self.run, &self.files).iter().any(|file| is_empty(file)) {
                    self.events.more().await;
                }
                let saved = Self::saved(self.run, &self.files);
                if !saved.is_empty() {
                    return Ok(Some(Due::Saved(saved)));
                }
            }
            let key = async {
                match &mut keys {
                    Some(keys) => keys.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.events.written() => {}
                key = key => return Ok(match key {
                    Key::Again => Some(Due::All),
                    Key::FromFailed => Some(Due::Failed),
                    Key::End => None,
                }),
                () = asked.wait() => return Ok(None),
            }
        }
    }

    /// Returns the files in which something else stands than when they were read, and testcases that are new.
    fn saved(run: &Run, read: &BTreeMap<PathBuf, Digest>) -> BTreeSet<PathBuf> {
        let found = testcase::files(&run.paths).into_iter().map(|file| whole(&file));
        let files: BTreeSet<PathBuf> = read.keys().cloned().chain(found).collect();
        files.into_iter().filter(|file| read.get(file).copied().flatten() != digest(file)).collect()
    }

    fn told(&self, has_keys: bool) -> String {
        let files = messages::count(self.files.values().flatten().count(), "file");
        let stands = self.standing.case().and_then(|(id, step)| {
            let (file, _) = case_id::parts(&id)?;
            Some(format!("{file} stands at step {}; ", step + 1))
        });
        let keys = match (has_keys, &stands) {
            (false, _) => "",
            (true, None) => "; Enter: run again, f: what failed, q: end",
            (true, Some(_)) => "; Enter: run again from the start, f: from the failed step, q: end",
        };
        format!("{}watching {files}{keys}", stands.unwrap_or_default())
    }

    /// Runs what is left for the end, and closes the devices.
    async fn close(&mut self) {
        self.leave().await;
        if !self.last_hooks.is_empty() && self.open.is_some() {
            // On the one worker there is, both moments are the same.
            let hooks = std::mem::take(&mut self.last_hooks);
            let hooks = hooks.into_iter().map(|(_, case)| (HookPoint::AfterRun, case)).collect();
            let options = self.run.options(self.overrides.clone());
            if let Err(failure) = self.run_cases(Vec::new(), hooks, options, false).await {
                eprintln!("{failure}");
            }
        }
        if let Some((settings, slot)) = self.open.take() {
            settings.servers.1.lock().await.close().await;
            slot.close().await;
        }
        tidy::finish().await;
    }
}

/// Tells whether a case is one of a testcase.
fn is_of(id: &str, file: &str) -> bool {
    case_id::parts(id).is_some_and(|(of, _)| of == file)
}

fn is_empty(file: &Path) -> bool {
    file.metadata().is_ok_and(|file| file.len() == 0)
}

/// Tells whether a file is one that people write rather than runs.
fn is_source(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name == ".env" || [".yaml", ".yml", ".json", ".py"].iter().any(|end| name.ends_with(end))
}

/// Returns a testcase as a run has it.
fn planned(case: TestCase) -> Planned {
    let (lane, own_locks, locks, warnings, secrets) = Default::default();
    Planned { id: case.file.clone(), case, refusal: None, lane, own_locks, locks, warnings, secrets }
}
