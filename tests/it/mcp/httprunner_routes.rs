//! `HttpRunner`'s routes beside MCP: the same table, behind the same guard.

use serde_json::{Value, json};

use crate::support::http::ask;
use crate::support::mcp_http::Server;

const PHONE: &str = "/api/v1/android/uixt-phone";

/// Posts JSON to a route; returns the status and the answer.
#[track_caller]
fn post(server: &Server, path: &str, body: &Value) -> (u16, Value) {
    let answer = ask(&server.address, "POST", path, &[("Content-Type", "application/json")], &body.to_string());
    (answer.status, answer.message())
}

fn on_phone(server: &Server, route: &str, body: &Value) -> (u16, Value) {
    post(server, &format!("{PHONE}/{route}"), body)
}

#[test]
fn tools_and_actions_are_done() {
    let server = Server::start(&[]);
    let hello = |method: &str, path: &str| ask(&server.address, method, path, &[], "").message();
    assert_eq!(hello("GET", "/ping"), json!({"code": 0, "message": "success", "result": "pong"}));
    for method in ["GET", "POST"] {
        assert_eq!(hello(method, "/")["result"]["name"], "uixt");
    }
    let (status, size) =
        on_phone(&server, "tool/invoke", &json!({"mcp_server": "uixt", "tool_name": "get_screen_size", "args": {}}));
    assert_eq!((status, &size["code"], &size["result"]["width"]), (200, &json!(0), &json!(1080)));
    let (_, shot) = on_phone(&server, "tool/invoke", &json!({"tool_name": "screenshot"}));
    // The table answers for servers that no file names.
    let listed = json!({"mcp_server": "microsandbox", "tool_name": "microsandbox_list_sessions"});
    assert_eq!(on_phone(&server, "tool/invoke", &listed).1["result"]["total_count"], 0);
    assert!(shot["result"]["pictures"][0]["data"].as_str().is_some_and(|data| data.starts_with("iVBOR")), "{shot}");

    assert_eq!(on_phone(&server, "uixt/action", &json!({"method": "home"})).0, 200);
    let actions = json!([
        {"method": "tap_xy", "params": [0.5, 0.05], "identifier": "top"},
        {"method": "home", "params": null},
        {"method": "tap_element", "params": "Settings", "timeout": 5},
        {"method": "assert_visible", "params": {"role": "heading", "text": "Settings"}},
    ]);
    let (status, done) = on_phone(&server, "uixt/actions", &actions);
    assert_eq!((status, done["result"].as_array().map(Vec::len)), (200, Some(4)), "{done}");
    assert_eq!(done["result"][3]["success"], true);
}

#[test]
fn what_fails_has_no_good_status() {
    let server = Server::start(&[]);
    let missing = json!({"method": "assert_visible", "params": "No such text", "options": {"timeout": 0.2}});
    let (status, failed) = on_phone(&server, "uixt/action", &missing);
    assert_eq!((status, &failed["code"], &failed["result"]["kind"]), (422, &json!(1), &json!("NotFound")), "{failed}");
    let (status, failed) = on_phone(&server, "uixt/actions", &json!([{"method": "home"}, missing, {"method": "home"}]));
    assert_eq!((status, failed["result"].as_array().map(Vec::len)), (422, Some(2)), "the third is not done: {failed}");
    assert!(failed["message"].as_str().unwrap().starts_with("action 2 of 3: "), "{failed}");
    let (status, absent) = post(&server, "/api/v1/android/another/uixt/action", &json!({"method": "home"}));
    assert_eq!(absent["result"]["success"], false, "another device is never used: {status} {absent}");
    assert!(status >= 400, "{status}");
    for (route, body, part) in [
        ("tool/invoke", json!({"tool_name": "tap_xy", "args": {"x": 0.5}}), "missing: y"),
        ("tool/invoke", json!({"tool_name": "tap_xyz", "args": {}}), "unknown tool"),
        ("tool/invoke", json!({"tool_name": "home", "args": {"serial": "other"}}), "the path names the serial"),
        ("tool/invoke", json!({"tool_name": "home", "arguments": {}}), "unknown key `arguments`"),
        (
            "tool/invoke",
            json!({"mcp_server": "amap", "tool_name": "x"}),
            "no MCP server `amap`: no other is served here; valid: uixt",
        ),
        ("tool/invoke", json!([]), "must be a JSON object"),
        ("tool/invoke", json!({"tool_name": "shell", "args": {"command": "id"}}), "for testcases only"),
        ("uixt/action", json!({"params": 1}), "`method`"),
        ("uixt/action", json!({"method": "tap_xy", "params": [0.5, 0.5], "optoins": {}}), "optoins"),
        ("uixt/actions", json!([{"method": "home"}, {}]), "action 2: an action has a `method`"),
        ("uixt/actions", json!({"method": "home"}), "a list of actions"),
    ] {
        let (status, refused) = on_phone(&server, route, &body);
        assert_eq!((status, &refused["code"]), (400, &json!(2)), "{body}: {refused}");
        assert!(refused["message"].as_str().unwrap().contains(part), "{part}: {refused}");
    }
    // A web page can send text without asking first, so text is not read.
    let path = format!("{PHONE}/uixt/action");
    let text = ask(&server.address, "POST", &path, &[("Content-Type", "text/plain")], "{\"method\": \"home\"}");
    assert_eq!(text.status, 415);
    assert_eq!(ask(&server.address, "GET", &path, &[], "").status, 405);
    assert_eq!(ask(&server.address, "GET", "/api/v1/android/x/y", &[], "").status, 404);
}

