//! What the last act on a page sets going, and what a page asks while it loads: both are told, by each way to a page.

use crate::support::site::{on, on_view};
use crate::support::{Ran, items};

/// The ways to a page: DevTools, DevTools of a browser that chromedriver has started, and WebDriver alone.
const WAYS: [&str; 3] = ["width: 1280", "driver: chromedriver", "driver: chromedriver, protocol: webdriver"];

/// The two that differ most.
const PROTOCOLS: [&str; 2] = [WAYS[0], WAYS[2]];

/// A step that gives the page a button with a handler.
fn button(name: &str, does: &str) -> String {
    format!("- evaluate: \"document.body.innerHTML = `<button onclick='{does}'>{name}</button>`\"\n")
}

/// The last lines of the only case's log.
fn log(ran: &Ran) -> String {
    ran.json("r/summary.json")["cases"][0]["log"].to_string()
}

#[test]
fn a_dialog_that_the_last_act_opens_fails_the_case() {
    let late = "setTimeout(() => alert(&quot;Late&quot;), 15)";
    let acts = [
        ("alert(&quot;Now&quot;)", "\"Now\""),
        (late, "\"Late\""),
        ("fetch(&quot;/after/60/style.css&quot;).then(() => confirm(&quot;Fetched&quot;))", "\"Fetched\""),
        ("location = &quot;asks.html&quot;", "\"First\""),
    ];
    for way in WAYS {
        // What a page fetches is not told by WebDriver alone.
        let is_told = |does: &str| !(does.starts_with("fetch") && way.contains("protocol"));
        for (does, said) in acts.into_iter().filter(|(does, _)| is_told(does)) {
            let steps = button("Go", does) + "- tap_element: Go\n";
            let ran = on_view(way, "odd.html", &steps).code(1);
            let ran = ran.says("after step 3, tap_element").says(said).says("accept or dismiss it first");
            let summary = ran.json("r/summary.json");
            let last = items(&summary["cases"][0]["steps"]).last().cloned().unwrap_or_default();
            assert_eq!((last["place"]["line"].as_u64(), last["outcome"].as_str()), (Some(5), Some("failed")), "{last}");
        }
    }
    for after in ["- sleep: 0.01\n", "- log: done\n"] {
        let steps = button("Go", late) + "- tap_element: Go\n" + after;
        on("odd.html", &steps).code(1).says("after step 3, tap_element").says("\"Late\"");
    }
}

#[test]
fn a_dialog_that_was_answered_or_is_to_be_closed_fails_no_case() {
    let late = button("Go", "setTimeout(() => alert(&quot;Late&quot;), 15)");
    for way in PROTOCOLS {
        on_view(way, "odd.html", &(late.clone() + "- tap_element: Go\n- accept_dialog: {contains: Late}\n")).code(0);
        let closes = "- {tap_element: Go, auto_popup_handler: true}\n";
        on_view(way, "odd.html", &(late.clone() + closes)).code(0);
    }
    let closed = button("Go", "window.close()") + "- tap_element: Go\n";
    on("odd.html", &closed).code(0);
}

#[test]
fn what_goes_wrong_by_the_last_act_is_a_warning() {
    let acts = [
        ("setTimeout(() => { throw new Error(&quot;boom&quot;) }, 5)", "Error: boom"),
        ("location = &quot;nowhere.html&quot;", "nowhere.html"),
        ("location = &quot;http://127.0.0.1:1/&quot;", "http://127.0.0.1:1/"),
    ];
    for way in PROTOCOLS {
        for (does, said) in acts {
            let ran = on_view(way, "odd.html", &(button("Go", does) + "- tap_element: Go\n")).code(0);
            let ran = ran.says("step 3, tap_element, went wrong in the page: ").says(said);
            assert!(log(&ran).contains(said), "{}", log(&ran));
        }
    }
    // What went wrong before is none of it.
    let before =
        button("Go", "document.title = 1") + "- evaluate: fetch('/nowhere').then(() => 1)\n- tap_element: Go\n";
    let ran = on("odd.html", &before).code(0);
    assert!(!log(&ran).contains("went wrong"), "{}", log(&ran));
}

