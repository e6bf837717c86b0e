//! What a failed step tells of its page: errors of the console and requests that failed; and how soon it tells it.

use std::time::Duration;

use serde_json::Value;

use super::{Site, WAYS, ran};
use crate::support::{Ran, items, text};

/// Returns the failed actions of the only case.
fn failed(ran: &Ran) -> Vec<Value> {
    let summary = ran.json("r/summary.json");
    let steps = items(&summary["cases"][0]["steps"]).iter();
    let actions = steps.flat_map(|step| items(&step["attempts"])).flat_map(|attempt| items(&attempt["actions"]));
    actions.filter(|action| action["error"].is_object()).cloned().collect()
}

fn said(action: &Value) -> Vec<&str> {
    match &action["error"]["details"]["page_errors"] {
        Value::Null => Vec::new(),
        errors => items(errors).iter().map(text).collect(),
    }
}

#[test]
fn what_went_wrong_in_the_page_stands_beside_a_failed_step() {
    let site = Site::start();
    let steps = format!(
        "- open_url: '{}#{}'
- input: {{text: hunter2x, into: Word, secret: true}}
- tap_element: Go
- assert_text: {{id: told, equals: done}}
- assert_visible: {{text: Nowhere, timeout: 0.3}}
",
        site.page("errors"),
        crate::support::nobody()
    );
    for way in WAYS {
        let ran = ran(way, &steps).code(1);
        let failed = failed(&ran);
        assert_eq!(failed.len(), 1, "{way}: {failed:?}");
        let said = said(&failed[0]);
        let told = said.join("\n");
        assert!(
            said.len() >= 4 && said.iter().all(|line| line.chars().count() <= 300 && !line.contains('\n')),
            "{told}"
        );
        let missing = if way.contains("protocol: webdriver") { "/missing?token=" } else { "GET " };
        for part in ["onerror=alert(1)> said", "404", missing, "CONNECTION_REFUSED", "TypeError"] {
            assert!(told.contains(part), "{way}: {part}: {told}");
        }
        assert!(
            !told.contains("no error") && !told.contains("hunter2x") && !told.contains("KEY12345"),
            "{way}: {told}"
        );
        let report = ran.read("r/report.html");
        assert!(
            !report.contains("<img src=x") && report.contains("onerror=alert(1)&gt; said")
                || report.contains("onerror=alert(1)> said"),
            "{way}"
        );
        for file in ["r/report.html", "r/summary.json", "r/junit.xml", "r/journal.jsonl"] {
            let text = ran.read(file);
            assert!(
                !text.contains("hunter2x") && !text.contains("KEY12345") && text.contains("CONNECTION_REFUSED"),
                "{way}: {file}"
            );
        }
        assert!(ran.stderr.contains("TypeError") && ran.stderr.contains("the page"), "{way}: {}", ran.stderr);
    }
}

#[test]
fn only_what_came_since_the_page_or_the_step_began_is_told() {
    let site = Site::start();
    let nowhere = "assert_visible: {text: Nowhere, timeout: 0.1}";
    let left = format!("- open_url: {}\n- open_url: {}\n- {nowhere}\n", site.page("errors"), site.page("form"));
    assert!(said(&failed(&ran("", &left).code(1))[0]).is_empty(), "it is another page's");
    let within = format!(
        "- browser: {{actions: [{{method: open_url, params: '{}'}}, {{method: open_url, params: '{}'}}, {{method: assert_visible, params: {{text: Nowhere, timeout: 0.1}}}}]}}\n",
        site.page("errors"),
        site.page("form")
    );
    assert_eq!(said(&failed(&ran("", &within).code(1))[0]), ["console: of the first page"]);
    let refused = format!("- open_url: {}\n- tap_element: Get it\n- {nowhere}\n", site.page("download"));
    let refused = ran("driver: chromedriver", &refused).code(1);
    let told = failed(&refused);
    assert!(said(&told[0])[0].starts_with("download: cancelled, as all are unless `downloads`"), "{told:?}");
    let many = format!(
        "- open_url: {}\n- evaluate: \"[...Array(40).keys()].forEach((i) => console.error('number ' + i))\"\n- {nowhere}\n",
        site.page("form")
    );
    let ran = ran("", &many).code(1);
    let failed = failed(&ran);
    let said = said(&failed[0]);
    assert_eq!((said.len(), said[0], said[9]), (10, "console: number 30", "console: number 39"));
    assert!(
        ran.stderr.contains("7 more before") && ran.stderr.contains("number 37") && !ran.stderr.contains("number 36"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_hung_page_costs_little_more_than_the_timeout() {
    let site = Site::start();
    let steps =
        format!("- open_url: {}\n- sleep: 1.8\n- assert_visible: {{text: Nowhere, timeout: 2}}\n", site.page("hung"));
    for way in WAYS {
        let ran = ran(way, &steps).code(3);
        let summary = ran.json("r/summary.json");
        let took = summary["cases"][0]["steps"][2]["elapsed_ms"].as_u64().map(Duration::from_millis);
        let took = took.expect("how long it took");
        // A look is given 3 s at the least, and a loaded machine takes its time as well.
        assert!(took < Duration::from_secs(15), "{way}: {took:?}");
    }
}
