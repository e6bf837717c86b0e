//! Screens that are compared with what was kept of them: what differs is found, what does not count is not, and nothing is kept unasked.

use crate::support::counterparts::program;
use crate::support::site::serve;
use crate::support::{Ran, Test, items, text};

/// A page with a button on it, and a clock that runs.
const PAGE: &str = "<style>body{margin:0;font:16px sans-serif;background:#fafafa}#buy{position:absolute;left:40px;top:60px;padding:12px 24px;border-radius:20px;background:rgb(20,110,220);color:#fff}#clock{position:absolute;right:8px;top:8px}</style><div id=clock>0</div><div id=buy role=button>Buy now</div>";

fn case(steps: &str) -> Test {
    with_config("", steps)
}

fn with_config(config: &str, steps: &str) -> Test {
    program("chromium");
    let page = PAGE.replace('"', "'");
    let case = format!(
        "config: {{name: Look, {config}browser: {{width: 412, height: 300}}}}\nteststeps:\n- open_url: {}/forms.html\n- evaluate: \"document.documentElement.innerHTML = `{page}`\"\n{steps}",
        serve()
    );
    let arguments = ["run", "case.yaml", "--report-dir", "r", "--device", "browser", "--continue-on-failure"];
    Test::new(&arguments).file("case.yaml", case)
}

/// Runs it as somebody does who sits before it.
fn run(test: Test) -> Ran {
    let output = test.command().env_remove("UIXT_BROWSER").env_remove("CI").output().expect("the program starts");
    test.ran(&output)
}

fn script(script: &str) -> String {
    format!("- evaluate: \"{script}\"\n")
}

#[test]
fn small_differences_are_found_and_others_are_not() {
    let look = "- assert_screenshot: {name: page, mask: [{id: clock}], timeout: 0.3}\n";
    let style = |style: &str| script(&format!("document.querySelector('#buy').style.cssText = '{style}'"));
    let steps = [
        // It is kept once the page stands still.
        look.replace(", timeout: 0.3", ""),
        // Its text has another width, too.
        script("document.querySelector('#clock').textContent = '12:34:56'") + look,
        style("background: rgb(20,118,220)") + look,
        style("left: 42px") + look,
        style("") + &script("document.querySelector('#buy').textContent = 'Buy no'") + look,
        script("document.querySelector('#buy').textContent = 'Buy now'") + look,
        // A third of a pixel: only the smoothing of its edges differs.
        style("border-radius: 20.3px") + look,
    ];
    let ran = run(case(&steps.concat())).code(1).says("page: kept as case.snapshots/page-browser-412x300.png");
    let summary = ran.json("r/summary.json");
    let is_look = |step: &&serde_json::Value| step["attempts"][0]["actions"][0]["tool"] == "assert_screenshot";
    let looks = items(&summary["cases"][0]["steps"]).iter().filter(is_look);
    let outcomes: Vec<&str> = looks.map(|step| text(&step["outcome"])).collect();
    assert_eq!(outcomes, ["passed", "passed", "failed", "failed", "failed", "passed", "passed"]);
    let page = ran.read("r/report.html");
    for part in ["expected", "actual", "difference"] {
        assert!(page.contains(&format!("<figcaption>{part}</figcaption>")), "{part}");
        assert!(page.contains(&format!("src=\"screenshots/page-{part}.png\"")), "{part}");
        assert!(ran.read("r/junit.xml").contains(&format!("[[ATTACHMENT|screenshots/page-{part}.png]]")), "{part}");
    }
    // What was seen last becomes what is expected.
    let accepted =
        ran.then(&["snapshots", "accept", "r"]).code(0).prints("replaced case.snapshots/page-browser-412x300.png");
    accepted.then(&["snapshots", "accept", "r", "other"]).code(2).says("no picture of other differs");
}

#[test]
fn rows_that_look_different_have_names_of_their_own() {
    let rows = |name: &str| {
        let says = script("document.querySelector('#buy').textContent = 'Buy ' + '$word'");
        with_config(
            "parameters: {word: [tea, coffee]}, ",
            &(says + &format!("- assert_screenshot: {{name: {name}, timeout: 1}}\n")),
        )
    };
    run(rows("page"))
        .code(1)
        .says("the rows of this testcase are all held against this picture")
        .says("name: home-$lang");
    run(rows("page-$word")).code(0);
}

#[test]
fn a_masked_clock_never_fails_in_a_hundred_looks() {
    let runs = "setInterval(() => document.querySelector('#clock').textContent = performance.now(), 5)";
    let look = "- repeat: 100\n  steps:\n  - assert_screenshot: {name: page, mask: [{id: clock}], timeout: 20}\n";
    run(case(&(script(runs) + look))).code(0);
    let all = "- assert_screenshot: {name: page, mask: [{rect: [0, 0, 1, 1]}], timeout: 0.4}\n";
    run(case(all)).code(3).says("`mask` covers all of it");
    // What is not masked does not stand still, so that nothing can be kept of it.
    run(case(&(script(runs) + "- assert_screenshot: {name: page, timeout: 0.4}\n")))
        .code(1)
        .says("did not stand still");
}

#[test]
fn nothing_is_kept_in_ci_unless_it_is_asked_for() {
    let look = "- assert_screenshot: {name: buy, of: Buy now, timeout: 4}\n";
    let in_ci = |test: Test, ci: &str| {
        let output = test.command().env_remove("UIXT_BROWSER").env("CI", ci).output().expect("the program starts");
        test.ran(&output)
    };
    let ran =
        in_ci(case(look), "true").code(3).says("there is no case.snapshots/buy-browser-412x300.png to compare with");
    assert!(!ran.path("case.snapshots").exists());
    let ran = in_ci(case(look), "false").code(0).says("kept as");
    assert!(ran.path("case.snapshots/buy-browser-412x300.png").is_file());
    let again = |ran: Ran, folder: &str, update: &[&str]| {
        let arguments = ["run", "case.yaml", "--device", "browser", "--report-dir", folder];
        run(ran.test(&[&arguments[..], update].concat()))
    };
    let ran = again(ran, "r2", &[]).code(0);
    let text = ran.read("case.yaml").replace("Buy now</div>", "Buy it</div>").replace("of: Buy now", "of: Buy it");
    std::fs::write(ran.path("case.yaml"), text).expect("written");
    let ran = again(ran, "r3", &[]).code(1).says("buy: it has");
    let ran = again(ran, "r4", &["--update-snapshots"]).code(0).says("kept as");
    let ran = again(ran, "r5", &[]).code(0);
    let ran = ran.then(&["snapshots", "list"]).code(0).prints("case.snapshots/buy-browser-412x300.png");
    let text = ran.read("case.yaml").replace("name: buy", "name: other");
    std::fs::write(ran.path("case.yaml"), text).expect("written");
    let ran = ran.then(&["snapshots", "prune", "--dry-run"]).code(0).prints("would remove");
    assert!(ran.path("case.snapshots/buy-browser-412x300.png").is_file());
    let ran = ran.then(&["snapshots", "prune"]).code(0).prints("removed case.snapshots/buy-browser-412x300.png");
    assert!(!ran.path("case.snapshots").exists());
}
