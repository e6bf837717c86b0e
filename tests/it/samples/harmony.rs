//! The testcases of ordinary apps, the very same files, on the virtual HarmonyOS phone.

use crate::support::Test;
use crate::support::sample_runs::folder;

#[test]
fn the_same_files_pass_on_a_harmony_phone() {
    let names = ["shop", "settings", "shop_purchase.yaml", "settings_zh.yaml", "home_screen.yaml"];
    let mut paths = names.map(|name| folder(&format!("testcases/{name}"))).to_vec();
    let trouble = std::fs::read_dir(folder("testcases/trouble")).expect("a folder");
    // Only with an agent a phone can be turned.
    paths.extend(trouble.map(|entry| entry.expect("an entry").path()).filter(|path| !path.ends_with("turning.yaml")));
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let mut arguments = vec!["run", "--device", "harmony-phone", "-j", "3", "--verbose"];
    arguments.extend(paths.iter().map(String::as_str));
    let ran = Test::new(&arguments).run().code(0);
    let is_on_it = |line: &&str| line.starts_with("passed") && line.contains("virtual HarmonyOS phone");
    let on_it = ran.stderr.lines().filter(is_on_it).count();
    assert!(on_it >= 28, "{on_it} passed\n{}", ran.stderr);
}

#[test]
fn what_no_harmony_phone_has_is_refused_before_the_run() {
    let case = "teststeps:\n- app_launch: com.uixt.shop\n- set_orientation: landscape\n- set_ime: x\n- {set_ime: x, when: 1 > 2}\n";
    let ran = Test::new(&["run", "a.yaml", "--device", "harmony-phone"]).file("a.yaml", case).run().code(3);
    assert!(ran.stderr.contains("a.yaml:4:3: harmony cannot do `set_ime`"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("a.yaml:5:"), "{}", ran.stderr);
}
