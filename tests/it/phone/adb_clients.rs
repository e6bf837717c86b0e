//! The virtual phone, tried with clients that others wrote: Debian's adb and adbutils.

use std::fs;

use serde_json::json;

use crate::support::counterparts::{Phone, client, signal};

#[test]
fn adb_lists_the_phone() {
    let phone = Phone::start();
    let listed = String::from_utf8(phone.adb(&["devices", "-l"]).stdout).unwrap();
    let line = listed.lines().find(|line| line.starts_with("uixt-phone")).expect(&listed);
    assert!(line.contains(" device ") && line.contains("model:"), "{line}");
    let state = phone.adb(&["-s", "uixt-phone", "get-state"]);
    assert_eq!(String::from_utf8_lossy(&state.stdout), "device\n");
    assert!(!phone.adb(&["-s", "nope", "get-state"]).status.success());
}

#[test]
fn adb_gets_exit_codes_and_keeps_the_streams_apart() {
    let phone = Phone::start();
    let output = phone.adb(&["shell", "echo out; echo err >&2; exit 7"]);
    assert_eq!(output.status.code(), Some(7));
    assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
    assert_eq!(phone.adb(&["shell", "no-such-command"]).status.code(), Some(127));
    assert_eq!(phone.shell("wm size"), "Physical size: 1080x2400\n");
}

#[test]
fn adb_takes_pictures() {
    let phone = Phone::start();
    let png = phone.adb(&["exec-out", "screencap", "-p"]).stdout;
    let reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a PNG");
    assert_eq!(reader.info().size(), (1080, 2400));
}

#[test]
fn adb_pushes_and_pulls() {
    let phone = Phone::start();
    let folder = tempfile::tempdir().unwrap();
    let (there, back) = (folder.path().join("there"), folder.path().join("back"));
    let mut random = fastrand::Rng::with_seed(7);
    let mut bytes = vec![0; 30_000_000];
    random.fill(&mut bytes);
    fs::write(&there, &bytes).unwrap();
    let pushed = phone.adb(&["push", there.to_str().unwrap(), "/sdcard/Download/"]);
    assert!(pushed.status.success(), "{pushed:?}");
    assert_eq!(
        phone.shell("stat -c %s /sdcard/Download/there 2>/dev/null || wc -c < /sdcard/Download/there").trim(),
        "30000000"
    );
    let pulled = phone.adb(&["pull", "/sdcard/Download/there", back.to_str().unwrap()]);
    assert!(pulled.status.success(), "{pulled:?}");
    assert!(fs::read(&back).unwrap() == bytes, "what came back is not what went there");
    assert!(!phone.adb(&["pull", "/sdcard/nope", back.to_str().unwrap()]).status.success());
}

#[test]
fn adb_dumps_the_screen() {
    let phone = Phone::start();
    phone.shell("am start -n com.uixt.settings/.MainActivity");
    assert!(phone.shell("uiautomator dump /sdcard/window.xml").contains("dumped to: /sdcard/window.xml"));
    let dump = phone.shell("cat /sdcard/window.xml");
    let xml = roxmltree::Document::parse(&dump).expect("XML");
    assert_eq!(xml.root_element().tag_name().name(), "hierarchy");
    assert!(xml.descendants().any(|node| node.attribute("text") == Some("Settings")), "{dump}");
}

#[test]
fn adbutils_drives_the_phone() {
    let phone = Phone::start();
    let seen = client("adb_client.py", &phone.port.to_string());
    assert_eq!(seen["serial"], "uixt-phone");
    assert_eq!(seen["window_size"], json!([1080, 2400]));
    assert!(seen["packages"].as_array().unwrap().contains(&json!("com.uixt.shop")), "{seen}");
    assert_eq!(seen["exit_codes"], json!([7, 7]));
    assert_eq!(seen["app_current"], "com.uixt.shop");
    assert_eq!(seen["typed"], true, "{seen}");
    assert_eq!(seen["screenshot"], json!([1080, 2400]));
    assert_eq!(seen["display"], json!([1080, 2400]));
    assert!(seen["colours"].as_u64() > Some(10), "the picture is empty: {seen}");
}

#[test]
fn the_phone_ends_when_it_is_asked() {
    for name in ["INT", "TERM"] {
        let mut phone = Phone::start();
        signal(&phone.process.0, name);
        assert_eq!(phone.process.ended(5), Some(0), "{name}");
    }
}
