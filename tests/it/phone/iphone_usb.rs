//! iPhones as if on USB, by uixt's own command line: listed, named, used side by side, unplugged.

use std::fs::File;
use std::process::Output;

use serde_json::Value;
use uixt::phone::{Iphone, IphoneOptions, Usbmuxd};

use crate::support::counterparts::{Iphones, Running, wait_until};
use crate::support::{Ran, Test, items, text};

const VARIABLE: &str = "USBMUXD_SOCKET_ADDRESS";
/// Seconds that anything may take on a busy machine.
const PATIENCE: u64 = 120;
const CASES: &str = "config: {name: case $n, parameters: {n: [1, 2, 3, 4]}}\nteststeps:\n- cold_launch: com.uixt.shop\n\
                     - input: {text: ann, into: User name}\n- assert_text: {id: user, equals: ann}\n";

/// Two cases of which each waits for the other to begin.
const TOGETHER: &str = "config: {name: case $n, parameters: {n: [1, 2]}}\nteststeps:\n\
                        - shell: \"touch $n; until [ -e 1 ] && [ -e 2 ]; do sleep 0.05; done\"\n- cold_launch: com.uixt.shop\n";

/// Says when it has begun, and goes on when the phone is unplugged.
const LONG: &str = "config: {name: long}\nteststeps:\n- cold_launch: com.uixt.shop\n\
                    - shell: \"touch begun; while ! [ -e unplugged ]; do sleep 0.05; done\"\n\
                    - input: {text: ann, into: User name}\n- assert_text: {id: user, equals: ann}\n";

/// Touches the phone until it is unplugged.
const TOUCHES: &str = "config: {name: touches}\nteststeps:\n- cold_launch: com.uixt.touchlab\n- shell: touch begun\n\
                       - tap_xy: [0.5, 0.01]\n  repeat: 10000\n";

/// Runs a command line with the file that it may name, where usbmuxd listens there.
fn uixt(usbmuxd: &str, arguments: &[&str], case: &str) -> Ran {
    let test = Test::new(arguments).file("a.yaml", case);
    let output = test.command().env(VARIABLE, usbmuxd).output().expect("it starts");
    test.ran(&output)
}

fn named(number: u64) -> String {
    format!("ios:{}", Iphones::udid(number))
}

fn serials(summary: &Value) -> Vec<&str> {
    let mut serials: Vec<&str> = items(&summary["cases"]).iter().map(|case| text(&case["device"]["serial"])).collect();
    serials.sort_unstable();
    serials.dedup();
    serials
}

#[test]
fn two_phones_are_listed_and_one_is_named() {
    let iphones = Iphones::start(&["--count", "2", "--usbmuxd", "127.0.0.1:0"]);
    let both = [named(0), named(1)];
    let listed = uixt(iphones.usbmuxd(), &["devices"], "").code(0).stdout;
    let lines: Vec<&str> = listed.lines().filter(|line| line.starts_with("ios:")).collect();
    let wanted = both.clone().map(|name| format!("{name}\tuixt iPhone, iPhone14,7, iOS 18.5\tonline"));
    assert_eq!(lines, wanted, "{listed}");
    let ambiguous = uixt(iphones.usbmuxd(), &["run", "a.yaml", "--device", "ios"], CASES).code(2);
    let ambiguous = ambiguous.says("2 devices are connected, name one: ");
    both.iter().fold(ambiguous, |ran, name| ran.says(name));
    let other = "ios:00008110-0000000000000000";
    let absent = uixt(iphones.usbmuxd(), &["run", "a.yaml", "--device", other], CASES).code(3);
    let absent = absent.says("device 00008110-0000000000000000 is not connected; connected: ");
    both.iter().fold(absent, |ran, name| ran.says(name));
    let shop = format!("{}/testcases/shop/login.yaml", env!("CARGO_MANIFEST_DIR"));
    let ran = uixt(iphones.usbmuxd(), &["run", &shop, "--device", &both[1], "--report-dir", "r"], "").code(0);
    assert_eq!(serials(&ran.json("r/summary.json")), [Iphones::udid(1)]);
}

