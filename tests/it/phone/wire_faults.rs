//! What goes wrong between uixt and `WebDriverAgent`, or an hdc server: it is said, in time, nothing that acts is done twice, and the next
//! step works. The virtual phones count what was really done.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uixt::driver::{Error, Gesture, Key, Point, harmony};

use super::stage::{Phone, Stage};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// For how long a screen that cannot be read is tried again.
const LOOK: Duration = Duration::from_secs(3);

/// What is done while something goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Tap,
    Look,
    Type,
    Press,
    /// Three keys one after the other.
    PressAll,
    Launch,
    Picture,
    Push,
}

/// What comes of it.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    Works,
    /// An error that says this.
    Says(&'static str),
}

use Act::{Launch, Look, Picture, Press, PressAll, Push, Tap, Type};
use Outcome::{Says, Works};

/// A fault, its value, the part of a request's path or of a command that it is for, what is done, what comes of that, and how often it was really done.
type Row = (&'static str, Value, &'static str, Act, Outcome, u64);

fn rows_of_iphones() -> Vec<Row> {
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

fn rows_of_harmony() -> Vec<Row> {
    vec![
        ("server_down", json!(true), "", Tap, Says("no hdc server"), 0),
        ("server_down", json!(true), "", Look, Says("no hdc server"), 0),
        ("handshake_wrong", json!(1), "", Tap, Says("not an hdc server"), 0),
        ("handshake_long", json!(true), "", Tap, Works, 1),
        ("unauthorized", json!(true), "", Tap, Says("accept the dialog"), 0),
        ("offline", json!(true), "", Look, Says("is offline"), 0),
        ("not_ready", json!(3), "", Tap, Works, 1),
        ("not_ready", json!(3), "", Look, Works, 0),
        ("cut_before", json!(1), "uiInput", Tap, Says("not sent again"), 0),
        ("cut_after", json!(1), "uiInput", Tap, Says("not sent again"), 1),
        ("cut_after", json!(1), "uiInput", Type, Says("not sent again"), 1),
        ("cut_after", json!(1), "uiInput", Press, Says("not sent again"), 1),
        ("cut_after", json!(1), "aa start", Launch, Says("not sent again"), 1),
        ("cut_before", json!(1), "dumpLayout", Look, Works, 0),
        ("cut_after", json!(1), "dumpLayout", Look, Works, 0),
        ("cut_after", json!(1), "snapshot", Picture, Works, 0),
        ("truncated", json!(1), "uiInput", Tap, Says("not sent again"), 1),
        ("truncated", json!(1), "dumpLayout", Look, Works, 0),
        ("silent", json!(1), "uiInput", Tap, Says("not sent again"), 1),
        ("delay_ms", json!(300), "", Tap, Works, 1),
        ("uitest_busy", json!(3), "", Tap, Works, 1),
        ("uitest_busy", json!(3), "", Look, Works, 0),
        ("uitest_busy", json!(1), "", PressAll, Says("2 of 3 inputs were done"), 2),
        ("uitest_ms", json!(700), "", Tap, Works, 1),
        ("dump_ms", json!(700), "", Look, Works, 0),
        ("dump_fails", json!("Get window nodes failed"), "", Look, Says("Get window nodes failed"), 0),
        ("dump_cut", json!(1), "", Look, Works, 0),
        ("dump_cut", json!(true), "", Look, Says("cannot be read"), 0),
        ("dump_bytes", json!(5_000_000), "", Look, Works, 0),
        ("touches_fail", json!(1), "", Tap, Says("Failed to inject pointer event"), 0),
        ("no_text", json!(true), "", Type, Works, 1),
        ("text_cut", json!(4), "", Type, Says("4 of"), 1),
        ("text_fails", json!(1), "", Type, Says("Failed to input text"), 0),
        ("disk_full", json!(true), "", Look, Says("room left"), 0),
        ("disk_full", json!(true), "", Push, Says("no space"), 0),
        ("disk_full", json!(true), "", Picture, Says("room is left"), 0),
        ("locked", json!(true), "", Launch, Says("locked"), 0),
        ("snapshot_fails", json!(true), "", Picture, Works, 0),
        // The touch falls on the home screen; what follows tells of the crash.
        ("crash", json!(1), "uiInput", Tap, Works, 1),
    ]
}

impl Stage {
    /// Returns how often an act was really done.
    fn times(&self, act: Act) -> u64 {
        self.count(match (act, &self.phone) {
            (Tap, _) => "touches",
            (Type, Phone::Harmony(_)) => "texts",
            (Type | Press | PressAll, _) => "keys",
            (Launch, _) => "launches",
            (Look | Picture | Push, _) => return 0,
        })
    }

    async fn act(&self, act: Act, at: Point) -> Result<(), Error> {
        match act {
            Tap => self.driver.perform(Gesture::Tap { at, hold: Duration::ZERO }).await,
            Look => self.driver.screen_within(LOOK).await.map(|screen| assert!(!screen.roots.is_empty())),
            Type => self.driver.type_text("abcdef").await,
            Launch => self.driver.launch("com.uixt.shop").await,
            Press => self.driver.press(Key::Delete).await,
            PressAll => self.driver.press_all(&[Key::Left; 3]).await,
            Picture => self.driver.screenshot().await.map(drop),
            Push => {
                let file = tempfile::NamedTempFile::new().expect("a file");
                std::fs::write(file.path(), vec![7; 100_000]).expect("written");
                self.driver.push_file(file.path(), "/data/local/tmp/pushed").await.map(drop)
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_with_an_iphone_is_said_and_nothing_is_done_twice() {
    let stage = Stage::iphone().await;
    stage.set_fault("screenshot_timeout_ms", 200.into()).await;
    hold(&stage, rows_of_iphones()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_with_a_harmonyos_phone_is_said_and_nothing_is_done_twice() {
    hold(&Stage::harmony(harmony::Options::default()).await, rows_of_harmony()).await;
}

async fn hold(stage: &Stage, rows: Vec<Row>) {
    let mut wrong = Vec::new();
    for (fault, value, only, act, outcome, times) in rows {
        let at = stage.pad().await;
        let before = stage.times(act);
        stage.set_fault("only", only.into()).await;
        stage.set_fault(fault, value.clone()).await;
        let began = Instant::now();
        let done = tokio::time::timeout(PATIENCE, stage.act(act, at)).await;
        let took = began.elapsed();
        for name in [fault, "only"] {
            stage.set_fault(name, Value::Null).await;
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
        let done_times = stage.times(act) - before;
        eprintln!("{fault} {value} {only} {act:?}: {done:?}, done {done_times} times, in {took:?}");
        if !is_right || done_times != times {
            wrong.push(format!("{fault} {value} {only} {act:?}: {done:?}, done {done_times} times, not {times}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
