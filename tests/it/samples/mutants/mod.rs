//! Seeded changes of the phone's apps, as real apps have them: each must be found by the suite that covers the app, with a message
//! that names the cause.
//!
//! No mutant is in the program: a phone is made with changed apps (their pages' texts, their facts, their functions), and with a
//! shop whose server answers something else. `target/mutants.md` tells how each was found.

mod app;
mod live;
mod replay;
mod server;
mod settings;
mod shop;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinSet;
use uixt::adb;
use uixt::phone::apps::{self, AppDefinition};
use uixt::phone::system::{Options, System};
use uixt::phone::{HarmonyOptions, HarmonyPhone, Iphone, IphoneOptions, Phone};
use uixt::result::Outcome;

use crate::support::sample_runs::{self, Story};
use server::Server;

/// Phones at a time: with a mutant, each waits most of the time for something that does not come.
const PHONES: usize = 4;
const PHONES_WITH_MUTANTS: usize = 24;

/// How many there must be at least.
const COUNT: usize = 60;

/// What is said in other words on iPhones, by the mutants' names.
const ON_IPHONES: [(&str, &[&str]); 4] = [
    ("the user is to be remembered unasked", &["switch \"Remember me\"", "is checked"]),
    ("a button is not translated", &["role button, \"登录\"", "button: \"Back\", \"Sign in\""]),
    ("the terms are agreed to from the start", &["switch \"I accept the terms\"", "is checked"]),
    ("a field eats letters", &["does not hold the 12 characters that were typed"]),
];

/// The same of HarmonyOS phones.
const ON_HARMONY: [(&str, &[&str]); 1] =
    [("a field eats letters", &["does not hold the 12 characters that were typed"])];
/// Only with an agent they can be turned.
const TURNS: &str = "trouble/turning.yaml";

/// What goes wrong, of which there must be some each.
const KINDS: [&str; 7] =
    ["wrong text", "dead button", "missing row", "late page", "wrong total", "swapped", "stale state"];

/// A change of an app.
#[derive(Clone, Copy)]
struct Mutant {
    /// What is wrong with the app now.
    name: &'static str,
    kind: &'static str,
    /// The testcase that must find it, in testcases/.
    suite: &'static str,
    /// What the message must say.
    cause: &'static [&'static str],
    change: app::Change,
}

/// What came of a mutant.
struct Trial {
    mutant: Mutant,
    step: String,
    message: String,
    /// Why it does not count as found; none where it does.
    wrong: Option<String>,
}

fn all() -> Vec<Mutant> {
    [shop::MUTANTS, settings::MUTANTS, live::MUTANTS, app::MUTANTS].concat()
}

/// What a suite runs on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Phone,
    Iphone,
    Harmony,
}

impl Kind {
    /// Returns what is said in other words on it, by the mutants' names.
    fn otherwise(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Self::Phone => &[],
            Self::Iphone => &ON_IPHONES,
            Self::Harmony => &ON_HARMONY,
        }
    }
}

/// Gives a phone other apps.
async fn change_apps(system: &Mutex<System>, apps: &[AppDefinition]) {
    let mut system = system.lock().await;
    let mut changed = System::with_apps(system.options().clone(), apps).await.expect("apps that can be read");
    changed.settings = std::mem::take(&mut system.settings);
    *system = changed;
}

/// Runs a suite on a device with these apps; also tells which pages were shown.
async fn run(kind: Kind, suite: &str, apps: &[AppDefinition]) -> (Story, String) {
    let case = sample_runs::load(&format!("testcases/{suite}")).pop().expect("a testcase");
    match kind {
        Kind::Phone => {
            let phone = Phone::start(Options::default(), 0).await.expect("a phone starts");
            change_apps(&phone.system(), apps).await;
            let story = sample_runs::run_on(&phone, case, None, sample_runs::options()).await;
            let device = adb::Server::new(phone.address().to_string()).device("uixt-phone");
            let log = device.shell("logcat -d").await.expect("the log is read");
            (story, String::from_utf8_lossy(&log.stdout).into_owned())
        }
        Kind::Iphone => {
            let iphone = Iphone::start(IphoneOptions::default()).await.expect("an iPhone starts");
            change_apps(&iphone.system(), apps).await;
            let story = sample_runs::run_on_iphone(&iphone, case).await;
            (story, iphone.log().await)
        }
        Kind::Harmony => {
            let options = HarmonyOptions::default();
            let key = options.key.clone();
            let phone = HarmonyPhone::start(vec![options]).await.expect("a phone starts");
            change_apps(&phone.systems()[0], apps).await;
            let story = sample_runs::run_on_harmony(&phone, case).await;
            (story, phone.log(&key).await)
        }
    }
}

/// Runs a suite on apps that are as they should be, with the shop's server as mutants have it.
async fn run_unchanged(kind: Kind, suite: &'static str) -> Option<String> {
    let server = Server::start(None).await;
    let mut apps = apps::all();
    server.serve(&mut apps);
    let (story, _) = run(kind, suite, &apps).await;
    let why = || format!("{suite} does not pass on {kind:?} without any mutant: {}", story.summary());
    (story.outcome != Outcome::Passed).then(why)
}

