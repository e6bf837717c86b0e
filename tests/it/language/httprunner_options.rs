//! `HttpRunner`'s options of an action: every one of them, in every spelling, is followed, answered with a warning or refused; and what
//! each of those that are followed changes.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uixt::testcase::{Overrides, TestCase};
use uixt::tools;
use uixt_call::CallOptions;

use crate::support::Test;
use crate::support::bench::Bench;

const SETTINGS: &str = "com.uixt.settings";
const SHOP: &str = "com.uixt.shop";

/// What becomes of an option.
enum Fate {
    /// It travels with the call, and whoever makes the call follows it.
    Followed,
    /// It is this argument of the tool.
    Argument(&'static str),
    /// The answer says that it had no effect, and why.
    Warned(&'static str),
    /// The file is refused, and the error says why.
    Refused(&'static str),
}
use Fate::{Argument, Followed, Refused, Warned};

/// Option, value, tool, its params, fate.
type Row = (&'static str, &'static str, &'static str, &'static str, Fate);

const OPTIONS: &[Row] = &[
    ("identifier", r#""log in""#, "tap_ocr", r#""a""#, Followed),
    ("pre_mark_operation", "true", "tap_ocr", r#""a""#, Followed),
    ("post_mark_operation", "true", "tap_ocr", r#""a""#, Followed),
    ("screenshot_file_name", r#""first""#, "screenshot", "null", Followed),
    ("max_retry_times", "3", "tap_ocr", r#""a""#, Followed),
    ("interval", "0.5", "tap_ocr", r#""a""#, Followed),
    ("scope", "[0, 0.5, 1, 1]", "tap_ocr", r#""a""#, Followed),
    ("abs_scope", "[0, 100, 500, 900]", "tap_element", r#""a""#, Followed),
    ("offset", "[10, -20]", "tap_ocr", r#""a""#, Followed),
    ("tap_offset", "[10, -20]", "tap_ocr", r#""a""#, Followed),
    ("offset_random_range", "[-5, 5]", "tap_xy", "[0.5, 0.5]", Followed),
    ("tap_random_rect", "true", "tap_ocr", r#""a""#, Followed),
    ("swipe_offset", "[0, 10, 0, -10]", "swipe", r#""up""#, Followed),
    ("match_one", "true", "tap_element", r#""a""#, Followed),
    ("ignore_NotFoundError", "true", "tap_ocr", r#""a""#, Followed),
    ("ignoreNotFoundError", "true", "tap_element", r#""a""#, Followed),
    ("platform", r#""android""#, "home", "null", Argument("platform")),
    ("serial", r#""X""#, "home", "null", Argument("serial")),
    ("index", "-1", "tap_ocr", r#""a""#, Argument("index")),
    ("regex", "true", "tap_ocr", r#""a""#, Argument("regex")),
    ("timeout", "5", "tap_ocr", r#""a""#, Argument("timeout")),
    ("duration", "0.1", "tap_xy", "[0.5, 0.5]", Argument("duration")),
    ("press_duration", "0.1", "tap_ocr", r#""a""#, Argument("duration")),
    ("direction", r#""up""#, "swipe", "null", Argument("direction")),
    ("x", "0.5", "tap_xy", "{\"y\": 0.5}", Argument("x")),
    ("y", "0.5", "tap_xy", "{\"x\": 0.5}", Argument("y")),
    ("from_x", "0.5", "swipe", "{\"from_y\": 0, \"to_x\": 0, \"to_y\": 0}", Argument("from_x")),
    ("from_y", "0.5", "swipe", "{\"from_x\": 0, \"to_x\": 0, \"to_y\": 0}", Argument("from_y")),
    ("to_x", "0.5", "swipe", "{\"from_x\": 0, \"from_y\": 0, \"to_y\": 0}", Argument("to_x")),
    ("to_y", "0.5", "swipe", "{\"from_x\": 0, \"from_y\": 0, \"to_x\": 0}", Argument("to_y")),
    ("text", r#""a""#, "tap_ocr", "null", Argument("text")),
    ("selector", r##""#a""##, "tap_element", "null", Argument("selector")),
    ("packageName", r#""a.b""#, "app_launch", "null", Argument("package_name")),
    ("button", r#""enter""#, "press_button", "null", Argument("button")),
    ("steps", "12", "swipe", r#""up""#, Warned("draws the points of a swipe")),
    ("frequency", "10", "input", r#""a""#, Warned("typed at once")),
    ("anti_risk", "true", "tap_ocr", r#""a""#, Followed),
    ("custom", "{\"a\": 1}", "tap_xy", "[0, 0]", Warned("UIAutomator2")),
    ("screenshot_with_ocr", "true", "screenshot", "null", Warned("get_screen_texts")),
    ("screenshot_with_upload", "true", "screenshot", "null", Warned("sent nowhere")),
    ("screenshot_with_live_type", "true", "screenshot", "null", Warned("ByteDance")),
    ("screenshot_with_live_popularity", "true", "screenshot", "null", Warned("ByteDance")),
    ("screenshot_with_base64", "true", "screenshot", "null", Warned("files of the report")),
    ("screenshot_with_close_popups", "true", "screenshot", "null", Warned("close_popups")),
    ("screenshot_with_ui_types", "[\"dyhouse\"]", "screenshot", "null", Warned("tap_cv")),
    ("screenshot_with_ocr_cluster", r#""a""#, "screenshot", "null", Warned("get_screen_texts")),
    ("index", "1", "home", "null", Warned("no effect on home")),
    ("regex", "true", "tap_xy", "[0, 0]", Warned("no effect on tap_xy")),
    ("timeout", "5", "swipe", r#""up""#, Warned("no effect on swipe")),
    ("time_limit", "5", "tap_ocr", r#""a""#, Refused("write `timeout`")),
    ("llm_service", r#""a""#, "tap_ocr", r#""a""#, Refused("AI steps")),
    ("cv_service", r#""vedem""#, "tap_ocr", r#""a""#, Refused("read on this computer")),
    ("reset_history", "true", "tap_ocr", r#""a""#, Refused("AI steps")),
    ("output_schema", "{\"type\": \"object\"}", "tap_ocr", r#""a""#, Refused("AI steps")),
    ("ignore_NotFoundError", "true", "assert_visible", r#""a""#, Refused("could never fail")),
];

/// Arguments of one tool or another, which mean nothing to `home`: they are refused there.
const ARGUMENTS: &[&str] = &[
    "x",
    "y",
    "from_x",
    "from_y",
    "to_x",
    "to_y",
    "text",
    "packageName",
    "appName",
    "appUrl",
    "mappingUrl",
    "resourceMappingUrl",
    "selector",
    "tabIndex",
    "phoneNumber",
    "captcha",
    "password",
    "button",
    "ime",
    "count",
    "keycode",
    "imagePath",
    "file_url",
    "file_format",
    "imageUrl",
    "videoUrl",
    "delta",
    "width",
    "height",
    "texts",
    "params",
    "prompt",
    "content",
    "sim_min_distance",
    "sim_max_distance",
    "sim_area_start_x",
    "sim_area_start_y",
    "sim_area_end_x",
    "sim_area_end_y",
    "screenrecord_duration",
    "screenrecord_with_audio",
    "screenrecord_with_scrcpy",
    "screenrecord_path",
];

/// Loads a testcase from a text.
fn load(name: &str, text: &str) -> Result<TestCase, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    let vocabulary = uixt::cli::vocabulary();
    let loaded = uixt::testcase::load(&[path], &vocabulary, &Overrides::default());
    let text = |errors: Vec<uixt::testcase::Error>| errors.iter().map(|error| error.render(false)).collect();
    loaded.map(|mut cases| cases.remove(0)).map_err(text)
}

/// One action with one option, inline and under `options`, in YAML and in JSON.
fn spellings((option, value, method, params, _): &Row) -> [(&'static str, String); 4] {
    let json = |action: String| {
        format!(
            r#"{{"config": {{"name": "a"}}, "teststeps": [{{"name": "a", "android": {{"actions": [{{{action}}}]}}}}]}}"#
        )
    };
    let yaml = |action: String| {
        format!("teststeps:\n- android:\n    actions:\n    - method: {method}\n      params: {params}\n{action}\n")
    };
    [
        ("a.yaml", yaml(format!("      {option}: {value}"))),
        ("a.yaml", yaml(format!("      options:\n        {option}: {value}"))),
        ("a.json", json(format!(r#""method": "{method}", "params": {params}, "{option}": {value}"#))),
        ("a.json", json(format!(r#""method": "{method}", "params": {params}, "options": {{"{option}": {value}}}"#))),
    ]
}

/// Tells what is wrong with what becomes of an option.
fn judge(row: &Row, loaded: Result<TestCase, String>) -> Result<(), String> {
    let (option, fate) = (row.0, &row.4);
    let case = match (loaded, fate) {
        (Ok(case), Followed | Argument(_) | Warned(_)) => case,
        (Err(error), Refused(words)) if error.contains(words) => return Ok(()),
        (Err(error), _) => return Err(error),
        (Ok(_), Refused(_)) => return Err("it is taken".to_owned()),
    };
    let request = tools::table().request(&case.steps[0].actions()[0]).map_err(|error| error.message)?;
    let options = request.options;
    let given = request.arguments.unwrap_or_default();
    let is_right = match fate {
        Followed => options != CallOptions::default() && options.warnings.is_empty() && !given.contains_key(option),
        Argument(name) => given.contains_key(*name) && options == CallOptions::default(),
        Warned(words) => options.warnings.len() == 1 && options.warnings[0].contains(words),
        Refused(_) => false,
    };
    if is_right { Ok(()) } else { Err(format!("{given:?} {options:?}")) }
}

#[test]
fn every_option_is_followed_answered_or_refused_in_every_spelling() {
    let mut wrong = Vec::new();
    for row in OPTIONS {
        for (file, text) in spellings(row) {
            if let Err(why) = judge(row, load(file, &text)) {
                wrong.push(format!("{} of {}: {why}\n{text}", row.0, row.2));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_argument_of_another_tool_is_refused_at_its_place() {
    for option in ARGUMENTS {
        let text = format!("teststeps:\n- android: {{actions: [{{method: home, options: {{{option}: 1}}}}]}}\n");
        let error = load("a.yaml", &text).expect_err("refused");
        assert!(
            error.contains(&format!("unknown argument `{option}` of home")) && error.contains("a.yaml:2:"),
            "{error}"
        );
    }
}

#[test]
fn what_asks_for_nothing_changes_nothing() {
    for (option, value) in [
        ("llm_service", "''"),
        ("reset_history", "false"),
        ("time_limit", "null"),
        ("custom", "{}"),
        ("steps", "0"),
        ("scope", "[]"),
    ] {
        let text = format!("teststeps:\n- android: {{actions: [{{method: home, {option}: {value}}}]}}\n");
        let case = load("a.yaml", &text).unwrap_or_else(|error| panic!("{error}"));
        let request = tools::table().request(&case.steps[0].actions()[0]).expect("a good action");
        assert_eq!(request.options, CallOptions::default(), "{option}");
    }
}

#[test]
fn wrong_values_are_refused_at_their_place() {
    for (option, value) in [
        ("scope", "[0, 0, 1080, 2400]"),
        ("abs_scope", "[5, 5, 1, 1]"),
        ("offset", "[1]"),
        ("tap_offset", "down"),
        ("offset_random_range", "[5, 1]"),
        ("swipe_offset", "[1, 2]"),
        ("tap_random_rect", "maybe"),
        ("max_retry_times", "-1"),
        ("interval", "1000"),
        ("screenshot_file_name", "[a]"),
        ("pre_mark_operation", "7"),
    ] {
        let text = format!(
            "teststeps:\n- android:\n    actions:\n    - method: tap_ocr\n      params: a\n      options:\n        {option}: {value}\n"
        );
        let error = load("a.yaml", &text).expect_err(option);
        assert!(error.contains(&format!("`{option}` ")) && error.contains("a.yaml:7:"), "{error}");
    }
}

#[test]
fn every_tool_that_finds_a_target_reads_what_narrows_it_down() {
    for tool in
        tools::all().filter(|tool| tool.schema().properties().any(|(name, _)| ["regex", "image"].contains(&name)))
    {
        let reads = |equals: Value| {
            let given = json!({"text": "a", "texts": ["a"], "selector": "a", "equals": equals, "attribute": "a", "element_type": "button", "image": "a.png", "scale": 2, "keys": "Shift", "scope": "no area"});
            let answer = tool.checks(given.as_object().expect("a map").clone(), tools::table());
            answer.is_err_and(|message| message.contains("no area"))
        };
        assert!(reads("a".into()) || reads(1.into()), "{} does not read `scope`", tool.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scope_leaves_out_what_lies_elsewhere() {
    let bench = Bench::start().await;
    bench.restart(SETTINGS).await;
    let find = |options: Value| bench.call("get_text", json!({"text": "Network & internet", "timeout": 0}), options);
    for (options, found) in [
        (json!({"scope": [0, 0, 1, 0.5]}), true),
        (json!({"scope": [0, 0.5, 1, 1]}), false),
        (json!({"abs_scope": [0, 0, 1080, 1200]}), true),
        (json!({"abs_scope": [0, 1200, 1080, 2400]}), false),
    ] {
        let answer = find(options.clone()).await;
        assert_eq!(answer.object["success"], found, "{options}: {}", answer.object);
    }
    let text = json!({"text": "Bluetooth", "max_retry_times": 0});
    for (scope, found) in [(json!([0, 0, 1, 0.9]), true), (json!([0, 0.9, 1, 1]), false)] {
        let answer = bench.call("swipe_to_tap_text", text.clone(), json!({"scope": scope})).await;
        assert_eq!(answer.object["success"], found, "{scope}: {}", answer.object);
        bench.restart(SETTINGS).await;
    }
    let message = find(json!({"scope": [0, 0.5, 1, 1]})).await.message().to_owned();
    assert!(message.contains("scope [0.0, 0.5, 1.0, 1.0]"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn match_one_takes_the_first_of_several() {
    let bench = Bench::start().await;
    bench.restart(SHOP).await;
    let target = json!({"role": "textfield", "timeout": 0});
    assert_eq!(bench.call("tap_element", target.clone(), json!({})).await.kind(), "NotFound");
    bench.done("tap_element", target, json!({"match_one": true})).await;
    bench.done("assert_visible", json!({"selector": "textfield[focused=true]"}), json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offsets_move_taps() {
    let bench = Bench::start().await;
    bench.restart(SETTINGS).await;
    let at = async |options: Value| {
        let answer = bench.done("tap_ocr", json!({"text": "Settings"}), options).await;
        (answer.number("x"), answer.number("y"))
    };
    let (x, y) = at(json!({})).await;
    assert_eq!(at(json!({"offset": [7, -3]})).await, (x + 7.0, y - 3.0));
    assert_eq!(at(json!({"tap_offset": [-7, 3]})).await, (x - 7.0, y + 3.0));
    let mut places = std::collections::BTreeSet::new();
    for _ in 0..8 {
        let (near_x, near_y) = at(json!({"offset_random_range": [-9, 9]})).await;
        assert!((near_x - x).abs() <= 9.0 && (near_y - y).abs() <= 9.0);
        places.insert(format!("{:?}", at(json!({"tap_random_rect": true})).await));
    }
    assert!(places.len() > 1, "{places:?}");
    // The offset leads to a row below the one that is named.
    bench.done("tap_element", json!("Network & internet"), json!({"offset": [0, 190]})).await;
    bench.done("assert_not_visible", json!({"role": "heading", "text": "Network & internet"}), json!({})).await;
    let answer = bench.call("tap_xy", json!([0.5, 0.5]), json!({"offset": [0, 5000]})).await;
    assert_eq!(answer.kind(), "BadArgument");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_swipes_offset_moves_both_of_its_ends() {
    let bench = Bench::start().await;
    bench.restart(SETTINGS).await;
    // Without the offset, it moves nothing.
    bench.done("swipe", json!([0.5, 0.5, 0.5, 0.5]), json!({"swipe_offset": [0, 600, 0, -600]})).await;
    bench.done("assert_not_visible", json!("Network & internet"), json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn looks_are_counted_and_paced() {
    let bench = Bench::start().await;
    let began = Instant::now();
    let options = json!({"max_retry_times": 3, "interval": 0.3});
    let answer = bench.call("tap_ocr", json!("No such text"), options).await;
    assert!(answer.message().contains("not there in 4 looks"), "{}", answer.message());
    assert!(began.elapsed() >= Duration::from_millis(900), "{:?}", began.elapsed());
    let answer = bench.call("tap_ocr", json!("No such text"), json!({"max_retry_times": 0})).await;
    assert!(answer.message().contains("not there in one look"), "{}", answer.message());
    // A timeout of its own wins over looks that would take longer.
    let began = Instant::now();
    let options = json!({"max_retry_times": 50, "interval": 1, "timeout": 0.5});
    bench.call("tap_ocr", json!("No such text"), options).await;
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_swipe_is_followed_by_its_interval() {
    let bench = Bench::start().await;
    let began = Instant::now();
    bench.done("swipe", json!({"direction": "left", "duration": 0.1}), json!({"interval": 1.5})).await;
    assert!(began.elapsed() >= Duration::from_millis(1500), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_are_taken_before_and_after() {
    let bench = Bench::start().await;
    let tap = async |options: Value| {
        bench.restart(SETTINGS).await;
        bench.done("tap_ocr", json!("Display"), options).await.pictures
    };
    assert!(tap(json!({})).await.is_empty());
    let before = tap(json!({"pre_mark_operation": true})).await;
    let both = tap(json!({"pre_mark_operation": true, "post_mark_operation": true})).await;
    let after = tap(json!({"post_mark_operation": true})).await;
    assert_eq!((before.len(), both.len(), after.len()), (1, 2, 1));
    assert!(both[0] != both[1] && before[0] != after[0], "the page changed");
    assert_eq!(bench.done("back", json!(null), json!({"post_mark_operation": true})).await.pictures.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_in_vain_is_said() {
    let bench = Bench::start().await;
    let options = json!({
        "offset": [1, 1], "scope": [0, 0, 1, 1], "max_retry_times": 2, "pre_mark_operation": true, "steps": 12, "timeout": 3
    });
    let answer = bench.done("home", json!(null), options).await;
    let warnings = answer.object["warnings"].to_string();
    for option in ["offset", "scope", "max_retry_times", "pre_mark_operation", "steps", "timeout"] {
        assert!(warnings.contains(&format!("`{option}` has no effect")), "{option}: {warnings}");
    }
    let answer = bench.done("tap_xy", json!([0.5, 0.01]), json!({"tap_random_rect": true})).await;
    assert_eq!(answer.object["warnings"], json!(["`tap_random_rect` has no effect on tap_xy"]));
}

#[test]
fn a_run_writes_warnings_names_pictures_and_evaluates_options() {
    let text = "config: {variables: {top: 0.5, down: [0, 40], name: my picture}}
teststeps:
- app_launch: com.uixt.settings
- android:
    actions:
    - {method: screenshot, options: {screenshot_file_name: $name, screenshot_with_ocr: true}}
    - {method: tap_ocr, params: Settings, options: {offset: $down, identifier: the title}}
    - {method: tap_ocr, params: Network & internet, options: {scope: [0, $top, 1, 1], max_retry_times: 0}}
";
    let test = Test::new(&["run", "a.yaml", "--device", "phone", "--report-dir", "out"]).file("a.yaml", text);
    let ran = test.run().code(1).says("in one look").says("scope [0.0, 0.5, 1.0, 1.0]");
    assert!(ran.path("out/screenshots/my_picture.png").is_file());
    let summary = ran.json("out/summary.json");
    let actions = &summary["cases"][0]["steps"][1]["attempts"][0]["actions"];
    assert_eq!(actions[0]["screenshot"], "screenshots/my_picture.png");
    let log = summary["cases"][0]["log"].to_string();
    assert!(log.contains("step 2, screenshot: `screenshot_with_ocr` has no effect"), "{log}");
    assert!(ran.read("out/uixt.log").contains("the title"));
    assert!(ran.read("out/report.html").contains("screenshots/my_picture.png"));
}
