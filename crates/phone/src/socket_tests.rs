//! Tries the phone from outside, over real sockets: what adb clients send and what they must read.

mod terminal;
mod words;

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::Phone;
use super::system::Options;
use crate::adb::{Device, Error, Server, shell, wire};

async fn phone() -> (Phone, Device) {
    let phone = Phone::start(Options::default(), 0).await.unwrap();
    let device = Server::new(phone.address().to_string()).device("uixt-phone");
    (phone, device)
}

/// Sends bytes, closes the sending side, and returns everything that comes back.
async fn exchange(phone: &Phone, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(phone.address()).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = Vec::new();
    timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await.unwrap().unwrap();
    answer
}

/// Opens a service, as a client does.
async fn open(phone: &Phone, service: &str) -> TcpStream {
    let mut stream = TcpStream::connect(phone.address()).await.unwrap();
    for request in ["host:transport-any", service] {
        wire::write_message(&mut stream, request.as_bytes()).await.unwrap();
        assert_eq!(wire::read_status(&mut stream).await.unwrap(), wire::Status::Okay, "{request}");
    }
    stream
}

async fn sh(device: &Device, command: &str) -> (String, String, u8) {
    let output = device.shell(command).await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.exit)
}

#[tokio::test]
async fn host_requests_are_answered_as_adb_answers_them() {
    let (phone, _) = phone().await;
    assert_eq!(exchange(&phone, b"000chost:version").await, b"OKAY00040029");
    assert_eq!(exchange(&phone, b"000chost:devices").await, b"OKAY0012uixt-phone\tdevice\n");
    assert_eq!(exchange(&phone, b"0013host:tport:serial:x").await, b"FAIL0014device 'x' not found");
    assert_eq!(exchange(&phone, b"001chost:tport:serial:uixt-phone").await[..12], *b"OKAY\x01\0\0\0\0\0\0\0");
    assert_eq!(exchange(&phone, b"0009host:kill").await, b"OKAY");
    assert_eq!(exchange(&phone, b"0008shell:ls").await[..4], *b"FAIL");
}

#[tokio::test]
async fn broken_requests_end_and_others_are_served() {
    let (phone, device) = phone().await;
    let garbage: [&[u8]; 6] =
        [b"", b"zzzz", b"00", b"ffffhost:", b"GET / HTTP/1.1\r\n\r\n", b"0012host:transport-any0008sync:\xff\xff"];
    for bytes in garbage {
        exchange(&phone, bytes).await;
    }
    assert_eq!(sh(&device, "echo alive").await.0, "alive\n");
}

#[tokio::test]
async fn shells_tell_outputs_and_codes_apart() {
    let (_phone, device) = phone().await;
    let (out, err, code) = sh(&device, "echo a; echo b >&2; nope; exit 7").await;
    assert_eq!((out.as_str(), code), ("a\n", 7));
    assert_eq!(err, "b\n/system/bin/sh: nope: inaccessible or not found\n");
    let script = "cd /sdcard; printf 'b\\na\\n' > f && sort f | head -n 1; X='1 2'; echo \"$X\" $X $(cat f | wc -l) *.none; \
                  false || ! true || (exit 3); echo $?; cat < nofile; echo ${Y:-d}";
    let (out, err, _) = sh(&device, script).await;
    assert_eq!(out, "a\n1 2 1 2 2 *.none\n3\nd\n");
    assert_eq!(err, "/system/bin/sh: can't open nofile: No such file or directory\n");
}

#[tokio::test]
async fn files_come_back_as_they_went() {
    let (_phone, device) = phone().await;
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|number| (number % 251) as u8).collect();
    device.push(bytes.as_slice(), "/sdcard/new/folder/file", 0o644).await.unwrap();
    assert_eq!(device.pull("/sdcard/new/folder/file").await.unwrap(), bytes);
    assert_eq!(device.exec("cat /sdcard/new/folder/file").await.unwrap(), bytes);
    let refused = device.push(b"x".as_slice(), "/system/x", 0o644).await.unwrap_err();
    assert!(refused.to_string().contains("Read-only file system"), "{refused}");
    assert!(matches!(device.pull("/sdcard/none").await, Err(Error::Refused { .. })));
}

#[tokio::test]
async fn a_client_that_leaves_ends_its_command() {
    let (phone, device) = phone().await;
    drop(open(&phone, "shell,v2,raw:sleep 0.3; touch /sdcard/late").await);
    sleep(Duration::from_millis(600)).await;
    assert_eq!(sh(&device, "ls /sdcard/late").await.2, 1);
}

