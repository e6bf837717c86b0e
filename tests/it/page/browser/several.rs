//! Several devices in one case, by the names that its config gives them: browsers with profiles and settings of their own, and a phone.

use super::{Site, run, with};
use crate::support::{Ran, text};

/// Runs a testcase twice in one run, so that the second finds what the first left, if anything.
fn twice(devices: &str, site: &Site, steps: &str) -> Ran {
    let case = format!("config: {{name: Case, {devices}}}\nteststeps:\n{steps}").replace("SITE", &site.address);
    let arguments = ["run", "a.yaml", "b.yaml", "--report-dir", "r"];
    run(with(&arguments).file("a.yaml", &case).file("b.yaml", &case))
}

#[test]
fn browsers_of_one_case_have_profiles_and_settings_of_their_own() {
    let site = Site::start();
    let devices = "browser: [{name: buyer}, {name: seller, width: 500, locale: zh-CN}]";
    let steps = "- device: seller
  steps:
  - open_url: SITE/visits
  - open_url: SITE/visits
  - assert_visible: 'visits: 2 cookies: 2'
  - device: buyer
    open_url: SITE/visits
  - evaluate: innerWidth + navigator.language
    save: of_seller
- assert_visible: 'visits: 1 cookies: 1'
- evaluate: innerWidth + navigator.language
  save: of_buyer
- assert_value: {value: $of_seller, equals: 500zh-CN}
- assert_value: {value: $of_buyer, not_equals: $of_seller}
- device: seller
  assert_visible: 'visits: 2 cookies: 2'
";
    let ran = twice(devices, &site, steps).code(0);
    let summary = ran.json("r/summary.json");
    let names = summary["cases"][1]["steps"].as_array().expect("steps").iter().map(|step| text(&step["name"]));
    let names: Vec<String> = names.map(|name| name.split(' ').take(4).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        (names[3].as_str(), names[6].as_str()),
        ("seller › buyer ›", "evaluate \"innerWidth + navigator.language\"")
    );
}

#[test]
fn what_fails_is_told_of_the_device_that_it_was_on() {
    let site = Site::start();
    let steps = "- open_url: SITE/second
- device: seller
  open_url: SITE/visits
- device: seller
  name: Look
  assert_visible: {text: Second page, timeout: 0.2}
";
    let ran = twice("browser: [{name: buyer}, {name: seller, width: 500}]", &site, steps).code(1);
    let summary = ran.json("r/summary.json");
    let failed = &summary["cases"][0]["steps"][2];
    assert_eq!(text(&failed["name"]), "seller › Look");
    let action = &failed["attempts"][0]["actions"][0];
    assert_eq!(text(&action["arguments"]["serial"]), "chrome:seller");
    let picture = std::fs::read(ran.path("r").join(text(&action["screenshot"]))).expect("a picture");
    let width = u32::from_be_bytes(picture[16..20].try_into().expect("four bytes"));
    assert_eq!(width, 500, "the picture is of the seller's browser");
}

#[test]
fn a_phone_and_a_browser_are_of_one_case() {
    let site = Site::start();
    let steps = "- device: desk
  steps:
  - open_url: SITE/second
  - assert_visible: Second page
- app_launch: com.uixt.shop
- assert_visible: Sign in
- device: desk
  assert_visible: Second page
- if: true
  then:
  - assert_not_visible: Second page
";
    twice("device: phone, browser: {name: desk}", &site, steps).code(0);
    let other = steps.replacen("device: desk", "device: disk", 1);
    twice("device: phone, browser: {name: desk}", &site, &other)
        .code(2)
        .says("the config names no device `disk`")
        .says("the config names desk");
}
