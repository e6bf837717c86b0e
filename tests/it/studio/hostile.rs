//! The studio's page where all that it is told means no good: texts stay texts.

use serde_json::{Value, json};

use super::served::Served;
use crate::support::Test;
use crate::support::counterparts::program;
use crate::support::npm::{clients, node};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/studio_hostile.mjs");

#[test]
fn nothing_that_the_page_is_told_runs() {
    program("chromium");
    let Some(folder) = clients() else { return };
    let test = Test::new(&["studio", "--port", "0"]).file("uixt.yaml", "device: phone\n");
    let served = Served::start(&test);
    let address = format!("http://{}/studio/?token={}", served.address, served.token);
    let (is_content, stdout, stderr) = node(&folder, &[SCRIPT, &folder.display().to_string(), &address]);
    assert!(is_content, "{stdout}{stderr}");
    let seen: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
    assert_eq!(seen["errors"], json!([]), "{seen:#}");
    assert!(seen["shown"].as_u64() > Some(100), "the texts themselves are shown: {seen:#}");
}
