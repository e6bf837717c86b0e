//! Appium's UiAutomator2 server on the virtual phone: installed, started, lost, stopped; and with Appium's own client. What
//! stands in tests/uia2 is packages with nothing but a manifest: the phone knows the server by its name.

use serde_json::json;

use crate::support::Test;
use crate::support::counterparts::{Phone, client};

const CASE: &str = "config: {name: a, android: [{uia2: true}]}\nteststeps:\n- app_launch: com.uixt.shop\n- app_terminate: com.uixt.shop\n- app_launch: com.uixt.shop\n- input: {text: \"a B%s\", into: User name}\n- assert_text: {id: user, equals: \"a B%s\"}\n";

/// Runs a testcase on a phone of its own process.
fn run(phone: &Phone, case: &str, more: &[&str]) -> crate::support::Ran {
    let address = phone.address();
    let arguments = ["run", "a.yaml", "--device", "android:uixt-phone", "--adb-server", &address];
    Test::new(&[&arguments, more].concat()).file("a.yaml", case).run()
}

fn apks() -> String {
    format!("{}/tests/uia2/apks", env!("CARGO_MANIFEST_DIR"))
}

fn is_running(phone: &Phone) -> bool {
    phone.adb(&["shell", "pidof", "io.appium.uiautomator2.server"]).status.success()
}

#[test]
fn the_server_is_wanted_installed_and_stopped() {
    let phone = Phone::start();
    // Nothing is done quietly by another way.
    run(&phone, CASE, &[]).code(3).says("npm install appium-uiautomator2-server");
    run(&phone, CASE, &["--uia2=false"]).code(0);
    run(&phone, CASE, &["--uia2-apks", "."]).code(2).says("does not hold the two packages");
    run(&phone, CASE, &["--uia2-apks", &apks()]).code(0);
    assert!(phone.shell("pm list packages").contains("io.appium.uiautomator2.server.test"));
    assert!(phone.shell("logcat -d").contains("UiAutomator2: "));
    assert!(!is_running(&phone), "something was left behind");
    // It is there now; and a wish that cannot be read is none.
    run(&phone, CASE, &[]).code(0);
    run(&phone, &CASE.replace("uia2: true", "uia2: maybe"), &[]).code(2).says("`uia2` is true or false, not `maybe`");
    run(&phone, &CASE.replace("uia2: true", "uia2: true, uia2_ip: 10.0.0.1"), &[]).code(2).says("leave `uia2_ip` out");
    run(&phone, &CASE.replace("uia2: true", "uia2: true, uia2_apks: x"), &[]).code(2).says("x does not hold");
}

#[test]
fn a_server_that_is_killed_comes_back() {
    let phone = Phone::start();
    let case = "config: {name: a}\nteststeps:\n- app_launch: com.uixt.shop\n- tap_element: User name\n\
                - app_terminate: io.appium.uiautomator2.server\n- input: x\n- assert_text: {id: user, equals: x}\n";
    run(&phone, case, &["--uia2", "--uia2-apks", &apks()]).code(0);
    assert!(!is_running(&phone));
}

#[test]
fn a_call_by_the_server_leaves_nothing_behind() {
    let phone = Phone::start();
    let (address, apks) = (phone.address(), apks());
    let call = ["call", "tap_xy", "0.5", "0.5", "--device", "android:uixt-phone", "--adb-server", &address];
    Test::new(&[&call[..], &["--uia2", "--uia2-apks", &apks]].concat()).run().code(0);
    assert!(phone.shell("logcat -d").contains("UiAutomator2: ") && !is_running(&phone));
}

#[test]
fn appiums_own_client_drives_the_stand_in() {
    let phone = Phone::start();
    for name in ["appium-uiautomator2-server-v10.6.6.apk", "appium-uiautomator2-server-debug-androidTest.apk"] {
        let installed = phone.adb(&["install", &format!("{}/{name}", apks())]);
        assert!(String::from_utf8_lossy(&installed.stdout).contains("Success"), "{installed:?}");
    }
    phone.shell("am instrument io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner");
    let forwarded = phone.adb(&["forward", "tcp:0", "tcp:6790"]).stdout;
    let seen = client("appium_client.py", String::from_utf8_lossy(&forwarded).trim());
    let expected = json!({
        "class_named": true, "hint": "User name", "typed": "hello there", "cleared": "User name",
        "rect": ["height", "width", "x", "y"], "buttons": ["Sign in"], "missing": true,
        "settings": {"waitForIdleTimeout": 0}, "orientation": "PORTRAIT", "png": "89504e47",
    });
    assert_eq!(seen, expected);
    // The end of the session is the end of the server.
    crate::support::counterparts::wait_until("the server ends", 5, || !is_running(&phone));
}