#[tokio::test]
async fn standard_input_reaches_commands() {
    let (phone, _) = phone().await;
    let mut stream = open(&phone, "shell,v2,raw:cat; echo end").await;
    shell::write_packets(&mut stream, shell::STDIN, b"hello\n").await.unwrap();
    shell::write_packets(&mut stream, shell::CLOSE_STDIN, b"").await.unwrap();
    let mut seen = Vec::new();
    while let Some((id, bytes)) = shell::read_packet(&mut stream).await.unwrap() {
        if id == shell::STDOUT {
            seen.extend(bytes);
        }
    }
    assert_eq!(seen, b"hello\nend\n");
}

#[tokio::test]
async fn screens_are_pictures_and_trees_of_the_same_size() {
    let (_phone, device) = phone().await;
    let raw = device.exec("screencap").await.unwrap();
    assert_eq!(raw[..12], [1080_u32, 2400, 1].map(u32::to_le_bytes).concat());
    assert_eq!(raw.len(), 16 + 1080 * 2400 * 4);
    assert_eq!(device.exec("screencap -p").await.unwrap()[..8], *b"\x89PNG\r\n\x1a\n");
    let tree = device.exec("uiautomator dump /dev/tty").await.unwrap();
    let tree = String::from_utf8(tree).unwrap();
    assert!(tree.starts_with("<?xml") && tree.ends_with("</hierarchy>UI hierchary dumped to: /dev/tty\n"), "{tree}");
}

