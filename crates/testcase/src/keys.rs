//! The keys that a testcase may hold: those that work, those that change nothing, and those with something else to write instead.

use super::node::{Data, Node};

/// Keys of a file.
pub(super) const FILE: [&str; 2] = ["config", "teststeps"];
/// The platforms that a step or a device can be of.
pub(super) const PLATFORMS: [&str; 4] = ["android", "ios", "harmony", "browser"];
/// Keys of `config`, beside [`PLATFORMS`].
pub(super) const CONFIG: [&str; 28] = [
    "name",
    "device",
    "variables",
    "environs",
    "tags",
    "requires",
    "lock",
    "quarantine",
    "case_timeout",
    "reset",
    "fail_on",
    "dialogs",
    "parameters",
    "parameters_setting",
    "setup_hooks",
    "teardown_hooks",
    "on_failure",
    "export",
    "functions",
    "think_time",
    "base_url",
    "headers",
    "verify",
    "request_timeout",
    "auto_popup_handler",
    "mcp_config_path",
    "anti_risk",
    "ai_options",
];
/// Keys of `config` that change nothing here.
pub(super) const CONFIG_WITHOUT_EFFECT: [&str; 4] = ["weight", "path", "description", "links"];
/// Keys of a step, beside [`PLATFORMS`] and the name of a tool.
pub(super) const STEP: [&str; 33] = [
    "name",
    "device",
    "when",
    "if",
    "then",
    "else",
    "steps",
    "repeat",
    "loops",
    "retry",
    "optional",
    "save",
    "variables",
    "validate",
    "extract",
    "export",
    "tags",
    "screenshot",
    "setup_hooks",
    "teardown_hooks",
    "parameters",
    "parameters_setting",
    "testcase",
    "api",
    "request",
    "websocket",
    "shell",
    "think_time",
    "transaction",
    "rendezvous",
    "ignore_popup",
    "auto_popup_handler",
    "anti_risk",
];
/// Keys of an `api` file.
pub(super) const API: [&str; 8] =
    ["name", "request", "variables", "validate", "extract", "export", "setup_hooks", "teardown_hooks"];
/// Keys that say what a step does, beside [`PLATFORMS`] and the name of a tool.
pub(super) const DOERS: [&str; 10] =
    ["if", "steps", "testcase", "api", "request", "websocket", "shell", "think_time", "transaction", "rendezvous"];
/// Keys of a platform's part of a step.
pub(super) const PLATFORM_STEP: [&str; 6] = ["actions", "serial", "os_type", "method", "params", "options"];
/// Keys of an action in `actions`; what else stands there is an option.
pub(super) const ACTION: [&str; 3] = ["method", "params", "options"];
/// Keys of `uixt.yaml`.
pub(super) const PROJECT: [&str; 17] = [
    "device",
    "devices",
    "variables",
    "requires",
    "reset",
    "fail_on",
    "definitions",
    "registry",
    "research",
    "tools",
    "serve",
    "serve_ui",
    "wda",
    "before_run",
    "after_run",
    "before_device",
    "after_device",
];

/// Keys of `config` that mean nothing there, with what to write instead.
const CONFIG_INSTEAD: [(&str, &str); 16] = [
    ("custom_marks", "write `tags`"),
    ("usefixtures", "write `setup_hooks`"),
    ("retry", "put `retry` beside the steps that need it"),
    ("loops", "put `loops` on a step with `steps`, or use `parameters`"),
    ("repeat", "put `repeat` on a step with `steps`, or use `parameters`"),
    ("screenshot", "run with `--screenshots step`, or put `screenshot: true` on a step"),
    ("websocket", "write its settings in the step's `websocket`"),
    ("mcp", "write `mcp_config_path: FILE`, a file of MCP servers"),
    ("mcpServers", "write `mcp_config_path: FILE`, a file of MCP servers"),
    ("variable", "write `variables`"),
    ("validate", "put `validate` on a step"),
    ("extract", "put `extract` on a step"),
    ("when", "put `when` on a step with `steps`, or name what must be there in `requires`"),
    ("optional", "put `optional` on a step"),
    ("plugins", "write `functions: FILE.py`"),
    ("setup", "write `setup_hooks`"),
];

