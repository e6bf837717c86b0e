//! What a case leaves behind on a phone: the next begins as if it had not been there.

use serde_json::Value;

use crate::support::counterparts::Phone;
use crate::support::{Ran, Test, items, text};

/// Crashes an app, leaves its dialog, turns the screen, changes the keyboard, and a pop-up of another app stays open.
const NASTY: &str = "config: {name: Nasty}\nteststeps:\n- set_ime: AdbIME\n- open_url: uixt-trouble://popups\n- wait_for: Do you like Trouble?\n\
                     - home:\n- app_terminate: com.uixt.trouble\n- set_orientation: landscape\n- open_url: uixt-trouble://crash\n- tap_element: Crash\n\
                     - assert_visible: Trouble has stopped\n";
/// Needs an upright screen and its usual keyboard, and nothing over the app.
const NICE: &str = "config: {name: Nice}\nteststeps:\n- get_orientation:\n  save: {turned: orientation}\n- assert_value: {value: $turned, equals: portrait}\n\
                    - get_ime:\n  save: ime\n- assert_value: {value: $ime, contains: LatinIME}\n- app_launch: com.uixt.shop\n\
                    - assert_visible: {text: Sign in, timeout: 3}\n";
const CASES: usize = 20;

fn cases(test: Test, nasty: &[usize]) -> Test {
    (0..CASES).fold(test, |test, at| {
        let case = if nasty.contains(&at) { NASTY } else { NICE };
        test.file(&format!("cases/{at:02}.yaml"), case)
    })
}

fn outcomes(ran: &Ran) -> Vec<(String, String)> {
    let summary = ran.json("r/summary.json");
    let told = |case: &Value| (text(&case["name"]).to_owned(), text(&case["outcome"]).to_owned());
    items(&summary["cases"]).iter().map(told).collect()
}

#[test]
fn nineteen_cases_pass_beside_one_that_leaves_the_phone_in_a_mess() {
    let run = ["run", "cases", "--device", "phone", "--report-dir", "r"];
    let ran = cases(Test::new(&run), &[3]).run().code(0);
    assert!(outcomes(&ran).iter().all(|(_, outcome)| outcome == "passed"), "{}", ran.stderr);
}

#[test]
fn another_phone_is_made_as_the_run_found_it_and_says_so() {
    let phone = Phone::start();
    let server = phone.address();
    let run = ["run", "cases", "--device", "android:uixt-phone", "--adb-server", &server, "--report-dir", "r"];
    let ran = cases(Test::new(&run), &[3, 9]).run().code(0);
    let said = ran.read("r/summary.json") + &ran.stderr;
    for part in ["closed the system's dialog", "how the screen is turned was 1 and is 0 again", "the keyboard was"] {
        assert!(said.contains(part), "{part}: {said:.4000}");
    }
}

#[test]
fn apps_stay_are_ended_or_emptied_as_is_asked() {
    let case = |found: &str| {
        format!(
            "config: {{name: Field}}\nteststeps:\n- app_launch: com.uixt.shop\n- assert_text: {{id: user, equals: '{found}'}}\n\
             - input: {{text: x, into: User name}}\n"
        )
    };
    let phone = Phone::start();
    let server = phone.address();
    let run = ["run", "cases", "--device", "android:uixt-phone", "--adb-server", &server, "--report-dir", "r"];
    let both = |reset: &str, second: &str| {
        let test = Test::new(&run).file("uixt.yaml", format!("reset: {reset}\n"));
        test.file("cases/1.yaml", case("")).file("cases/2.yaml", case(second)).run()
    };
    phone.shell("am force-stop com.uixt.shop");
    both("none", "x").code(0);
    phone.shell("am force-stop com.uixt.shop");
    both("app", "").code(0);
    phone.shell("am force-stop com.uixt.shop");
    both("data", "").code(0);
    Test::new(&["check", "a.yaml"])
        .file("a.yaml", "config: {reset: sometimes}\nteststeps:\n- home:\n")
        .run()
        .code(2)
        .says("`reset` is none, app, data or all, not `sometimes`");
}

#[test]
fn a_phone_on_which_nothing_begins_is_examined_and_the_cause_stands_at_the_head() {
    let phone = Phone::start();
    let lost = "config: {name: Lost}\nteststeps:\n- app_launch: com.uixt.nowhere\n- assert_visible: Welcome\n";
    let server = phone.address();
    let run = ["run", "cases", "--device", "android", "--adb-server", &server, "--report-dir", "r"];
    let test = (0..4).fold(Test::new(&run), |test, at| test.file(&format!("cases/{at}.yaml"), lost));
    let ran = test.run().code(1);
    let causes = ran.json("r/summary.json")["causes"].clone();
    let [cause] = items(&causes) else { panic!("{causes}") };
    let cause = text(cause);
    assert!(
        cause.starts_with("2 cases in a row failed in the same way before any of their steps had passed: "),
        "{cause}"
    );
    assert!(cause.contains("com.uixt.nowhere") && cause.contains("is in front"), "{cause}");
    let ran = ran.says("cause: 2 cases in a row failed");
    assert!(ran.read("r/report.html").contains("2 cases in a row failed in the same way"), "it stands in the report");
    // Cases that fail in ways of their own say nothing of the phone.
    let own = |app: &str| lost.replace("com.uixt.nowhere", app).replace("- app_launch", "- home:\n- app_launch");
    let test = (0..3).fold(Test::new(&run), |test, at| test.file(&format!("cases/{at}.yaml"), own("com.uixt.nowhere")));
    assert!(test.run().code(1).json("r/summary.json")["causes"].is_null());
}
