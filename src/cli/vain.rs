//! Configs → what is to be said of options of their browsers that are HttpRunner's and do nothing here.

use serde_json::Value;

use crate::testcase::TestCase;

/// The options, and why they do nothing.
const VAIN: [(&str, &str); 2] = [
    (
        "browser_id",
        "each case has a browser of its own, with a fresh profile; `webdriver_url` names one that runs somewhere",
    ),
    ("log_on", "the console is always read: `logcat` returns it, and its errors stand beside a failed step"),
];

/// Returns a warning for each such option of a case and of those that it refers to.
pub(super) fn warnings(case: &TestCase) -> Vec<String> {
    let mut warnings = Vec::new();
    for case in case.cases() {
        let browsers = case.config.devices.iter().filter(|device| device.platform == "browser");
        for option in browsers.flat_map(|browser| &browser.options) {
            let is_given = !matches!(option.value, Value::Null | Value::Bool(false));
            let vain = VAIN.iter().find(|(key, _)| *key == option.key).filter(|_| is_given);
            warnings.extend(vain.map(|(key, why)| {
                let place = format!("{}:{}:{}", case.file, option.place.line, option.place.column);
                format!("{place}: `{key}` has no effect: {why}")
            }));
        }
    }
    warnings.sort();
    warnings.dedup();
    warnings
}