#[tokio::test]
async fn stopping_frees_the_port() {
    let (phone, device) = phone().await;
    let address = phone.address();
    let waiting = tokio::spawn(async move { device.shell("sleep 60").await });
    sleep(Duration::from_millis(100)).await;
    phone.stop().await;
    assert!(timeout(Duration::from_secs(5), waiting).await.unwrap().unwrap().is_err());
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn text_arrives_as_androids_rules_have_it() {
    let (_phone, device) = phone().await;
    let script = "am start -W -n com.uixt.shop/.MainActivity | grep Status; input text 登录; echo $?; \
                  ime set com.android.adbkeyboard/.AdbIME; am start -n com.uixt.shop/.Nope; pm list packages -3 shop";
    let (out, err, code) = sh(&device, script).await;
    let wanted = "Status: ok\n255\nInput method com.android.adbkeyboard/.AdbIME selected for user #0\n\
                  Starting: Intent { cmp=com.uixt.shop/.Nope }\npackage:com.uixt.shop\n";
    assert_eq!((out.as_str(), code), (wanted, 0));
    assert!(err.contains("NullPointerException: Attempt to get length of null array"), "{err}");
    assert!(err.contains("Error: Activity class {com.uixt.shop/com.uixt.shop.Nope} does not exist."), "{err}");
}

#[tokio::test]
async fn input_takes_what_androids_takes() {
    let (_phone, device) = phone().await;
    let dump = |device: Device| async move { sh(&device, "uiautomator dump /dev/tty").await.0 };
    let open = "am start -W -n com.uixt.touchlab/.MainActivity; input tap 300 490";
    assert_eq!(sh(&device, open).await.2, 0);
    for (command, gesture) in [
        ("input touchscreen -d 0 tap 500 700", "Tap"),
        ("input tap 500 700 | (sleep 0.1; input tap 500 700)", "Double tap"),
        ("input draganddrop 300 700 600 700 200", "Drag"),
        ("input motionevent DOWN 500 700 && sleep 0.5 && input motionevent UP 500 700", "Long press"),
        ("input swipe 300 700 600 700 100; input -d 3 tap 500 700; input roll 0 1; input press", "Swipe right"),
    ] {
        let (out, err, code) = sh(&device, command).await;
        assert_eq!((out.as_str(), err.as_str(), code), ("", "", 0), "{command}");
        assert!(dump(device.clone()).await.contains(&format!("text=\"{gesture}\"")), "{command}");
    }
    let scrcpy = "CLASSPATH=/data/local/tmp/server.jar app_process / com.genymobile.scrcpy.Server 1.24";
    let (_, err, code) = sh(&device, scrcpy).await;
    assert!(code == 1 && err.contains("cannot run com.genymobile.scrcpy.Server: this phone is virtual"), "{err}");
    for (command, said) in [
        ("input", "The sources are"),
        ("input motionevent LIFT 1 2", "IllegalArgumentException: Unknown action: LIFT"),
        ("input -d x tap 1 2", "Invalid arguments for display ID"),
        ("input pinch 1 2", "Unknown command: pinch"),
    ] {
        let (_, err, code) = sh(&device, command).await;
        assert!(code == 255 && err.contains(said), "{command}: {code} {err}");
    }
}

#[tokio::test]
async fn packages_come_from_files_and_from_streams() {
    let (phone, device) = phone().await;
    let apk = super::package::tests::apk("com.made.app", 1);
    let mut stream = open(&phone, &format!("exec:cmd package install -S {} -r", apk.len())).await;
    stream.write_all(&apk).await.unwrap();
    // The client's side stays open, as adb's does.
    let mut answer = String::new();
    timeout(Duration::from_secs(5), stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert_eq!(answer, "Success\n");
    device.push(apk.as_slice(), "/data/local/tmp/a.apk", 0o644).await.unwrap();
    let script = "pm install -R /data/local/tmp/a.apk; pm path com.made.app; pm uninstall com.made.app; pm path com.made.app; echo $?";
    let (out, _, _) = sh(&device, script).await;
    let wanted = "Failure [INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install com.made.app without first uninstalling.]\n\
                  package:/data/app/com.made.app-1/base.apk\nSuccess\n1\n";
    assert_eq!(out, wanted);
    let (_, err, code) = sh(&device, "pm install /sdcard/none.apk").await;
    assert!(code == 255 && err.contains("Unable to open file: /sdcard/none.apk"), "{err}");
}

#[tokio::test]
async fn the_media_index_is_told_and_asked() {
    let (_phone, device) = phone().await;
    device.push(b"x".as_slice(), "/sdcard/DCIM/it's.png", 0o644).await.unwrap();
    let ask = "content query --uri content://media/external/images/media --projection _data";
    let scan =
        "am broadcast -a android.intent.action.MEDIA_SCANNER_SCAN_FILE -d file:///storage/emulated/0/DCIM/it%27s.png";
    let script = format!("{ask}; {scan} >/dev/null; {ask}; rm \"/sdcard/DCIM/it's.png\"; {ask}");
    let wanted = "No result found.\nRow: 0 _data=/storage/emulated/0/DCIM/it's.png\nNo result found.\n";
    assert_eq!(sh(&device, &script).await.0, wanted);
}

#[tokio::test]
async fn the_log_tells_what_happened_on_the_phone() {
    let (_phone, device) = phone().await;
    let start = "am start -n com.uixt.shop/.MainActivity >/dev/null";
    let script = format!(
        "{start}; logcat -d -s ActivityManager:I | grep -c 'Start proc'; logcat -c; logcat -d '*:V' | grep -c proc"
    );
    assert_eq!(sh(&device, &script).await.0, "1\n0\n");
}

#[tokio::test]
async fn a_date_that_is_set_is_shown_and_nothing_under_way_notices() {
    let (_phone, device) = phone().await;
    let script = "cmd alarm set-time 946684800000; date -u +%Y-%m-%d; touch /sdcard/old; stat -c %y /sdcard/old | cut -c 1-4; \
                  am start -n com.uixt.shop/.MainActivity >/dev/null; pidof com.uixt.shop >/dev/null && echo runs";
    assert_eq!(sh(&device, script).await.0, "2000-01-01\n2000\nruns\n");
}

#[tokio::test]
async fn scripts_are_called_with_arguments() {
    let (_phone, device) = phone().await;
    let script = r#"sh -c 'printf "<%s>" "$0" "$#" "$@" "$2"' it 'a b' c; sh -c 'printf "<%s>" "$@"'; \
                    echo 'echo "$1"' > /sdcard/s; sh /sdcard/s 'x  y'"#;
    assert_eq!(sh(&device, script).await.0, "<it><2><a b><c><c><>x  y\n");
}

#[tokio::test]
async fn commands_misbehave_as_files_say() {
    let (_phone, device) = phone().await;
    let fault = |name: &'static str, script: &'static str| {
        let device = device.clone();
        let path = format!("/data/local/tmp/uixt-faults/{name}");
        async move { device.push(script.as_bytes(), &path, 0o644).await.unwrap() }
    };
    fault("wm", r#"echo "before $1"; "$0" "$@" | head -c 8; exit 3"#).await;
    assert_eq!(
        sh(&device, "wm size; wm density").await,
        ("before size\nPhysicalbefore density\nPhysical".into(), String::new(), 3)
    );
    fault("wm", "").await;
    fault("every", r#"sleep 0.1; "$0" "$@""#).await;
    let before = std::time::Instant::now();
    assert_eq!(sh(&device, "wm size; echo own").await.0, "Physical size: 1080x2400\nown\n");
    assert!(before.elapsed() >= Duration::from_millis(100));
    fault("every", "").await;
    fault("full", "x").await;
    let refused = device.push(b"x".as_slice(), "/sdcard/x", 0o644).await.unwrap_err();
    assert!(refused.to_string().contains("No space left on device"), "{refused}");
    let (out, _, code) = sh(&device, "uiautomator dump /sdcard/w.xml; cat /sdcard/w.xml; df | tail -n 1").await;
    assert!(
        code == 0 && out.starts_with("UI hierchary dumped to: /sdcard/w.xml\n/dev/fuse") && out.contains(" 0 100% "),
        "{out}"
    );
    fault("full", "").await;
    device.push(b"x".as_slice(), "/sdcard/x", 0o644).await.unwrap();
}