#[test]
fn cases_are_shared_among_two_phones() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("usbmuxd.sock");
    let iphones = Iphones::start(&["--count", "2", "--usbmuxd", socket.to_str().expect("a text")]);
    let [one, other] = [named(0), named(1)];
    let run = ["run", "a.yaml", "--report-dir", "r", "--device", &one, "--device", &other];
    let ran = uixt(iphones.usbmuxd(), &[&run[..], &["-j", "2"]].concat(), TOGETHER).code(0).says("2 passed");
    assert_eq!(serials(&ran.json("r/summary.json")), [Iphones::udid(0), Iphones::udid(1)]);
    let each = ["run", "a.yaml", "--device", "ios:*", "--each-device"];
    uixt(iphones.usbmuxd(), &each, CASES).code(0).says("8 passed");
}

/// Two iPhones and their usbmuxd in this process, so that the test has the cable in its hand.
async fn plugged() -> (Vec<Iphone>, Usbmuxd) {
    let mut iphones = Vec::new();
    for number in 0..2 {
        let options = IphoneOptions { udid: IphoneOptions::udid_of(number), ..IphoneOptions::default() };
        iphones.push(Iphone::start(options).await.expect("an iPhone starts"));
    }
    let usbmuxd = Usbmuxd::start("127.0.0.1:0", &iphones).await.expect("it starts");
    (iphones, usbmuxd)
}

/// Runs a case and unplugs the phone on which it has begun; returns its number, and what came of the run.
fn unplugged((iphones, usbmuxd): &(Vec<Iphone>, Usbmuxd), arguments: &[&str], case: &str) -> (usize, Ran) {
    let count = |number: usize, what: &str| iphones[number].acts()[what].as_u64().expect("a count");
    let before = [0, 1].map(|number| count(number, "launches"));
    let test = Test::new(arguments).file("a.yaml", case);
    let mut command = test.command();
    let said = [test.path("stdout"), test.path("stderr")];
    let [stdout, stderr] = said.each_ref().map(|path| File::create(path).expect("a file"));
    command.env(VARIABLE, usbmuxd.address()).stdout(stdout).stderr(stderr);
    let mut process = Running(command.spawn().expect("it starts"));
    wait_until("the case begins", PATIENCE, || test.path("begun").exists());
    let number = usize::from(count(0, "launches") == before[0]);
    // It is unplugged within a touch or behind one.
    wait_until("it is touched", PATIENCE, || case != TOUCHES || count(number, "touches") > 2);
    usbmuxd.plug(iphones[number].udid(), false);
    let listed = uixt(usbmuxd.address(), &["devices"], "").code(0).stdout;
    assert!([0, 1].map(|at| listed.contains(iphones[at].udid()) == (at != number)) == [true; 2], "{listed}");
    std::fs::write(test.path("unplugged"), "").expect("a file");
    process.ended(PATIENCE);
    let status = process.0.wait().expect("it ended");
    let [stdout, stderr] = said.map(|path| std::fs::read(path).expect("a file"));
    (number, test.ran(&Output { status, stdout, stderr }))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_is_unplugged_is_the_cause_and_another_one_takes_its_case() {
    let plugged = plugged().await;
    let [one, other] = [named(0), named(1)];
    let alone = ["run", "a.yaml", "--report-dir", "r", "--device", &one];
    let (_, ran) = tokio::task::block_in_place(|| unplugged(&plugged, &alone, LONG));
    ran.code(3).says("is not on USB: plug it in, unlock it, and tap Trust on it").says("1 errored");
    plugged.1.plug(plugged.0[0].udid(), true);
    let both = [&alone[..], &["--device", &other]].concat();
    let (number, ran) = tokio::task::block_in_place(|| unplugged(&plugged, &both, LONG));
    let ran = ran.code(0).says("stopped answering: the case runs again").says("1 flaky");
    assert_eq!(serials(&ran.json("r/summary.json")), [plugged.0[1 - number].udid()]);
    assert!(ran.read("r/summary.json").contains("is not on USB"), "the report has no cause");
    let keys = |number: usize| plugged.0[number].acts()["keys"].clone();
    assert_eq!([keys(number), keys(1 - number)], [0, 3], "the text was typed on the phone that was there, and once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_is_unplugged_while_it_is_touched_is_the_cause() {
    let plugged = plugged().await;
    plugged.0[0].set_fault("slow_act_ms", 300.into()).await.expect("a fault");
    let arguments = ["run", "a.yaml", "--device", &named(0)];
    let (_, ran) = tokio::task::block_in_place(|| unplugged(&plugged, &arguments, TOUCHES));
    ran.code(3).says("is not on USB: plug it in, unlock it, and tap Trust on it").says("1 errored");
}
