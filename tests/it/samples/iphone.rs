//! The testcases of ordinary apps, the very same files, on the virtual iPhone.

use crate::support::Test;
use crate::support::sample_runs::folder;

#[test]
fn the_same_files_pass_on_an_iphone() {
    let names = ["shop", "settings", "shop_purchase.yaml", "settings_zh.yaml", "trouble", "ios"];
    let paths = names.map(|name| folder(&format!("testcases/{name}")).display().to_string());
    let mut arguments = vec!["run", "--device", "iphone", "-j", "3", "--verbose"];
    arguments.extend(paths.iter().map(String::as_str));
    let ran = Test::new(&arguments).run().code(0);
    let on_it = ran.stderr.lines().filter(|line| line.starts_with("passed") && line.contains("virtual iPhone")).count();
    assert!(on_it >= 33, "{on_it} passed\n{}", ran.stderr);
}

#[test]
fn what_no_iphone_has_is_refused_before_the_run() {
    let case = "teststeps:\n- app_launch: com.uixt.shop\n- press_button: menu\n- set_ime: x\n- {press_button: menu, when: 1 > 2}\n";
    let ran = Test::new(&["run", "a.yaml", "--device", "iphone"]).file("a.yaml", case).run().code(3);
    for told in ["a.yaml:3:3: ios cannot do `press_button: menu`", "a.yaml:4:3: ios cannot do `set_ime`"] {
        assert!(ran.stderr.contains(told), "`{told}` is not in\n{}", ran.stderr);
    }
    assert!(!ran.stderr.contains("a.yaml:5:"), "{}", ran.stderr);
}