async fn run_mutant(kind: Kind, mutant: Mutant) -> Trial {
    let server = Server::start(mutant.change.exchange()).await;
    let mut apps = apps::all();
    server.serve(&mut apps);
    let page = mutant.change.apply(&mut apps);
    let (story, log) = run(kind, mutant.suite, &apps).await;
    let is_reached = page.is_none_or(|page| log.contains(&page)) && !server.was_idle();
    let failed = story.acts().into_iter().find_map(|act| act.error.map(|(_, message)| (act.step, message)));
    let (step, message) = failed.unwrap_or_default();
    let elsewhere = kind.otherwise().iter().find(|(name, _)| *name == mutant.name);
    let cause = elsewhere.map_or(mutant.cause, |(_, cause)| cause);
    let missing: Vec<_> = cause.iter().filter(|word| !message.contains(**word)).collect();
    let wrong = match story.outcome {
        _ if !is_reached => Some("what was changed was never reached".to_owned()),
        Outcome::Failed if missing.is_empty() => None,
        Outcome::Failed => Some(format!("the message does not say {missing:?}")),
        _ => Some(format!("it was not found: {}", story.summary())),
    };
    Trial { mutant, step, message, wrong }
}

/// Writes how each was found.
fn table(trials: &[Trial]) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let mut text = "| mutant | kind | suite | step that failed | message |\n|---|---|---|---|---|\n".to_owned();
    for Trial { mutant, step, message, wrong } in trials {
        let message = wrong.as_ref().map_or_else(|| message.clone(), |wrong| format!("**{wrong}**: {message}"));
        let cells = [mutant.name, mutant.kind, mutant.suite, step, &message].map(cell).join(" | ");
        writeln!(text, "| {cells} |").expect("a text takes any");
    }
    text
}

#[test]
fn there_are_enough_mutants_of_every_kind() {
    let mutants = all();
    assert!(mutants.len() >= COUNT, "{}", mutants.len());
    for (number, mutant) in mutants.iter().enumerate() {
        assert!(!mutant.cause.is_empty(), "{}: any message would do", mutant.name);
        assert!(mutants[..number].iter().all(|other| other.name != mutant.name), "two of `{}`", mutant.name);
    }
    for kind in KINDS {
        let count = mutants.iter().filter(|mutant| mutant.kind == kind).count();
        assert!(count >= 3, "{count} of `{kind}`");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mutant_that_is_not_reached_or_not_found_does_not_count() {
    let mutant = Mutant {
        name: "an address is told otherwise",
        kind: "wrong text",
        suite: "browser.yaml",
        cause: &["example.com"],
        change: app::Change::Text("settings", "Keyboard", "Keybord"),
    };
    let unseen = app::Change::Text("browser", "\"label\": \"Address\"", "\"label\": \"Address \"");
    let seen = app::Change::Dead("browser", "go");
    let (unreached, survivor, otherwise) = tokio::join!(
        run_mutant(Kind::Phone, mutant),
        run_mutant(Kind::Phone, Mutant { change: unseen, ..mutant }),
        run_mutant(Kind::Phone, Mutant { change: seen, cause: &["wrong total"], ..mutant }),
    );
    for (trial, why) in [(unreached, "never reached"), (survivor, "not found"), (otherwise, "does not say")] {
        assert!(trial.wrong.as_ref().is_some_and(|wrong| wrong.contains(why)), "{why}: {:?}", trial.wrong);
    }
}

/// Runs all of these, so many at a time; returns what came of each, in their order.
async fn run_all<T, F>(runs: Vec<F>, at_a_time: usize) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(at_a_time));
    let mut running = JoinSet::new();
    for (number, run) in runs.into_iter().enumerate() {
        let places = Arc::clone(&places);
        running.spawn(async move {
            let _place = places.acquire_owned().await;
            (number, run.await)
        });
    }
    let mut done = running.join_all().await;
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, came)| came).collect()
}

/// Runs the suites of mutants without any of them.
async fn assert_suites_pass(kind: Kind, mutants: &[Mutant]) {
    let suites: BTreeSet<_> = mutants.iter().map(|mutant| mutant.suite).collect();
    let runs = suites.into_iter().map(|suite| run_unchanged(kind, suite)).collect();
    let unchanged = run_all(runs, PHONES).await;
    let wrong: Vec<String> = unchanged.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Runs the suite of each mutant; writes how each was found into target/.
async fn assert_all_found(kind: Kind, mutants: Vec<Mutant>, file: &str) {
    let runs = mutants.into_iter().map(|mutant| run_mutant(kind, mutant)).collect();
    let trials = run_all(runs, PHONES_WITH_MUTANTS).await;
    fs::write(sample_runs::folder("target").join(file), table(&trials)).expect("the table is written");
    let mut wrong: Vec<String> = Vec::new();
    for Trial { mutant, step, message, wrong: why } in &trials {
        if let Some(why) = why {
            wrong.push(format!("{} ({}): {why}\n    {step}: {message}", mutant.name, mutant.suite));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_suite_passes_without_any_mutant() {
    assert_suites_pass(Kind::Phone, &all()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mutant_is_found_and_its_cause_named() {
    assert_all_found(Kind::Phone, all(), "mutants.md").await;
}

/// One of so many, other ones on each kind of phone, and those that are told in other words; all of them where `UIXT_ALL_MUTANTS` is set: they cost a
/// minute of processor.
fn some(kind: Kind, first: usize, one_of: usize) -> Vec<Mutant> {
    let is_all = std::env::var_os("UIXT_ALL_MUTANTS").is_some();
    let is_told_otherwise = |mutant: &Mutant| kind.otherwise().iter().any(|(name, _)| *name == mutant.name);
    let numbered = all().into_iter().filter(|mutant| kind != Kind::Harmony || mutant.suite != TURNS).enumerate();
    let chosen = numbered.filter(|(number, mutant)| is_all || number % one_of == first || is_told_otherwise(mutant));
    chosen.map(|(_, mutant)| mutant).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mutant_is_found_on_an_iphone_too() {
    assert_all_found(Kind::Iphone, some(Kind::Iphone, 0, 3), "mutants_iphone.md").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mutant_is_found_on_a_harmony_phone_too() {
    assert_all_found(Kind::Harmony, some(Kind::Harmony, 1, 6), "mutants_harmony.md").await;
}
