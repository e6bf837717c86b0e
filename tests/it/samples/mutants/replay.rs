//! Mutants while a stored goal is replayed: none may pass as if nothing were wrong, and no model is asked.

use serde_json::json;
use uixt::adb;
use uixt::phone::apps;

use super::server::Server;
use super::{Mutant, run_all, shop};
use crate::support::Test;
use crate::support::goals;
use crate::support::model::{Does, Model};

const GOAL: &str = "config: {name: Purchase}
teststeps:
- start_to_goal:
    goal: Log in as alice (secret123; wrong is refused), buy two packets of green tea and a notebook (remove one and add it again) for Alice Li at 1 Main Street, cash on delivery
    max_steps: 60
";

/// Replays at a time, each of which waits most of the time.
const REPLAYS: usize = 8;

/// How many mutants must be met on the way.
const COUNT: usize = 30;

/// What a replay that goes this way cannot meet, and why.
const UNMET: [(&str, &str); 4] = [
    ("the password stands there after logging out", "nobody logs out"),
    ("the other language leads to the first page", "nobody chooses another language"),
    ("a button is not translated", "nobody chooses another language"),
    ("a raw error stands where the shop should say why", "nothing is out of stock"),
];

/// A purchase that leads over all pages of the shop.
fn purchase() -> Vec<Does> {
    let press = |button: &str| Does::Calls("press_button", json!({"button": button}));
    vec![
        Does::Calls("app_launch", json!({"package_name": "com.uixt.shop"})),
        Does::Types("User name", "alice"),
        Does::Types("Password", "wrong"),
        Does::Taps("\"Sign in\""),
        Does::Types("Password", "secret123"),
        Does::Taps("\"Sign in\""),
        Does::Taps("Notebook"),
        Does::Taps("Add to cart"),
        press("back"),
        Does::Types("Search", "tea"),
        press("enter"),
        Does::Taps("Green tea"),
        Does::Taps("\"+\""),
        Does::Taps("\"+\""),
        Does::Taps("\"-\""),
        Does::Taps("Add to cart"),
        Does::Taps("View cart"),
        Does::Taps("Green tea"),
        Does::Taps("One more"),
        Does::Taps("One fewer"),
        Does::Taps("Notebook"),
        Does::Taps("Remove"),
        Does::Taps("Continue shopping"),
        Does::Types("Search", "note"),
        press("enter"),
        Does::Taps("Notebook"),
        Does::Taps("Add to cart"),
        Does::Taps("View cart"),
        Does::Taps("\"Checkout\""),
        Does::Types("Full name", "Alice Li"),
        Does::Types("Address", "1 Main Street"),
        Does::Taps("Cash on delivery"),
        Does::Taps("Delivery date"),
        Does::Taps("\"OK\""),
        Does::Taps("Place order"),
        Does::Taps("I accept the terms"),
        Does::Taps("Place order"),
        Does::Calls("finished", json!({"content": "It is ordered"})),
    ]
}

/// What came of a replay.
struct Replay {
    name: &'static str,
    is_reached: bool,
    code: Option<i32>,
    said: String,
}

async fn replay(mutant: Option<Mutant>, stored: String) -> Replay {
    let server = Server::start(mutant.and_then(|mutant| mutant.change.exchange())).await;
    let mut apps = apps::all();
    server.serve(&mut apps);
    let page = mutant.and_then(|mutant| mutant.change.apply(&mut apps));
    let phone = goals::phone(&apps).await;
    let arguments = goals::on(&phone, &["--ai-cache", "only"]);
    let test = Test::new(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let ran = goals::run(test.file("goal.yaml", GOAL).file("goal.goals.yaml", stored), &[]).await;
    let device = adb::Server::new(phone.address().to_string()).device("uixt-phone");
    let log = device.shell("logcat -d").await.expect("the log is read");
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    let is_reached = page.is_none_or(|page| log.contains(&page)) && (mutant.is_none() || !server.was_idle());
    Replay { name: mutant.map_or("none", |mutant| mutant.name), is_reached, code: ran.code, said: ran.stderr.clone() }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_mutant_is_hidden_by_a_replay() {
    let server = Server::start(None).await;
    let mut apps = apps::all();
    server.serve(&mut apps);
    let phone = goals::phone(&apps).await;
    let (model, variables) = Model::start(purchase()).await;
    let arguments = goals::on(&phone, &[]);
    let test = Test::new(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).file("goal.yaml", GOAL);
    let ran = goals::run(test, &variables).await.code(0);
    assert!(model.plays().script.is_empty(), "all was played");
    let stored = ran.read("goal.goals.yaml");
    println!("{stored}");

    let mutants = std::iter::once(None).chain(shop::MUTANTS.iter().copied().map(Some));
    let runs = mutants.map(|mutant| replay(mutant, stored.clone())).collect();
    let replays = run_all(runs, REPLAYS).await;
    let [unchanged, changed @ ..] = &replays[..] else { panic!("nothing was run") };
    assert_eq!(unchanged.code, Some(0), "without any mutant:\n{}", unchanged.said);
    let is_unmet = |replay: &&Replay| UNMET.iter().any(|(name, _)| *name == replay.name);
    let (unmet, met): (Vec<&Replay>, Vec<&Replay>) = changed.iter().partition(is_unmet);
    assert!(met.len() >= COUNT, "{}", met.len());
    let told = |replay: &&Replay| {
        format!("{}: {:?}, reached: {}\n{}", replay.name, replay.code, replay.is_reached, replay.said)
    };
    let hidden: Vec<String> =
        met.iter().filter(|replay| replay.code != Some(1) || !replay.is_reached).map(told).collect();
    assert!(hidden.is_empty(), "{} of {} are hidden:\n{}", hidden.len(), met.len(), hidden.join("\n"));
    let found: Vec<String> = unmet.iter().filter(|replay| replay.code != Some(0)).map(told).collect();
    assert!(found.is_empty(), "they are met after all:\n{}", found.join("\n"));
}