/// Keys of a step that mean nothing there, with what to write instead.
const STEP_INSTEAD: [(&str, &str); 20] = [
    ("validate_script", "write the checks as expressions in `validate`"),
    ("skip", "write `when: false`"),
    ("skipIf", "write `when: not (…)`"),
    ("skipUnless", "write `when: …`"),
    ("times", "write `repeat: …`"),
    ("functions", "write it in `config`"),
    ("plugin", "write it in `config`"),
    ("mcp_config_path", "write it in `config`"),
    ("ai_options", "write it in `config`"),
    ("case_timeout", "write it in `config`"),
    ("on_failure", "write it in `config`, or use `if` in a later step"),
    ("requires", "write it in `config`"),
    ("environs", "write it in `config`, or use `variables`"),
    ("mobile", "write `android`, `ios`, `harmony` or `browser`"),
    ("while", "write `repeat: {while: …}`"),
    ("until", "write `repeat: {until: …}`"),
    ("suite", "write `testcase: FILE` for each case of it"),
    ("grpc", "write a `shell` step that calls a client for it"),
    ("thrift", "write a `shell` step that calls a client for it"),
    ("sql", "write a `shell` step that calls a client for it, or a function of a Python file"),
];

/// Returns what to write instead of a key of `config`.
pub(super) fn instead_in_config(key: &str) -> Option<&'static str> {
    CONFIG_INSTEAD.iter().find(|(known, _)| *known == key).map(|(_, instead)| *instead)
}

/// Returns what to write instead of a key of a step.
pub(super) fn instead_in_step(key: &str) -> Option<&'static str> {
    STEP_INSTEAD
        .iter()
        .find(|(known, _)| *known == key || (key == "gRPC" && *known == "grpc"))
        .map(|(_, instead)| *instead)
}

/// Says whether a key asks for what happens anyway: nothing at all, one loop, no popup handling.
pub(super) fn asks_for_nothing(key: &str, value: &Node) -> bool {
    match (&value.data, key) {
        (Data::Null, _) => true,
        (Data::Seq(items), _) => items.is_empty(),
        (Data::Map(entries), _) => entries.is_empty(),
        (Data::Str(text), _) => text.is_empty(),
        (Data::Number(number), "loops") => matches!(number.as_u64(), Some(0 | 1)),
        _ => false,
    }
}

/// Returns the options that a platform's devices have in `config`.
pub(super) fn device_options(platform: &str) -> &'static [&'static str] {
    match platform {
        "android" => &[
            "name",
            "serial",
            "adb_server_host",
            "adb_server_port",
            "uia2",
            "uia2_ip",
            "uia2_port",
            "uia2_server_package_name",
            "uia2_server_test_package_name",
            "uia2_apks",
            "log_on",
            "ignore_popup",
            "close_popup",
        ],
        "ios" => &[
            "name",
            "udid",
            "wireless",
            "port",
            "mjpeg_port",
            "log_on",
            "ignore_popup",
            "close_popup",
            "reset_home_on_startup",
            "snapshot_max_depth",
            "accept_alert_button_selector",
            "dismiss_alert_button_selector",
            "perf_options",
            "xctest_bundle_id",
            // Appium's words.
            "webDriverAgentUrl",
            "wdaRemotePort",
            "wdaLocalPort",
            "mjpegServerPort",
            "autoAcceptAlerts",
            "autoDismissAlerts",
        ],
        "harmony" => &["name", "connect_key", "agent", "log_on", "ignore_popup", "close_popup"],
        _ => &[
            "name",
            "browser_id",
            "engine",
            "log_on",
            "ignore_popup",
            "close_popup",
            "width",
            "height",
            "scale",
            "mobile",
            "user_agent",
            "headed",
            "binary",
            "driver",
            "args",
            "protocol",
            "webdriver_url",
            "capabilities",
            "locale",
            "timezone",
            "proxy",
            "permissions",
            "downloads",
            "storage_state",
            "http_credentials",
            "ignore_https_errors",
        ],
    }
}
