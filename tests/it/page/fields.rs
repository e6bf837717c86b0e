//! What is typed into fields of pages and deleted from them, and what agents are told of pages: the real program, in Chromium.

use serde_json::{Value, json};

use crate::support::counterparts::program;
use crate::support::mcp_stdio::Server;
use crate::support::site::{on, serve};
use crate::support::{Test, text};

#[test]
fn every_field_is_emptied_whatever_it_holds() {
    on(
        "fields.html",
        "- clear_text: {into: Secret}
- assert_text: {id: held, equals: 'input secret:'}
- input: {text: 新密码 😀, into: Secret}
- assert_text: {id: held, equals: 'input secret: 新密码 😀'}
- input: {text: second, into: Secret, clear: true}
- assert_text: {id: held, equals: 'input secret: second'}
- clear_text: {into: Long}
- assert_text: {id: held, equals: 'input long:'}
- assert_text: {id: long, equals: ''}
- clear_text: {into: Lines}
- assert_text: {id: lines, equals: ''}
- input: {text: \"one\\n二 😀\\nthree\", into: Lines}
- assert_text: {id: held, equals: 'input lines: one/二 😀/three'}
- clear_text: {into: Rich}
- input: {text: '你好 👨‍👩‍👧 é', into: Rich}
- assert_text: {id: held, equals: 'input rich: 你好 👨‍👩‍👧 é'}
- clear_text: {into: Rich}
- evaluate: 'document.getElementById(\"rich\").textContent.length'
  save: left
- assert_value: {value: $left, equals: 0}
",
    )
    .code(0);
    on("fields.html", "- clear_text: {into: Stubborn}\n").code(1).says("puts them back");
    on("fields.html", "- clear_text: {into: Locked secret, timeout: 1}\n").code(1).says("only to be read");
}

#[test]
fn fields_take_what_a_person_would_give_them_and_tell_the_page() {
    on(
        "fields.html",
        "- input: {text: 12345, into: Short}
- assert_text: {id: short, equals: '12345'}
- input: {text: '-4.5', into: Number, clear: true}
- assert_text: {id: held, equals: 'input number: -4.5'}
- input: {text: '2024-05-06', into: Date}
- assert_text: {id: held, equals: 'change date: 2024-05-06'}
- assert_text: {id: date, equals: '2024-05-06'}
- clear_text: {into: Date}
- assert_text: {id: date, equals: ''}
- input: {text: '09:30', into: Time}
- assert_text: {id: held, equals: 'change time: 09:30'}
- input: {text: abc, into: Controlled}
- assert_text: {id: state, equals: state ABC}
- input: {text: d, into: Controlled}
- assert_text: {id: controlled, equals: ABCD}
- press_button: tab
- assert_visible: changed to ABCD
- clear_text: {into: Controlled}
- assert_text: {id: state, equals: state}
- input: {text: 李雷, into: Controlled, clear: true}
- assert_text: {id: state, equals: state 李雷}
",
    )
    .code(0);
    on("fields.html", "- input: {text: tomorrow, into: Date}\n").code(1).says("write 2024-12-31");
    on("fields.html", "- input: {text: many, into: Number}\n").code(1).says("write a number");
}

/// What fields take in their own form, and what they are set to: by each way to a page.
const TAKEN: &str = "- input: {text: '5551234', into: Phone}
- assert_text: {id: phone, equals: '(555) 1234'}
- input: {text: '5551234', into: Phone, clear: true}
- input: {text: abc, into: Upper}
- input: {text: abc, into: Upper, clear: true}
- assert_text: {id: upper, equals: ABC}
- input: {text: 'one,', into: Tags}
- sim_input: {text: 'two,', into: Chat, frequency: 100}
- input: {text: abc, into: Code}
- input: {text: xyz, into: Code, clear: true}
- input: {text: z, into: Slow}
- input: {text: '#ff0000', into: Tint}
- input: {text: '5', into: {id: level}}
- input: {text: '10', into: Level}
- assert_text: {id: held, equals: 'input #ff0000;change #ff0000;input 10;change 10;'}
- input: {text: '2024-12-31', into: Day}
- input: {text: ' two', into: Paragraph, timeout: 1}
- input: {text: three, into: Empty, timeout: 1}
- evaluate: 'document.getElementById(\"editor\").textContent + document.getElementById(\"empty\").textContent'
  save: written
- assert_value: {value: $written, equals: one twothree}
- select_option: {value: 1, from: Twins}
- select_option: {option: b, from: Twins}
- select_option: {index: 1, from: Twins}
";

/// What fields do not take, and what is said of it.
const REFUSED: &[(&str, &str, &str)] = &[
    ("input", r#"{"text": "abc", "into": "Emptied"}"#, "took nothing of the text"),
    ("input", r#"{"text": "abc", "into": "Deaf"}"#, "holds \"kept\" as before"),
    ("input", r#"{"text": "abc", "into": "Deaf password"}"#, "holds 9 characters as before"),
    ("input", r#"{"text": "abc", "into": "Deaf", "secret": true}"#, "holds 4 characters as before"),
    ("sim_input", r#"{"text": "abc", "into": "Emptied", "frequency": 100}"#, "took nothing of the text"),
    ("input", r#"{"text": "abcdef", "into": "Code"}"#, "took 3 of 6 characters"),
    ("input", r#"{"text": "d", "into": "Code"}"#, "took 0 of 1 characters"),
    ("input", r#"{"text": "11", "into": "Level"}"#, "it takes min 0, max 10, step 5"),
    ("input", r#"{"text": "7", "into": "Level"}"#, "it takes min 0, max 10, step 5"),
    ("input", r#"{"text": "loud", "into": "Level"}"#, "is a range and does not take"),
    ("input", r#"{"text": "red-ish", "into": "Tint"}"#, "write #00ff00"),
    ("input", r#"{"text": "2023-12-31", "into": "Day"}"#, "it takes min 2024-01-01, max 2024-12-31"),
    ("input", r#"{"text": "2025-01-01", "into": "Day"}"#, "it takes min 2024-01-01, max 2024-12-31"),
    ("input", r#"{"text": "x", "into": {"id": "dead"}, "timeout": 1}"#, "did not get the focus within 1 s"),
    ("select_option", r#"{"option": "a", "from": "Twins"}"#, "several options"),
    ("select_option", r#"{"value": "2", "from": "Twins"}"#, "name one by `index`"),
];

#[test]
fn what_fields_take_in_their_own_form_arrives_and_what_they_do_not_take_is_an_error() {
    on("stubborn.html", TAKEN).code(0);
    let mut server = agent(&["--toolsets", "all"]);
    called(&mut server, "open_url", &json!({"url": format!("{}/stubborn.html", serve())}));
    for (tool, arguments, said) in REFUSED {
        let arguments: Value = serde_json::from_str(arguments).expect("arguments");
        let result = server.call(2, tool, &arguments)["result"].clone();
        let told = &result["structuredContent"]["message"];
        assert!(
            result["isError"] == true && told.as_str().is_some_and(|told| told.contains(said)),
            "{arguments}: {result}"
        );
        assert!(!result.to_string().contains("hush"), "{result}");
    }
}

#[test]
fn fields_are_filled_and_looked_into_by_webdriver_too() {
    program("chromedriver");
    let last = "- input: {text: abc, into: Emptied}\n";
    let case = format!(
        "config: {{name: Page, browser: {{driver: chromedriver, protocol: webdriver}}}}\nteststeps:\n- open_url: {}/stubborn.html\n{TAKEN}{last}",
        serve()
    );
    let test = Test::new(&["run", "case.yaml", "--report-dir", "r", "--device", "browser"]).file("case.yaml", case);
    let output = test.web_command().output().expect("the program starts");
    test.ran(&output).code(1).says("took nothing of the text");
}

/// An agent's server with a browser.
fn agent(more: &[&str]) -> Server {
    program("chromium");
    let mut server = Server::start_on(&["--device", "browser"], more);
    server.initialize();
    server
}

fn called(server: &mut Server, tool: &str, arguments: &Value) -> Value {
    let result = server.call(2, tool, arguments)["result"].clone();
    assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
    result["structuredContent"].clone()
}

fn snapshot(server: &mut Server, url: &str) -> String {
    called(server, "open_url", &json!({"url": url}));
    text(&called(server, "snapshot", &json!({}))["snapshot"]).to_owned()
}

#[test]
fn agents_are_told_of_all_that_can_be_used_and_of_nothing_that_is_not_there() {
    let site = serve();
    let mut server = agent(&[]);
    let told = snapshot(&mut server, &format!("{site}/hostile/names.html"));
    let breaks = |sign: char| sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}');
    for line in told.split('\n') {
        assert!(!line.contains(breaks), "{line:?}");
        assert!(!line.starts_with("e99"), "{told}");
        // Outside of quotation marks nothing speaks of the button that is not there.
        let mut outside = String::new();
        let (mut is_inside, mut is_escaped) = (false, false);
        for sign in line.chars() {
            match sign {
                _ if is_escaped => is_escaped = false,
                '\\' if is_inside => is_escaped = true,
                '"' => is_inside = !is_inside,
                sign if !is_inside => outside.push(sign),
                _ => {}
            }
        }
        assert!(!is_inside && !outside.contains("e99"), "{line}");
    }
    assert!(told.contains(r#"button "Say \"hi\" \\ bye""#), "{told}");

    let told = snapshot(&mut server, &format!("{site}/forms.html"));
    assert!(
        told.contains("combobox \"Country\" #country = \"Choose one\" [options: Choose one, China, France, Germany]"),
        "{told}"
    );
    assert!(told.contains("textfield \"Birthday\" #birthday (date)"), "{told}");
    // Playwright's MCP server 0.0.83 needs 2,369 bytes for the same page.
    assert!(told.len() <= 2_369 * 6 / 10, "{} bytes:\n{told}", told.len());

    let told = snapshot(&mut server, &format!("{site}/list.html"));
    let far = told.lines().last().unwrap_or_default();
    assert!(far.contains("brought there when used: e"), "{told}");
    let found = called(&mut server, "find_element", &json!({"description": "Load more button"}));
    assert_eq!((&found["name"], &found["text"]), (&json!("Load more"), &json!("Load more")), "{found}");
    let reference = text(&found["ref"]).to_owned();
    called(&mut server, "tap_element", &json!({"ref": reference}));
    called(&mut server, "assert_text", &json!({"id": "count", "equals": "220 rows"}));
    let typed = called(&mut server, "browser_click", &json!({"selector": "Load more"}));
    assert!(text(&typed["ref"]).starts_with('e'), "{typed}");
    called(&mut server, "assert_text", &json!({"id": "count", "equals": "240 rows"}));
    let small = called(&mut server, "snapshot", &json!({"max_tokens": 200}));
    assert!(small.to_string().len() / 4 <= 220, "{small}");
}

#[test]
fn agents_upload_only_what_they_are_offered() {
    let url = format!("{}/upload_script.html", serve());
    let upload = json!({"files": "a.txt", "into": "Pick one"});
    let mut server = agent(&["--toolsets", "all"]);
    called(&mut server, "open_url", &json!({"url": url}));
    let refused = server.call(2, "upload", &upload)["result"].clone();
    assert_eq!(refused["structuredContent"]["kind"], "BadArgument", "{refused}");
    assert!(text(&refused["structuredContent"]["message"]).contains("--allow-dir"), "{refused}");

    let offered = tempfile::tempdir().expect("a folder");
    std::fs::write(offered.path().join("a.txt"), "offered").expect("it can be written");
    let mut server = agent(&["--toolsets", "all", "--allow-dir", &offered.path().display().to_string()]);
    called(&mut server, "open_url", &json!({"url": url}));
    called(&mut server, "upload", &upload);
    called(&mut server, "assert_visible", &json!({"text": "a.txt: offered"}));
    for outside in ["/etc/passwd", "../a.txt"] {
        let refused = server.call(2, "upload", &json!({"files": outside, "into": "Pick one"}))["result"].clone();
        assert_eq!(refused["structuredContent"]["kind"], "BadArgument", "{outside}: {refused}");
    }
}
