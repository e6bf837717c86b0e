//! Actions that ask servers, run by a tool and by a button of the page: the manual's own, and those that must be refused.

use std::net::SocketAddr;
use std::process::Output;
use std::time::Duration;

use axum::extract::{Json, Path};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};

use crate::support::Test;
use crate::support::counterparts::program;

/// The server that the manual's examples call `api.example.com`.
async fn server() -> SocketAddr {
    async fn user(Path(id): Path<String>, headers: HeaderMap) -> Response {
        let token = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
        match (token, id.as_str()) {
            ("Bearer secret-1", "7") => Json(json!({"id": 7, "name": "赵六"})).into_response(),
            ("Bearer secret-1", _) => {
                (StatusCode::NOT_FOUND, Json(json!({"error": {"message": format!("no user {id}")}}))).into_response()
            }
            _ => (StatusCode::UNAUTHORIZED, "who are you?").into_response(),
        }
    }
    async fn add(Json(user): Json<Value>) -> Response {
        let echoed = json!({"data": {"id": "u-1", "users": [{"name": user["name"]}], "received": user}});
        (StatusCode::CREATED, Json(echoed)).into_response()
    }
    async fn form(headers: HeaderMap, body: String) -> Json<Value> {
        Json(json!({"type": headers.get("content-type").and_then(|kind| kind.to_str().ok()), "body": body}))
    }
    let slow = async || tokio::time::sleep(Duration::from_secs(30)).await;
    let large = async || "x".repeat(20 << 20);
    let app = axum::Router::new()
        .route("/users/{id}", get(user))
        .route("/users", post(add))
        .route("/form", post(form))
        .route("/slow", get(slow))
        .route("/large", get(large))
        .route("/elsewhere", get(async || Redirect::temporary("http://169.254.169.254/latest/meta-data")))
        .route("/broken", get(async || (StatusCode::INTERNAL_SERVER_ERROR, "out of order")));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

fn action(id: &str, patches: &Value) -> Value {
    json!({"id": id, "label": id, "style": "primary", "handler_type": "external", "patches": patches})
}

/// The manual's examples, with another host, and what must be refused.
fn instance(host: &str, name: &str) -> Value {
    let base = format!("http://{host}");
    let errors = json!({"state.runtime.error": "error.message", "state.runtime.status": "error"});
    let get = |id: &str, url: &str| action(id, &json!({"url": url, "method": "GET", "timeout": 1}));
    let (slow, large) = (format!("{base}/slow"), format!("{base}/large"));
    json!({
        "instance_id": "asks", "title": "Asks", "state": {"params": {"user_id": "7", "token": "secret-1", "name": "小明",
            "email": "ming@example.com", "age": 20, "user_data": null, "first": ""}},
        "blocks": [{"id": "b", "type": "form", "bind": "state.params", "props": {"showStatus": true, "fields": [
            {"key": "user_id", "label": "User", "type": "text"}, {"key": "user_data", "label": "Data", "type": "json"},
            {"key": "first", "label": "First", "type": "text"}]}}],
        "actions": [
            action("fetch_user", &json!({
                "url": format!("{base}/users/${{state.params.user_id}}"), "method": "GET",
                "headers": {"Authorization": "Bearer ${state.params.token}"}, "timeout": 30,
                "response_mappings": {"state.params.user_data": "", "state.runtime.message": "成功获取用户数据"},
                "error_mapping": errors})),
            action("create_user", &json!({
                "url": format!("{base}/users"), "method": "POST",
                "body_template": {"name": "${state.params.name}", "email": "${state.params.email}", "age": "${state.params.age}"},
                "body_template_type": "json",
                "response_mappings": {"state.params.user_id": "data.id", "state.runtime.status": "success",
                    "state.params.first": "data.users.0.name", "state.params.user_data": "data.received"},
                "error_mapping": errors})),
            action("send_form", &json!({
                "url": format!("{base}/form"), "body_template": {"name": "${state.params.name}", "age": "${state.params.age}"},
                "body_template_type": "form", "response_mappings": {"state.params.user_data": ""}})),
            action("page_for_data", &json!({"url": format!("{base}/large"), "method": "GET", "response_mappings": {"state.params.first": "a"},
                "error_mapping": {"state.runtime.error": "msg", "state.runtime.message": "It failed, see below"}})),
            action("nothing_found", &json!({"url": format!("{base}/users/7"), "method": "GET",
                "headers": {"Authorization": "Bearer secret-1"}, "response_mappings": {"state.params.first": "data.users.1.name"}})),
            get("slow", &slow), get("large", &large), get("broken", &format!("{base}/broken")),
            get("elsewhere", &format!("{base}/elsewhere")), get("other_host", "http://api.example.com/users"),
            get("other_port", "http://localhost:1/"), get("address", "http://127.0.0.1:1/"), get("file", "file:///etc/passwd"),
            get("private", &format!("http://{name}:9/")),
        ]
    })
}

/// Returns the name of this computer, where it leads to an address that is not of the public internet.
fn own_name() -> Option<String> {
    let name = std::fs::read_to_string("/etc/hostname").ok()?.trim().to_ascii_lowercase();
    let hosts = std::fs::read_to_string("/etc/hosts").ok()?;
    let is_known = hosts.lines().any(|line| line.split_whitespace().skip(1).any(|known| known == name));
    (is_known && !name.is_empty()).then_some(name)
}

/// An instance that may ask one host, and a name that leads into this network; and what runs a command beside it.
async fn prepared(arguments: &[&str], steps: &str) -> (Test, Vec<(&'static str, String)>) {
    let host = format!("localhost:{}", server().await.port());
    let name = own_name().unwrap_or_else(|| "ip6-localhost".to_owned());
    let test = Test::new(arguments)
        .file("i.json", instance(&host, &name).to_string())
        .file("asks.yaml", format!("config: {{name: Asks}}\nteststeps:\n{steps}"))
        .file("uixt.yaml", "serve_ui: true\n");
    let variables =
        vec![("UIXT_DATA_DIR", test.path("data").display().to_string()), ("UIXT_UI_HOSTS", format!("{host},{name}"))];
    let file = test.path("i.json").display().to_string();
    let imported = output(Test::new(&["ui", "import", &file]).command(), &variables).await;
    assert!(imported.status.success(), "{imported:?}");
    (test, variables)
}

async fn output(mut command: std::process::Command, variables: &[(&str, String)]) -> Output {
    command.envs(variables.iter().map(|(name, value)| (*name, value))).env_remove("UIXT_BROWSER");
    tokio::task::spawn_blocking(move || command.output().expect("it starts")).await.expect("an end")
}

/// Calls a tool; returns whether it succeeded, and its answer.
async fn call(variables: &[(&str, String)], arguments: &[&str]) -> (bool, Value) {
    let called = output(Test::new(&[&["call"], arguments].concat()).command(), variables).await;
    let told = serde_json::from_slice(&called.stdout).unwrap_or_else(|error| panic!("{error}: {called:?}"));
    (called.status.success(), told)
}

async fn state(variables: &[(&str, String)]) -> Value {
    call(variables, &["get_schema", "asks"]).await.1["schema"]["state"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_manual_s_requests_are_made_by_a_tool() {
    let (_test, variables) = prepared(&[], "").await;
    assert!(call(&variables, &["run_action", "asks", "fetch_user"]).await.0);
    let now = state(&variables).await;
    assert_eq!(now["params"]["user_data"], json!({"id": 7, "name": "赵六"}));
    assert_eq!(now["runtime"]["message"], "成功获取用户数据");

    // What is not in the answer is null; why something failed is told where the answer does not say it, until something succeeds.
    assert!(!call(&variables, &["run_action", "asks", "page_for_data"]).await.0);
    let runtime = state(&variables).await["runtime"].clone();
    assert!(runtime["error"].as_str().is_some_and(|why| why.contains("larger than")), "{runtime}");
    assert_eq!(runtime["message"], "It failed, see below");
    assert!(call(&variables, &["run_action", "asks", "nothing_found"]).await.0);
    let now = state(&variables).await;
    assert_eq!((&now["params"]["first"], &now["runtime"]["error"]), (&Value::Null, &json!("")));

    let patch =
        json!({"instance_id": "asks", "patches": [{"op": "set", "path": "state.params.user_id", "value": "a b/.."}]});
    assert!(call(&variables, &["patch_ui_state", &patch.to_string()]).await.0);
    let (is_done, told) = call(&variables, &["run_action", "asks", "fetch_user"]).await;
    assert!(!is_done && told["message"].as_str().is_some_and(|why| why.ends_with("no user a b/..")), "{told}");
    let now = state(&variables).await;
    assert_eq!((&now["runtime"]["error"], &now["runtime"]["status"]), (&json!("no user a b/.."), &json!("error")));

    assert!(call(&variables, &["run_action", "asks", "create_user"]).await.0);
    let now = state(&variables).await;
    assert_eq!((&now["params"]["user_id"], &now["runtime"]["status"]), (&json!("u-1"), &json!("success")));
    assert_eq!(now["params"]["first"], "小明");
    assert_eq!(now["params"]["user_data"], json!({"name": "小明", "email": "ming@example.com", "age": 20}));

    assert!(call(&variables, &["run_action", "asks", "send_form"]).await.0);
    let sent = json!({"type": "application/x-www-form-urlencoded", "body": "name=%E5%B0%8F%E6%98%8E&age=20"});
    assert_eq!(state(&variables).await["params"]["user_data"], sent);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_must_not_be_made_are_refused() {
    let (_test, variables) = prepared(&[], "").await;
    for (action, why) in [
        ("slow", "no answer within 1 s"),
        ("large", "the answer is larger than"),
        ("broken", "HTTP status 500"),
        ("elsewhere", "HTTP status 307"),
        ("other_host", "is not allowed"),
        ("other_port", "is not allowed"),
        ("address", "is not allowed"),
        ("file", "is not http"),
        ("private", "not of the public internet"),
    ] {
        let (is_done, told) = call(&variables, &["run_action", "asks", action]).await;
        assert!(!is_done && told["message"].as_str().is_some_and(|message| message.contains(why)), "{action}: {told}");
        assert_eq!((&told["kind"], &told["details"]["code"]), (&json!("Service"), &json!("ACTION_FAILED")), "{told}");
        let runtime = state(&variables).await["runtime"].clone();
        assert!(runtime["error"].as_str().is_some_and(|error| error.contains(why)), "{action}: {runtime}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_manual_s_requests_are_made_by_buttons() {
    program("chromium");
    let steps = "
- open_url: /ui/i/asks
- tap_element: fetch_user
- assert_visible: 成功获取用户数据
- tap_element: create_user
- wait_for_instance: {instance_id: asks, until: state.params.first == '小明', timeout: 10}
- tap_element: elsewhere
- assert_visible: HTTP status 307
- tap_element: private
- assert_visible: {text: .*not of the public internet, regex: true}
";
    let arguments = ["run", "asks.yaml", "--report-dir", "r", "--device", "browser"];
    let (test, variables) = prepared(&arguments, steps).await;
    let ran = output(test.command(), &variables).await;
    test.ran(&ran).code(0);
}
