//! An agent's session in the studio: it is seen, recorded, taken over and given back.

use std::fs::File;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use super::served::Page;
use crate::support::mcp_stdio::Server;
use crate::support::{Test, text};

/// Returns the address and the token of the studio that a server has beside it.
async fn address(test: &Test, server: &mut Server) -> (String, String) {
    loop {
        let said = std::fs::read_to_string(test.path("said.txt")).expect("what it says");
        let url = said.lines().find_map(|line| line.strip_prefix("the studio: http://"));
        if let Some((address, token)) = url.and_then(|url| url.split_once("/studio/?token=")) {
            return (address.to_owned(), token.to_owned());
        }
        assert!(server.process.0.try_wait().expect("a child").is_none(), "{said}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

fn is_agent(event: &Value, state: &str, tool: &str) -> bool {
    event["event"] == "agent" && event["state"] == state && event["tool"] == tool
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_watched_recorded_taken_over_and_given_the_device_back() {
    let test = Test::new(&["mcp-server", "--device", "phone", "--studio=0"]).file("uixt.yaml", "device: phone\n");
    let mut command = test.command();
    command.env("UIXT_DATA_DIR", test.path("data"));
    let said = File::create(test.path("said.txt")).expect("a file");
    let mut server = Server::saying(command, Stdio::from(said));
    let (address, token) = address(&test, &mut server).await;
    let mut page = Page::open(&address, &token).await;
    let hello = page.until(|event| event["event"] == "hello").await;
    assert_eq!((&hello["agent"], &hello["taken"]), (&json!(true), &json!(false)), "{hello}");
    tokio::task::block_in_place(|| server.initialize());

    // What it does is seen, and becomes steps.
    page.ask(json!({"do": "record", "on": true})).await;
    let middle = page.middle("Settings").await;
    let refused = page.answer(json!({"do": "act", "device": 0, "act": {"tap": middle}})).await;
    assert!(text(&refused["error"]["message"]).contains("take it over first"), "{refused}");
    let done =
        tokio::task::block_in_place(|| server.ask(1, "tools/call", &call("uixt__tap", &json!({"text": "Shop"}))));
    assert_ne!(done["result"]["isError"], true, "{done}");
    let ended = page.until(|event| is_agent(event, "ended", "tap")).await;
    assert_eq!((&ended["outcome"], &ended["text"]), (&json!("passed"), &json!("- tap: Shop\n")), "{ended}");
    let recorded = page.until(|event| event["event"] == "step_recorded").await;
    assert_eq!(recorded["text"], "- tap: Shop\n", "{recorded}");
    let typed = call("uixt__input", &json!({"text": "other-pass", "into": {"id": "password"}}));
    let done = tokio::task::block_in_place(|| server.ask(2, "tools/call", &typed));
    assert_ne!(done["result"]["isError"], true, "{done}");
    page.until(|event| is_agent(event, "ended", "input")).await;
    let told = page.events.iter().find(|event| event.to_string().contains("other-pass"));
    assert!(told.is_none(), "{told:#?}");

    // While a person has the device, a call waits.
    page.ask(json!({"do": "take", "on": true})).await;
    page.until(|event| event["event"] == "taken" && event["on"] == true).await;
    page.events.clear();
    server.send(3, "tools/call", &call("uixt__home", &json!({})));
    page.until(|event| is_agent(event, "waiting", "home")).await;
    page.act(json!({"key": "Enter"})).await;
    page.ask(json!({"do": "take", "on": false})).await;
    let done = tokio::task::block_in_place(|| server.hear());
    assert_eq!((&done["id"], done["result"]["isError"] == true), (&json!(3), false), "{done}");
    page.until(|event| is_agent(event, "ended", "home")).await;
}