#[test]
fn what_a_case_that_is_referred_to_leaves_open_is_told_or_met_by_the_next_step() {
    let page = "data:text/html,<button%20onclick='alert(1)'>Go</button>";
    let inner = format!("config: {{name: Inner}}\nteststeps:\n- open_url: \"{page}\"\n- tap_element: Go\n");
    let run = |then: &str| {
        let outer =
            format!("config: {{name: Outer, browser: {{width: 900}}}}\nteststeps:\n- testcase: inner.yaml\n{then}");
        let args = ["run", "outer.yaml", "--report-dir", "r", "--device", "browser"];
        let test = crate::support::Test::new(&args).file("inner.yaml", inner.clone()).file("outer.yaml", outer);
        let output = test.web_command().output().expect("the program starts");
        test.ran(&output)
    };
    run("").code(1).says("inner.yaml:4:3: after step 2, tap_element").says("(alert): \"1\"");
    run("- accept_dialog: {}\n").code(0);
    // Tidying up is an act as well.
    let teardown = "config: {name: T, browser: {width: 900}, teardown_hooks: [{tap_element: Go}]}\nteststeps:\n";
    let args = ["run", "case.yaml", "--report-dir", "r", "--device", "browser"];
    let case = format!("{teardown}- open_url: \"{page}\"\n");
    let test = crate::support::Test::new(&args).file("case.yaml", case);
    let output = test.web_command().output().expect("the program starts");
    test.ran(&output).code(1).says(", tap_element").says("(alert): \"1\"");
}

#[test]
fn what_a_page_asks_while_it_loads_is_met_by_the_next_step() {
    let answers = "- accept_dialog: {contains: First}
- dismiss_dialog: {contains: Second}
- accept_dialog: {contains: Third, text: own}
- assert_visible: false own
- tap_element: Tap me
- assert_text: {id: told, equals: tapped}
";
    let again = format!("- reload: {{}}\n{answers}");
    for way in WAYS {
        on_view(way, "asks.html", &format!("{answers}{again}")).code(0);
        on_view(way, "asks_frame.html", answers).code(0);
        let closes = "- close_popups: {}\n- assert_visible: Tap me\n- tap_element: Tap me\n- assert_visible: tapped\n";
        on_view(way, "asks.html", closes).code(0);
    }
    // Nobody answers: the next step tells it, and does not wait its 10 s for what it wants.
    for way in PROTOCOLS {
        let ran = on_view(way, "asks.html", "- tap_element: Tap me\n").code(1).says("step 2, ").says("\"First\"");
        let took = ran.json("r/summary.json")["cases"][0]["steps"][1]["elapsed_ms"].as_u64();
        assert!(took.is_some_and(|took| took < 8000), "{took:?}");
        on_view(way, "asks.html", "").code(1).says("after step 1, open_url").says("\"First\"");
        on_view(way, "asks.html", "- accept_dialog: {contains: Other, timeout: 0.3}\n")
            .code(1)
            .says("does not say \"Other\"");
    }
}

#[test]
fn what_a_page_asks_while_it_loads_is_closed_where_that_is_asked_for() {
    for way in PROTOCOLS {
        for (config, step) in [("", ", auto_popup_handler: true"), (", auto_popup_handler: true", "")] {
            let case = format!(
                "config: {{name: Page, browser: {{{way}}}{config}}}\nteststeps:\n- {{open_url: {}/asks.html{step}}}\n- assert_visible: false null\n",
                crate::support::site::serve()
            );
            let args = ["run", "case.yaml", "--report-dir", "r", "--device", "browser"];
            let test = crate::support::Test::new(&args).file("case.yaml", case);
            let output = test.web_command().output().expect("the program starts");
            test.ran(&output).code(0);
        }
    }
}
