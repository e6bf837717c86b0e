//! HarmonyOS phones behind an hdc server, by uixt's own command line: listed, named, driven by `HttpRunner`'s words, and nobody there.

use serde_json::json;
use uixt::phone::{HarmonyOptions, HarmonyPhone};

use crate::support::{Ran, Test};

const VARIABLE: &str = "UIXT_HDC_SERVER";

/// Runs a command line with the file that it may name, where an hdc server listens there.
fn uixt(server: &str, arguments: &[&str], case: &str) -> Ran {
    let test = Test::new(arguments).file("a.yaml", case).file("agent.so", "\x7fELF, an agent");
    // The phones are answered by the same threads.
    let output = tokio::task::block_in_place(|| test.command().env(VARIABLE, server).output().expect("it starts"));
    test.ran(&output)
}

async fn phones(count: u16) -> (HarmonyPhone, String) {
    let options = |number| HarmonyOptions { key: HarmonyOptions::key_of(number), ..HarmonyOptions::default() };
    let phones = HarmonyPhone::start((0..count).map(options).collect()).await.expect("phones start");
    let address = phones.address().to_string();
    (phones, address)
}

#[tokio::test(flavor = "multi_thread")]
async fn phones_are_listed_and_one_is_named() {
    let (phones, server) = phones(3).await;
    phones.set_fault("uixt-harmony-3", "unauthorized", json!(true)).await.expect("a fault");
    let listed = uixt(&server, &["devices"], "").code(0);
    for line in ["harmony:uixt-harmony\t", "harmony:uixt-harmony-2\t", "\tonline", "\tunauthorized"] {
        assert!(listed.stdout.contains(line), "{line}: {}", listed.stdout);
    }
    assert!(listed.stderr.contains("accept the dialog on its screen"), "{}", listed.stderr);
    let case = "teststeps:\n- app_launch: com.uixt.shop\n- assert_visible: User name\n";
    let ambiguous = uixt(&server, &["run", "a.yaml", "--device", "harmony"], case).code(2);
    ambiguous.says("2 devices are connected, name one: ").says("harmony:uixt-harmony-2");
    uixt(&server, &["run", "a.yaml", "--device", "harmony:uixt-harmony-2"], case).code(0);
    uixt(&server, &["run", "a.yaml", "--device", "harmony:nobody"], case).code(3).says("nobody");
    uixt(&server, &["run", "a.yaml", "--device", "harmony:*"], case).code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_words_of_httprunner_load_and_work() {
    let (phones, server) = phones(2).await;
    let case = "config:\n  name: HttpRunner\n  harmony:\n  - {connect_key: uixt-harmony-2, log_on: true, ignore_popup: true}\n\
                teststeps:\n- name: start\n  harmony:\n    actions:\n    - {method: app_launch, params: com.uixt.touchlab}\n    \
                - {method: tap_ocr, params: Gesture pad}\n    - {method: double_tap_xy, params: [0.5, 0.3]}\n\
                - assert_text: {id: gesture, equals: Double tap}\n";
    uixt(&server, &["run", "a.yaml"], case).code(0);
    assert_eq!(phones.acts("uixt-harmony")["touches"], 0, "the other phone is named");
    assert_eq!(phones.acts("uixt-harmony-2")["launches"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_named_by_a_testcase() {
    let (_phones, server) = phones(1).await;
    let case = |agent: &str| {
        format!(
            "config:\n  harmony: [{{connect_key: uixt-harmony, agent: {agent}}}]\nteststeps:\n- app_launch: com.uixt.touchlab\n\
             - set_orientation: landscape\n- get_orientation:\n  save: way\n- assert_value: {{value: $way, equals: landscape}}\n\
             - set_orientation: portrait\n"
        )
    };
    uixt(&server, &["run", "a.yaml"], &case("agent.so")).code(0);
    let missing = uixt(&server, &["run", "a.yaml"], &case("nowhere.so")).code(2);
    missing.says("a.yaml:2:").says("there is no file");
    let none = "teststeps:\n- app_launch: com.uixt.touchlab\n- set_orientation: landscape\n";
    uixt(&server, &["run", "a.yaml", "--device", "harmony"], none).code(3).says("name an agent");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_there_is_said_with_what_to_do() {
    let case = "teststeps:\n- app_launch: com.uixt.shop\n";
    let nobody = uixt("127.0.0.1:9", &["run", "a.yaml", "--device", "harmony"], case).code(3);
    nobody.says("no hdc server at 127.0.0.1:9 (connection refused)").says("--device harmony-phone");
    let (_phones, server) = phones(0).await;
    let none = uixt(&server, &["run", "a.yaml", "--device", "harmony"], case).code(3);
    none.says("no HarmonyOS phone is connected: plug one in");
}

/// A server that the program `hdc` starts, as its user has it: here uixt's own phone.
const PROGRAM: &str = "#!/bin/sh\n[ \"$1\" = start ] || exit 1\n\
                       nohup \"$UIXT\" phone --harmony --port \"$OHOS_HDC_SERVER_PORT\" >/dev/null 2>&1 &\necho $! > \"$HDC_HOME/pid\"\n";

#[test]
fn a_server_is_started_by_the_users_own_program() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().expect("a folder");
    let program = home.path().join("hdc");
    std::fs::write(&program, PROGRAM).expect("a program");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let case = "teststeps:\n- app_launch: com.uixt.shop\n- assert_visible: User name\n";
    let test = Test::new(&["run", "a.yaml", "--device", "harmony"]).file("a.yaml", case);
    let mut command = test.command();
    command.env_remove(VARIABLE).env("HDC_HOME", home.path()).env("UIXT", env!("CARGO_BIN_EXE_uixt"));
    let output = command.env("OHOS_HDC_SERVER_PORT", free.port().to_string()).output().expect("it starts");
    let pid = std::fs::read_to_string(home.path().join("pid")).expect("it was started");
    let ended = std::process::Command::new("kill").arg(pid.trim()).status().expect("kill");
    assert!(ended.success(), "the server that was started ran until here");
    test.ran(&output).code(0);
}
