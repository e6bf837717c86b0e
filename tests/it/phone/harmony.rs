//! What HarmonyOS phones have of their own: texts through a shell, states in lists, an agent that the user names.

use std::time::Duration;

use tempfile::TempDir;
use uixt::driver::{Error, Gesture, Orientation, Platform as _, Point, Registry, Stop, harmony};
use uixt::phone::{HarmonyOptions, HarmonyPhone};
use uixt::result::Outcome;

use super::stage::{Stage, center, find, platform};
use crate::support::{Test, sample_runs};

#[tokio::test(flavor = "multi_thread")]
async fn every_text_arrives_as_it_is_written() {
    let stage = Stage::harmony(harmony::Options::default()).await;
    for text in [
        "it's \"quoted\" `id` $(id) $HOME \\ %s * ~ & | > ; # !",
        "-5 --help",
        "中文，输入法；“引号”",
        "😀 👨\u{200d}👩\u{200d}👧 \u{e9}",
        "  two  spaces  ",
    ] {
        stage.pad().await;
        stage.driver.type_text(text).await.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(find(&stage.driver.screen().await.expect("a screen"), "note").text, text);
    }
    let long = "语a".repeat(600);
    stage.pad().await;
    stage.driver.type_text(&long).await.expect("typed");
    assert_eq!(find(&stage.driver.screen().await.expect("a screen"), "note").text, long);
    let before = stage.count("keys");
    stage.driver.type_text("one\ntwo").await.expect("typed");
    assert_eq!(stage.count("keys") - before, 1, "a line break is a key");
    stage.pad().await;
    stage.set_fault("text_cut", 5.into()).await;
    let error = stage.driver.type_text("hello world\n").await.expect_err("cut").to_string();
    assert!(error.contains("5 of 11"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_of_which_no_dump_tells_is_typed_all_the_same() {
    let faults = vec![("no_bullets".to_owned(), true.into())];
    let phone =
        HarmonyPhone::start(vec![HarmonyOptions { faults, ..HarmonyOptions::default() }]).await.expect("a phone");
    let case = sample_runs::load("testcases/shop/login.yaml").pop().expect("a testcase");
    let story = sample_runs::run_on_harmony(&phone, case).await;
    assert_eq!(story.outcome, Outcome::Passed, "{}", story.summary());
}

#[test]
fn a_case_fails_by_a_crash_and_absence_is_not_known_behind_a_dialog_of_the_system() {
    let crash = "config: {fail_on: [crash]}\nteststeps:\n- open_url: uixt-trouble://crash\n- tap: Crash\n- tap: Close app\n- home:\n";
    let behind = "teststeps:\n- open_url: uixt-trouble://crash\n- tap: Crash\n- assert_visible: Trouble has stopped\n\
                  - app_launch: com.uixt.shop\n- assert_not_visible: {text: Sign in, timeout: 1}\n";
    for device in ["harmony-phone", "iphone"] {
        let ran = Test::new(&["run", "a.yaml", "--device", device]).file("a.yaml", crash).run().code(1);
        ran.says("com.uixt.trouble is not running any more: it crashed");
    }
    let ran = Test::new(&["run", "b.yaml", "--device", "harmony-phone"]).file("b.yaml", behind).run().code(1);
    ran.says("dialog of the system lies over the app");
}

#[tokio::test(flavor = "multi_thread")]
async fn phones_are_listed_with_their_state_and_opened_by_their_keys() {
    let options = |number| HarmonyOptions { key: HarmonyOptions::key_of(number), ..HarmonyOptions::default() };
    let phone = HarmonyPhone::start(vec![options(0), options(1), options(2)]).await.expect("phones start");
    phone.set_fault("uixt-harmony-2", "unauthorized", true.into()).await.expect("a fault");
    phone.set_fault("uixt-harmony-3", "offline", true.into()).await.expect("a fault");
    let listed = platform(&phone, harmony::Options::default()).list().await.expect("a list");
    let told: Vec<_> = listed.iter().map(|device| (device.serial.as_str(), device.status.as_str())).collect();
    let wanted = [("uixt-harmony", "online"), ("uixt-harmony-2", "unauthorized"), ("uixt-harmony-3", "offline")];
    assert_eq!(told, wanted);
    assert_ne!(listed[0].name, listed[0].serial, "it tells its name");
    let registry = Registry::new(vec![Box::new(platform(&phone, harmony::Options::default()))]);
    let said = |key: &'static str| {
        let opened = registry.open(Some("harmony"), Some(key));
        async move { opened.await.err().map(|error| error.to_string()).unwrap_or_default() }
    };
    assert!(said("uixt-harmony-2").await.contains("accept the dialog"));
    assert!(said("uixt-harmony-3").await.contains("is offline"));
    assert!(said("nobody").await.contains("uixt-harmony"));
    assert_eq!(
        registry.open(Some("harmony"), None).await.expect("the one that is ready").info().serial,
        "uixt-harmony"
    );
}

/// Starts a phone that is driven with an agent of the user's.
async fn with_agent(folder: &TempDir) -> Stage {
    let file = folder.path().join("agent.so");
    std::fs::write(&file, b"\x7fELF, an agent").expect("a file");
    Stage::harmony(harmony::Options { agent: Some(file), ..harmony::Options::default() }).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_turns_the_screen_and_draws_fingers_on_either_socket() {
    let pinch = |at| Gesture::Pinch { at, from: 50.0, to: 200.0, duration: Duration::from_millis(300) };
    for has_socket in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let stage = with_agent(&folder).await;
        let driver = &stage.driver;
        stage.set_fault("agent_socket", has_socket.into()).await;
        stage.pad().await;
        let pad = center(&driver.screen().await.expect("a screen"), "pad");
        driver.perform(pinch(pad)).await.expect("a pinch");
        find(&driver.screen().await.expect("a screen"), "Pinch out");
        let stop = |x: f64, y: f64| Stop { at: Point { x: pad.x + x, y: pad.y + y }, rest: Duration::from_millis(30) };
        let path = Gesture::Path(vec![stop(-300.0, -200.0), stop(0.0, 200.0), stop(300.0, -200.0)]);
        driver.perform(path).await.expect("a path");
        assert!(format!("{:?}", driver.screen().await.expect("a screen")).contains("curved"));
        for wanted in [Orientation::Landscape, Orientation::Portrait] {
            driver.set_orientation(Some(wanted)).await.expect("turned");
            assert_eq!(driver.orientation().await.expect("told").orientation, wanted);
            let size = driver.screen_size().await.expect("a size");
            assert_eq!(size.width > size.height, wanted == Orientation::Landscape);
        }
        assert!(matches!(driver.set_orientation(None).await, Err(Error::Unsupported { .. })));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_breaks_off_is_told_and_the_command_line_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let stage = with_agent(&folder).await;
    let driver = &stage.driver;
    stage.set_fault("agent_resets", true.into()).await;
    let at = stage.pad().await;
    for _ in 0..2 {
        let error = driver.orientation().await.expect_err("no agent").to_string();
        assert!(error.contains("agent.so` does not work on this phone"), "{error}");
    }
    let before = stage.count("touches");
    driver.perform(Gesture::Tap { at, hold: Duration::ZERO }).await.expect("a touch");
    assert_eq!(stage.count("touches") - before, 1);
    driver.screen().await.expect("a screen");
}
