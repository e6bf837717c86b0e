//! What goes wrong between uixt and `WebDriverAgent`: it is said, in time, nothing that acts is done twice, and the next step works. The
//! virtual iPhone counts what was really done.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uixt::driver::{Driver, Error, Gesture, Point, Registry, Screen, ios};
use uixt::phone::{Iphone, IphoneOptions};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

const APP: &str = "com.uixt.touchlab";

/// What is done while something goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Tap,
    Look,
    Type,
    Launch,
    Picture,
}

/// What comes of it.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    Works,
    /// An error that says this.
    Says(&'static str),
}

use Act::{Launch, Look, Picture, Tap, Type};
use Outcome::{Says, Works};

/// A fault, its value, the part of a request's path that it is for, what is done, what comes of that, and how often it was really done.
type Row = (&'static str, Value, &'static str, Act, Outcome, u64);

fn rows() -> Vec<Row> {
    vec![
        ("session_lost", json!(1), "", Tap, Works, 1),
        ("session_lost", json!(1), "", Look, Works, 0),
        ("session_lost", json!(1), "", Type, Works, 6),
        ("session_forgotten", json!(1), "", Tap, Works, 1),
        ("session_forgotten", json!(1), "", Launch, Works, 1),
        ("dead", json!(true), "", Tap, Says("WebDriverAgent"), 0),
        ("dead", json!(true), "", Look, Says("WebDriverAgent"), 0),
        ("cut_before", json!(1), "/actions", Tap, Says("may"), 0),
        ("cut_after", json!(1), "/actions", Tap, Says("may"), 1),
        ("cut_after", json!(1), "/keys", Type, Says("may"), 6),
        ("cut_after", json!(1), "/launch", Launch, Says("may"), 1),
        ("cut_before", json!(1), "/source", Look, Works, 0),
        ("cut_after", json!(1), "/source", Look, Works, 0),
        ("cut_after", json!(1), "/screenshot", Picture, Works, 0),
        ("truncated", json!(1), "/actions", Tap, Says("may"), 1),
        ("truncated", json!(1), "/source", Look, Works, 0),
        // What a page in the place of an answer, or half an answer, hides is asked for again.
        ("not_json", json!(1), "/source", Look, Works, 0),
        ("html_500", json!(1), "/actions", Tap, Says("500"), 1),
        ("html_500", json!(1), "/source", Look, Works, 0),
        ("huge_source", json!(30_000_000), "", Look, Says("MB"), 0),
        ("delay_ms", json!(300), "", Tap, Works, 1),
        ("never_idle_s", json!(20), "", Tap, Works, 1),
        ("tap_throws", json!(1), "", Tap, Says("INFINITY"), 0),
        // The touch falls on the home screen; what follows tells of the crash.
        ("crash", json!(1), "", Tap, Works, 1),
        ("screenshot_timeout", json!(true), "", Picture, Says("screen"), 0),
        ("ax_error_above", json!(20), "", Look, Works, 0),
        ("no_json_source", json!(true), "", Look, Works, 0),
        ("visible_wrong", json!(true), "", Look, Works, 0),
        ("stale_rects", json!(true), "", Look, Works, 0),
        ("typing_doubled", json!(1), "", Type, Says("does not hold the 6 characters"), 8),
        ("no_keyboard", json!(true), "", Type, Works, 6),
    ]
}

struct Stage {
    iphone: Iphone,
    driver: Arc<dyn Driver>,
}

impl Stage {
    async fn start() -> Self {
        let iphone = Iphone::start(IphoneOptions::default()).await.expect("an iPhone starts");
        let address = format!("http://{}", iphone.address());
        let registry = Registry::new(vec![Box::new(ios::Platform::new(ios::Options::default()))]);
        let driver = registry.open(Some("ios"), Some(&address)).await.expect("the iPhone is there");
        Self { iphone, driver }
    }

    fn count(&self, act: Act) -> u64 {
        let name = match act {
            Tap => "touches",
            Type => "keys",
            Launch => "launches",
            Look | Picture => return 0,
        };
        self.iphone.acts()[name].as_u64().expect("a count")
    }

    /// Opens the pad afresh, with the cursor in its field.
    async fn pad(&self) -> Point {
        for app in ["com.uixt.shop", APP] {
            self.driver.terminate(app).await.expect("it ends");
        }
        self.driver.launch(APP).await.expect("it starts");
        self.touch("Gesture pad").await;
        self.touch("note").await;
        center(&self.driver.screen().await.expect("a screen"), "note")
    }

    async fn touch(&self, name: &str) {
        let at = center(&self.driver.screen().await.expect("a screen"), name);
        self.driver.perform(Gesture::Tap { at, hold: Duration::ZERO }).await.expect("a touch");
    }

    async fn act(&self, act: Act, at: Point) -> Result<(), Error> {
        match act {
            Tap => self.driver.perform(Gesture::Tap { at, hold: Duration::ZERO }).await,
            Look => self.driver.screen().await.map(|screen| assert!(!screen.roots.is_empty())),
            Type => self.driver.type_text("abcdef").await,
            Launch => self.driver.launch("com.uixt.shop").await,
            Picture => self.driver.screenshot().await.map(drop),
        }
    }
}

fn center(screen: &Screen, name: &str) -> Point {
    let mut found = None;
    for root in &screen.roots {
        root.walk(&mut |one| {
            found = found.or_else(|| (one.name() == name || one.short_id() == name).then(|| one.rect.center()));
        });
    }
    found.unwrap_or_else(|| panic!("no {name} in {screen:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_is_said_and_nothing_is_done_twice() {
    let stage = Stage::start().await;
    stage.iphone.set_fault("screenshot_timeout_ms", 200.into()).await.expect("a fault");
    let mut wrong = Vec::new();
    for (fault, value, only, act, outcome, times) in rows() {
        let at = stage.pad().await;
        let before = stage.count(act);
        stage.iphone.set_fault("only", only.into()).await.expect("a fault");
        stage.iphone.set_fault(fault, value.clone()).await.expect("a fault");
        let began = Instant::now();
        let done = tokio::time::timeout(PATIENCE, stage.act(act, at)).await;
        let took = began.elapsed();
        for name in [fault, "only"] {
            stage.iphone.set_fault(name, Value::Null).await.expect("a fault");
        }
        let done = match done {
            Ok(done) => done.map_err(|error| error.to_string()),
            Err(_) => Err(format!("no end within {} s", PATIENCE.as_secs())),
        };
        let is_right = match (&done, outcome) {
            (Ok(()), Works) => true,
            (Err(error), Says(words)) => error.contains(words),
            _ => false,
        };
        let done_times = stage.count(act) - before;
        eprintln!("{fault} {value} {only} {act:?}: {done:?}, done {done_times} times, in {took:?}");
        if !is_right || done_times != times {
            wrong.push(format!("{fault} {value} {only} {act:?}: {done:?}, done {done_times} times, not {times}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