#[test]
fn failures_of_ui_instances_have_the_status_of_their_code() {
    let server = Server::start(&[]);
    let ui =
        |arguments: Value| on_phone(&server, "tool/invoke", &json!({"tool_name": "patch_ui_state", "args": arguments}));
    let create = json!({"instance_id": "__CREATE__", "new_instance_id": "routes"});
    assert_eq!(ui(create.clone()).0, 200);
    let patch = |path: &str| json!({"instance_id": "routes", "patches": [{"op": "set", "path": path, "value": "x"}]});
    let add = json!({"op": "add", "path": "actions", "value": {"id": "go", "label": "Go", "style": "primary"}});
    for (arguments, status, code) in [
        (json!({"instance_id": "nowhere", "patches": []}), 404, "INVALID_INSTANCE"),
        (patch("blocks.3.props"), 404, "PATH_NOT_FOUND"),
        (patch("instance_id"), 403, "SCHEMA_MUTATION"),
        (create, 409, "INSTANCE_EXISTS"),
        (json!({"instance_id": "routes", "patches": [add, add], "atomic": true}), 409, "DUPLICATE_ID"),
        (patch("blocks/0"), 400, "INVALID_PATH"),
    ] {
        let (told, failed) = ui(arguments.clone());
        let details = &failed["result"]["details"];
        assert_eq!((told, &details["code"], &details["status"]), (status, &json!(code), &json!("error")), "{failed}");
        let id = if code == "INVALID_INSTANCE" { "nowhere" } else { "routes" };
        assert!(details["instance_id"] == id && details["error"].is_string(), "{failed}");
    }
    assert_eq!(ui(json!({"instance_id": "__DELETE__", "target_instance_id": "routes"})).0, 200);
}

#[test]
fn a_server_that_did_not_start_is_told_from_one_that_is_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mcp.json");
    let servers = json!({"mcpServers": {"die0": {"command": "sh", "args": ["-c", "echo boom >&2; exit 3"]}}});
    std::fs::write(&file, servers.to_string()).expect("a file");
    let server = Server::start(&["--with", &file.to_string_lossy()]);
    let call =
        |name: &str| on_phone(&server, "tool/invoke", &json!({"mcp_server": name, "tool_name": "add", "args": {}}));
    let (status, died) = call("die0");
    assert_eq!((status, &died["code"]), (502, &json!(3)), "{died}");
    assert!(died["message"].as_str().is_some_and(|told| told.contains("boom")), "{died}");
    let (status, unknown) = call("dei0");
    assert_eq!((status, &unknown["code"]), (400, &json!(2)), "{unknown}");
    let told = unknown["message"].as_str().unwrap_or_default();
    assert!(told.contains("did you mean `die0`?") && told.ends_with("valid: die0, uixt"), "{told}");
}

#[test]
fn the_guard_stands_before_every_route() {
    let server = Server::start_at("127.0.0.1:0", &["--device", "phone"], Some("a-token-that-nobody-knows"));
    for route in ["/ping", "/", &format!("{PHONE}/tool/invoke")] {
        let own = [("Content-Type", "application/json"), ("Host", "evil.test")];
        assert_eq!(ask(&server.address, "POST", route, &own, "{}").status, 403, "{route}");
        assert_eq!(ask(&server.address, "POST", route, &own[..1], "{}").status, 401, "{route}");
    }
    let token = ("Authorization", "Bearer a-token-that-nobody-knows");
    assert_eq!(ask(&server.address, "GET", "/ping", &[token], "").status, 200);
}
