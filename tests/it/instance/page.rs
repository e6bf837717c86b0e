//! UI instances: made by tools, used in the page.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::support::Test;
use crate::support::counterparts::program;
use crate::support::sample_runs::{folder, load};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// `uixt ui`, as long as this is held.
struct Page {
    child: Child,
    /// `127.0.0.1:8017`.
    address: String,
}

impl Page {
    /// Starts it; instances are kept in the test's folder.
    fn start(test: &Test, variables: &[(&str, &str)]) -> Self {
        let mut command = test.command();
        command.env("UIXT_DATA_DIR", test.path("data")).envs(variables.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("an address");
        let address = line.trim().trim_start_matches("http://").trim_end_matches("/ui/").to_owned();
        Self { child, address }
    }

    fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("an end");
    }

    async fn open(&self) -> Socket {
        connect_async(format!("ws://{}/ui/live", self.address)).await.expect("it answers").0
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Says something to a page's server.
async fn say(socket: &mut Socket, message: &Value) -> tungstenite::Result<()> {
    socket.send(Message::text(message.to_string())).await
}

/// Returns the next message of a type; nothing where the connection ends.
async fn hear(socket: &mut Socket, kind: &str) -> Option<Value> {
    let next = async {
        loop {
            let Some(Ok(Message::Text(text))) = socket.next().await else { return None };
            let said: Value = serde_json::from_str(&text).expect("JSON");
            if said["type"] == kind {
                return Some(said);
            }
            assert!(said["type"] != "refused" || kind == "refused", "{said}");
        }
    };
    tokio::time::timeout(Duration::from_secs(20), next).await.expect("an answer")
}

/// An instance with a number, a text that cannot be edited, and HTML.
fn counter() -> String {
    json!({"instance_id": "c", "state": {"params": {"count": 0, "html": "<b>x</b><script>alert(1)</script>"}},
        "blocks": [{"id": "b", "type": "form", "bind": "state.params", "props": {"fields": [
            {"key": "count", "label": "Count", "type": "number"}, {"key": "fixed", "label": "Fixed", "type": "text", "editable": false},
            {"key": "html", "label": "HTML", "type": "html"}]}}],
        "actions": [{"id": "more", "label": "+1", "style": "primary", "handler_type": "increment", "patches": {"state.params.count": 1}}]})
    .to_string()
}

/// Returns a folder in which the counter is kept, and in which `uixt ui` can be started.
fn kept() -> Test {
    let test = Test::new(&["ui", "--port", "0"]).file("c.json", counter());
    let file = test.path("c.json").display().to_string();
    let import = Test::new(&["ui", "import", &file]);
    let done = import.command().env("UIXT_DATA_DIR", test.path("data")).output().expect("it starts");
    import.ran(&done).code(0);
    test
}

#[test]
fn what_a_person_does_in_the_page_and_what_tools_do_is_the_same_instance() {
    program("chromium");
    let cases = load("testcases/ui");
    assert!(!cases.is_empty());
    let path = folder("testcases/ui").display().to_string();
    let test = Test::new(&["run", &path, "--no-skip", "--report-dir", "r"]);
    let data = test.path("data");
    let output = test.command().env("UIXT_DATA_DIR", data).env_remove("UIXT_BROWSER").output().expect("it starts");
    test.ran(&output).code(0);
}

/// Returns how often to kill: `UIXT_KILLS`, or eight times.
fn kills() -> u64 {
    std::env::var("UIXT_KILLS").map_or(8, |number| number.parse().expect("UIXT_KILLS is a number"))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_taken_is_kept_however_often_the_server_is_killed() {
    let test = kept();
    let mut taken = 0;
    for round in 0..kills() {
        let mut page = Page::start(&test, &[]);
        let (mut writer, mut reader) = (page.open().await, page.open().await);
        say(&mut reader, &json!({"type": "open", "id": "c"})).await.expect("sent");
        let view = hear(&mut reader, "view").await.expect("all there is");
        let found = view["view"]["schema"]["state"]["params"]["count"].as_u64().expect("a number");
        assert!(found >= taken, "{taken} was taken, {found} is kept");
        let wait = Duration::from_millis(5 + fastrand::u64(0..120) + round);
        let killer = tokio::task::spawn_blocking(move || {
            std::thread::sleep(wait);
            page.kill();
        });
        for value in found + 1.. {
            let edit = json!({"type": "set", "id": "c", "seq": value, "path": "state.params.count", "value": value});
            if say(&mut writer, &edit).await.is_err() || hear(&mut writer, "done").await.is_none() {
                break;
            }
            taken = value;
        }
        killer.await.expect("killed");
    }
    assert!(taken > kills(), "{taken}");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_pages_and_tools_end_with_the_same() {
    let test = kept();
    let page = Page::start(&test, &[]);
    let mut pages = Vec::new();
    for _ in 0..12 {
        let mut socket = page.open().await;
        say(&mut socket, &json!({"type": "open", "id": "c"})).await.expect("sent");
        let view = hear(&mut socket, "view").await.expect("all there is");
        pages.push((socket, view["view"].clone()));
    }
    // Another process changes it, too.
    let call =
        json!({"instance_id": "c", "patches": [{"op": "set", "path": "title", "value": "By another"}]}).to_string();
    let others =
        Test::new(&["call", "patch_ui_state", &call]).command().env("UIXT_DATA_DIR", test.path("data")).spawn();
    for seq in 0..60 {
        let (socket, _) = &mut pages[seq % 12];
        say(socket, &json!({"type": "act", "id": "c", "seq": seq, "action": "more"})).await.expect("sent");
    }
    assert!(others.expect("it starts").wait().expect("an end").success());
    for (socket, view) in &mut pages {
        while view["schema"]["state"]["params"]["count"] != 60 || view["schema"]["title"] != "By another" {
            let said = hear(socket, "patch").await.expect("a change");
            let patch: json_patch::Patch = serde_json::from_value(said["patch"].clone()).expect("a patch");
            json_patch::patch(view, &patch).expect("it fits what is shown");
        }
    }
    assert!(pages.iter().all(|(_, view)| *view == pages[0].1), "all show the same");
    assert_eq!(pages[0].1["html"]["b.html"], "<b>x</b>");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_changes_values_of_fields_and_nothing_else() {
    let test = kept();
    let page = Page::start(&test, &[]);
    let mut socket = page.open().await;
    for (path, value) in [
        ("state.params.fixed", json!("x")),
        ("state.params.count", json!("many")),
        ("state.runtime.message", json!("x")),
        ("blocks", json!([])),
        ("actions.0.patches", json!({})),
        ("state.params", json!({})),
    ] {
        say(&mut socket, &json!({"type": "set", "id": "c", "seq": 1, "path": path, "value": value}))
            .await
            .expect("sent");
        let refused = hear(&mut socket, "refused").await.expect("an answer");
        assert_eq!(refused["error"]["code"], "SCHEMA_MUTATION", "{path}");
    }
    say(&mut socket, &json!({"type": "act", "id": "c", "seq": 2, "action": "moer"})).await.expect("sent");
    let refused = hear(&mut socket, "refused").await.expect("an answer");
    assert!(refused["error"]["message"].as_str().expect("a text").contains("did you mean `more`?"), "{refused}");
    socket.send(Message::text("{\"type\": \"drop\"}")).await.expect("sent");
    assert_eq!(hear(&mut socket, "refused").await.expect("an answer")["error"]["code"], "INVALID_MESSAGE");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_this_computer_s_own_pages_are_let_in() {
    let test = kept();
    let page = Page::start(&test, &[]);
    let url = format!("ws://{}/ui/live", page.address);
    for (name, value) in [("origin", "http://evil.example"), ("origin", "null"), ("host", "evil.example")] {
        let mut request = url.as_str().into_client_request().expect("a request");
        request.headers_mut().insert(name, value.parse().expect("a value"));
        let refused = connect_async(request).await.expect_err("refused");
        assert!(
            matches!(&refused, tungstenite::Error::Http(answer) if answer.status() == 403),
            "{name} {value}: {refused}"
        );
    }
    let token = Page::start(&test, &[("UIXT_MCP_TOKEN", "a;token=of+more%than&16-signs")]);
    let live = format!("ws://{}/ui/live", token.address);
    let refused = connect_async(&live).await.expect_err("no token");
    assert!(matches!(&refused, tungstenite::Error::Http(answer) if answer.status() == 401), "{refused}");
    // A person opens the page with the token once; the browser keeps it, and no address holds it any more.
    let client = uixt_core::http::plain_client().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
    let get = |query: &str| client.get(format!("http://{}/ui/i/c?token={query}", token.address)).send();
    assert_eq!(get("another-token-of-some-length").await.expect("an answer").status().as_u16(), 401);
    let entered = get("a%3Btoken%3Dof%2Bmore%25than%2616-signs").await.expect("an answer");
    assert_eq!(
        (entered.status().as_u16(), &entered.headers()["location"]),
        (303, &"/ui/i/c".parse().expect("a value"))
    );
    let cookie = entered.headers()["set-cookie"].to_str().expect("a text");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    let mut request = live.as_str().into_client_request().expect("a request");
    request.headers_mut().insert("cookie", cookie.split(';').next().expect("a pair").parse().expect("a value"));
    connect_async(request).await.expect("let in");
}

/// A run of cases of many steps that need no device, with a dashboard.
fn watched(test: &Test) -> (Child, String) {
    let mut command = test.command();
    let mut child = command.env("UIXT_DATA_DIR", test.path("data")).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    stderr.read_line(&mut line).expect("an address");
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    let address = line.trim().strip_prefix("dashboard: http://").and_then(|url| url.strip_suffix("/ui/i/live"));
    (child, address.unwrap_or_else(|| panic!("{line}")).to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_shown_while_it_goes_on_and_to_its_end() {
    let case = |last: &str| {
        let steps: String = (0..20).map(|number| format!("- log: line {number}\n- sleep: 0.02\n")).collect();
        format!("config: {{name: A case}}\nteststeps:\n{steps}{last}\n")
    };
    let bad = case("- assert_value: {value: 1, equals: 2}");
    let arguments = ["run", "a.yaml", "b.yaml", "--report-dir", "r", "--dashboard=live"];
    let test = Test::new(&arguments).file("a.yaml", case("- log: last")).file("b.yaml", bad);
    let (mut child, address) = watched(&test);
    let mut socket = connect_async(format!("ws://{address}/ui/live")).await.expect("it answers").0;
    let mut leaver = connect_async(format!("ws://{address}/ui/live")).await.expect("it answers").0;
    for socket in [&mut socket, &mut leaver] {
        say(socket, &json!({"type": "open", "id": "live"})).await.expect("sent");
    }
    hear(&mut leaver, "view").await.expect("all there is");
    drop(leaver);
    let mut view = hear(&mut socket, "view").await.expect("all there is")["view"].clone();
    let mut seen_running = 0;
    while let Some(said) = hear(&mut socket, "patch").await {
        let patch: json_patch::Patch = serde_json::from_value(said["patch"].clone()).expect("a patch");
        json_patch::patch(&mut view, &patch).expect("it fits what is shown");
        let running = &view["schema"]["state"]["params"]["running"];
        seen_running += u32::from(running[0]["step"].as_str().is_some_and(|step| step.contains(" of 41: ")));
    }
    let state = &view["schema"]["state"];
    let message = state["runtime"]["message"].as_str().expect("a text");
    assert!(
        message.starts_with("Failed in ")
            && message.contains("2 of 2 cases: 1 failed, 1 passed. Report: r/report.html"),
        "{message}"
    );
    let failed = &state["params"]["not_passed"][0];
    assert_eq!((&failed["step"], &failed["outcome"]), (&json!("step 41, assert_value"), &json!("failed")), "{failed}");
    assert_eq!(failed["why"], "value: expected equals 2 but was 1");
    assert!(seen_running > 0, "{state}");
    assert_eq!(child.wait().expect("an end").code(), Some(1));
}

#[test]
fn a_dashboard_takes_no_other_instance_s_place() {
    let test = kept().then_test(&["run", "a.yaml", "--dashboard=c"]).file("a.yaml", "teststeps:\n- log: x\n");
    let output = test.command().env("UIXT_DATA_DIR", test.path("data")).output().expect("it starts");
    test.ran(&output).code(2).says("`c` is another UI instance; name one that is not there");
}
