//! The keys that a testcase may hold: those that work, those that change nothing, and those of later versions.

use super::node::{Data, Node};

/// Keys of a file.
pub(super) const FILE: [&str; 2] = ["config", "teststeps"];
/// The platforms that a step or a device can be of.
pub(super) const PLATFORMS: [&str; 4] = ["android", "ios", "harmony", "browser"];
/// Keys of `config`, beside [`PLATFORMS`].
pub(super) const CONFIG: [&str; 6] = ["name", "variables", "environs", "tags", "requires", "case_timeout"];
/// Keys of `config` that say something about HTTP requests only.
pub(super) const CONFIG_WITHOUT_EFFECT: [&str; 6] =
    ["verify", "base_url", "headers", "weight", "path", "request_timeout"];
/// Keys of a step, beside [`PLATFORMS`] and the name of a tool.
pub(super) const STEP: [&str; 4] = ["name", "variables", "save", "validate"];
/// Keys of a platform's part of a step.
pub(super) const PLATFORM_STEP: [&str; 6] = ["actions", "serial", "os_type", "method", "params", "options"];
/// Keys of an action in `actions`; what else stands there is an option.
pub(super) const ACTION: [&str; 3] = ["method", "params", "options"];
/// Keys of `uixt.yaml`.
pub(super) const PROJECT: [&str; 3] = ["device", "variables", "requires"];

/// Keys of `config` that later versions bring.
const CONFIG_LATER: [&str; 20] = [
    "parameters",
    "parameters_setting",
    "think_time",
    "websocket",
    "export",
    "plugin",
    "functions",
    "mcp",
    "mcp_config_path",
    "anti_risk",
    "ignore_popup",
    "auto_popup_handler",
    "ai_options",
    "setup_hooks",
    "teardown_hooks",
    "on_failure",
    "screenshot",
    "retry",
    "loops",
    "repeat",
];

/// Keys of a step that later versions bring.
const STEP_LATER: [&str; 34] = [
    "parameters",
    "parameters_setting",
    "loops",
    "when",
    "if",
    "then",
    "else",
    "repeat",
    "retry",
    "optional",
    "extract",
    "export",
    "tags",
    "setup_hooks",
    "teardown_hooks",
    "on_failure",
    "testcase",
    "api",
    "request",
    "transaction",
    "rendezvous",
    "websocket",
    "think_time",
    "shell",
    "mcp",
    "functions",
    "plugin",
    "ignore_popup",
    "auto_popup_handler",
    "anti_risk",
    "mcp_config_path",
    "ai_options",
    "screenshot",
    "case_timeout",
];

pub(super) fn comes_later_in_config(key: &str) -> bool {
    CONFIG_LATER.contains(&key)
}

pub(super) fn comes_later_in_step(key: &str) -> bool {
    STEP_LATER.contains(&key)
}

/// Says whether a key of a later version asks for what happens anyway: nothing at all, one loop, no popup handling.
pub(super) fn asks_for_nothing(key: &str, value: &Node) -> bool {
    match (&value.data, key) {
        (Data::Null, _) => true,
        (Data::Seq(items), _) => items.is_empty(),
        (Data::Map(entries), _) => entries.is_empty(),
        (Data::Number(number), "loops") => number.as_u64() == Some(1),
        (Data::Bool(flag), "ignore_popup") => *flag,
        (Data::Bool(flag), "auto_popup_handler" | "anti_risk") => !flag,
        _ => false,
    }
}

/// Returns the options that a platform's devices have in `config`.
pub(super) fn device_options(platform: &str) -> &'static [&'static str] {
    match platform {
        "android" => &[
            "serial",
            "adb_server_host",
            "adb_server_port",
            "uia2",
            "uia2_ip",
            "uia2_port",
            "uia2_server_package_name",
            "uia2_server_test_package_name",
            "log_on",
            "ignore_popup",
        ],
        "ios" => &[
            "udid",
            "wireless",
            "port",
            "mjpeg_port",
            "log_on",
            "ignore_popup",
            "reset_home_on_startup",
            "snapshot_max_depth",
            "accept_alert_button_selector",
            "dismiss_alert_button_selector",
            "perf_options",
            "xctest_bundle_id",
        ],
        "harmony" => &["connect_key", "log_on", "ignore_popup"],
        _ => &["browser_id", "log_on", "ignore_popup", "width", "height"],
    }
}
