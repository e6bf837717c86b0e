//! The virtual phone's adbd, tried with what others wrote: Debian's adb server, and `adb_shell` without any server.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::support::adb_server::{Server, adb};
use crate::support::counterparts::{Phone, Running, client, wait_until};

/// A server on loopback that answers every connection with what came, in capitals; returns its port.
fn shouter() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(length @ 1..) = stream.read(&mut bytes) {
                    bytes.make_ascii_uppercase();
                    if stream.write_all(&bytes[..length]).is_err() {
                        break;
                    }
                }
            });
        }
    });
    port
}

/// Says something to a port and returns as many bytes of the answer.
#[track_caller]
fn say(port: u16, text: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a limit");
    stream.write_all(text.as_bytes()).expect("sent");
    let mut answer = vec![0; text.len()];
    stream.read_exact(&mut answer).expect("an answer");
    String::from_utf8(answer).expect("a text")
}

fn phone() -> Phone {
    Phone::start_with(&["--adbd-port", "0"], 1)
}

#[test]
fn an_adb_server_connects_and_runs_commands() {
    let phone = phone();
    let (server, serial) = Server::with(&phone);
    let listed = server.says(&["devices", "-l"]);
    let line = listed.lines().find(|line| line.starts_with(&serial)).expect(&listed);
    assert!(line.contains(" device product:uixt_phone model:uixt_virtual_phone device:uixt "), "{line}");
    let features = server.says(&["features"]);
    for feature in ["shell_v2", "cmd", "stat_v2", "ls_v2", "abb_exec"] {
        assert!(features.lines().any(|line| line == feature), "{feature}: {features}");
    }
    let output = server.adb(&["shell", "echo out; echo err >&2; exit 7"]);
    assert_eq!(output.status.code(), Some(7));
    assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
    // The first protocol mixes the outputs, and a terminal ends its lines as terminals do.
    assert_eq!(server.says(&["shell", "-x", "echo out; echo err >&2"]), "out\nerr\n");
    assert_eq!(server.says(&["shell", "-tt", "echo out"]), "out\r\n");
    let png = server.adb(&["exec-out", "screencap", "-p"]).stdout;
    let reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a PNG");
    assert_eq!(reader.info().size(), (1080, 2400));
    for (command, said) in
        [("root", "cannot run as root"), ("unroot", "not running as root"), ("remount", "Not running as root")]
    {
        assert!(server.says(&[command]).contains(said), "{command}");
    }
    assert!(!server.adb(&["reboot", "bootloader"]).status.success());
    assert!(server.says(&["tcpip", "5555"]).contains("--adbd-port 5555"));
}

#[test]
fn files_go_through_the_adb_server_and_back() {
    let phone = phone();
    let (server, _) = Server::with(&phone);
    let folder = tempfile::tempdir().unwrap();
    let (there, back) = (folder.path().join("there"), folder.path().join("back"));
    let mut bytes = vec![0; 30_000_000];
    fastrand::Rng::with_seed(7).fill(&mut bytes);
    fs::write(&there, &bytes).unwrap();
    let there = there.to_str().unwrap();
    assert!(!server.adb(&["push", there, "/sdcard/Download/new folder/"]).status.success(), "there is no such folder");
    server.says(&["push", there, "/sdcard/Download/new folder/there"]);
    server.says(&["pull", "/sdcard/Download/new folder/there", back.to_str().unwrap()]);
    assert!(fs::read(&back).unwrap() == bytes, "what came back is not what went there");
    assert!(server.says(&["ls", "/sdcard/Download/new folder"]).contains("01c9c380 "), "the size in hexadecimal");
    assert!(!server.adb(&["pull", "/sdcard/nope", back.to_str().unwrap()]).status.success());
    // A client that takes nothing holds nobody else up.
    let mut stalled = server.open("exec:cat '/sdcard/Download/new folder/there'");
    assert_eq!(server.says(&["shell", "echo alive"]), "alive\n");
    let mut rest = Vec::new();
    stalled.read_to_end(&mut rest).unwrap();
    assert!(rest == bytes, "a stream that waited has lost something");
}

#[test]
fn links_are_refused_as_a_device_refuses_them() {
    let phone = phone();
    let (server, _) = Server::with(&phone);
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("folder");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("file"), "text").unwrap();
    std::os::unix::fs::symlink("file", folder.join("link")).unwrap();
    let output = server.adb(&["push", folder.to_str().unwrap(), "/sdcard/"]);
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && said.contains("remote symlink failed: Permission denied"), "{said}");
    assert!(!server.says(&["shell", "ls /sdcard/folder"]).contains("link"));
}

#[test]
fn ctrl_c_and_ctrl_d_mean_what_they_mean_on_a_device() {
    let phone = phone();
    let (server, _) = Server::with(&phone);
    let mut command = adb(server.home.path(), server.port);
    command.args(["shell", "-tt"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut shell = Running(command.spawn().expect("adb starts"));
    let (mut keyboard, mut screen) = (shell.0.stdin.take().unwrap(), shell.0.stdout.take().unwrap());
    let mut types = |text: &str| keyboard.write_all(text.as_bytes()).expect("adb takes it");
    let mut sees = |text: &str| {
        let mut seen = Vec::new();
        while !seen.ends_with(text.as_bytes()) {
            let mut byte = [0];
            assert_eq!(screen.read(&mut byte).unwrap(), 1, "the session has ended: {}", seen.escape_ascii());
            seen.push(byte[0]);
        }
        String::from_utf8(seen).unwrap()
    };
    for endless in ["sleep 600", "logcat", "cat"] {
        sees("$ ");
        types(&format!("{endless}\n"));
        sees("\r\n");
        types("typed ahead\x03");
        sees("^C\r\n");
        assert!(!sees("$ ").contains("not found"), "{endless}");
        types("echo $?; cat\n");
        sees("\n130\r\n");
        types("\x04");
    }
    sees("$ ");
    types("(exit 5)\n");
    sees("$ ");
    types("\x04");
    assert_eq!(shell.ended(20), Some(5));
}

#[test]
fn silent_connections_keep_no_server_out() {
    let phone = phone();
    let silent: Vec<TcpStream> =
        (0..400).map(|_| TcpStream::connect(("127.0.0.1", phone.adbds[0])).expect("a connection")).collect();
    let (server, _) = Server::with(&phone);
    assert_eq!(server.says(&["shell", "echo alive"]), "alive\n");
    drop(silent);
}

#[test]
fn compressed_transfers_are_not_announced_and_refused_in_words() {
    let phone = phone();
    let (server, _) = Server::with(&phone);
    // Debian's adb shows what it knows itself, so that the phone's own face is asked.
    let mut face = TcpStream::connect(phone.address()).expect("a connection");
    face.write_all(b"000dhost:features").expect("sent");
    let mut features = String::new();
    face.read_to_string(&mut features).expect("an answer");
    assert!(features.contains("sendrecv_v2") && !features.contains("sendrecv_v2_"), "{features}");
    server.says(&["shell", "echo content > /sdcard/file"]);
    let path = b"/sdcard/file";
    let length = u32::try_from(path.len()).expect("a length").to_le_bytes();
    let answer = |id: &[u8; 4], setup: &[u32]| {
        let mut stream = server.open("sync:");
        let setup: Vec<u8> = setup.iter().flat_map(|word| word.to_le_bytes()).collect();
        stream.write_all(&[&id[..], &length, path, id, &setup].concat()).expect("sent");
        let mut head = [0; 8];
        stream.read_exact(&mut head).expect("an answer");
        let mut rest = vec![0; u32::from_le_bytes(head[4..].try_into().unwrap()) as usize];
        stream.read_exact(&mut rest).expect("a text");
        (String::from_utf8_lossy(&head[..4]).into_owned(), String::from_utf8_lossy(&rest).into_owned())
    };
    assert_eq!(answer(b"RCV2", &[0]), ("DATA".to_owned(), "content\n".to_owned()));
    for compressed in [1, 2, 4] {
        for refused in [answer(b"RCV2", &[compressed]), answer(b"SND2", &[0o100_644, compressed])] {
            assert!(refused.0 == "FAIL" && refused.1.contains("takes no compressed files"), "{refused:?}");
        }
    }
    assert_eq!(server.says(&["shell", "cat /sdcard/file"]), "content\n");
}

#[test]
fn whoever_tracks_devices_is_told_of_a_reboot() {
    let phone = Phone::start_with(&["--serial", "tracked"], 0);
    let mut stream = TcpStream::connect(phone.address()).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
    stream.write_all(b"0012host:track-devices").expect("sent");
    let mut read = |length: usize| {
        let mut bytes = vec![0; length];
        stream.read_exact(&mut bytes).expect("an answer");
        String::from_utf8(bytes).expect("a text")
    };
    assert_eq!(read(4), "OKAY");
    let mut list = || {
        let length = usize::from_str_radix(&read(4), 16).expect("a length");
        read(length)
    };
    assert_eq!(list(), "tracked\tdevice\n");
    phone.adb(&["reboot"]);
    assert_eq!((list(), list()), (String::new(), "tracked\tdevice\n".to_owned()));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| phone.adb(&["wait-for-disconnect"]).status.success());
        wait_until("adb hears that it was gone", 20, || {
            phone.adb(&["reboot"]);
            waiting.is_finished()
        });
        assert!(waiting.join().expect("a thread"));
    });
    // Behind a reboot, as scripts do it.
    phone.adb(&["reboot"]);
    assert!(phone.adb(&["wait-for-disconnect"]).status.success());
    assert!(phone.adb(&["wait-for-device"]).status.success());
    assert!(phone.shell("echo up").contains("up"));
}

#[test]
fn packages_are_installed_streamed_and_pushed() {
    let phone = phone();
    let (server, _) = Server::with(&phone);
    let apk = concat!(env!("CARGO_MANIFEST_DIR"), "/testcases/files/notes.apk");
    for way in ["--streaming", "--no-streaming"] {
        let said = server.says(&["install", way, apk]);
        assert!(said.contains("Success"), "{way}: {said}");
        assert_eq!(server.says(&["shell", "pm list packages uixt.notes"]), "package:com.uixt.notes\n", "{way}");
        assert!(!server.adb(&["install", way, "-R", apk]).status.success(), "{way}: it is there already");
        assert!(server.says(&["uninstall", "com.uixt.notes"]).contains("Success"));
    }
}

#[test]
fn ports_are_forwarded_and_reversed() {
    let phone = phone();
    let (server, _) = Server::with(&phone);
    let host = format!("tcp:{}", shouter());
    let port = |text: String| text.trim().parse::<u16>().unwrap_or_else(|_| panic!("no port: {text}"));
    let forwarded = port(server.says(&["forward", "tcp:0", &host]));
    assert_eq!(say(forwarded, "through the phone"), "THROUGH THE PHONE");
    let reversed = port(server.says(&["reverse", "tcp:0", &host]));
    assert_eq!(say(reversed, "from the phone"), "FROM THE PHONE");
    server.says(&["reverse", "localabstract:shouter", &host]);
    let there_and_back = port(server.says(&["forward", "tcp:0", "localabstract:shouter"]));
    let long = "both ways ".repeat(50_000);
    let (said, answered) = (long.clone(), thread::spawn(move || say_long(there_and_back, &long)));
    assert!(answered.join().expect("an answer") == said.to_uppercase());
    let listed = server.says(&["reverse", "--list"]);
    assert!(listed.contains(&format!("(reverse) tcp:{reversed} {host}\n")), "{listed}");
    assert!(!server.adb(&["reverse", "--no-rebind", &format!("tcp:{reversed}"), &host]).status.success());
    server.says(&["reverse", "--remove", &format!("tcp:{reversed}")]);
    assert!(!server.adb(&["reverse", "--remove", &format!("tcp:{reversed}")]).status.success());
    assert!(TcpStream::connect(("127.0.0.1", reversed)).is_err());
    // The same port on both sides is there already: the phone's 127.0.0.1 is this machine's.
    server.says(&["reverse", &host, &host]);
    server.says(&["reverse", "--remove-all"]);
    assert_eq!(server.says(&["reverse", "--list"]).trim(), "");
    // Nothing listens there: the connection is taken and closed again, as adb does it.
    let nobody = port(server.says(&["forward", "tcp:0", "localabstract:nobody"]));
    let mut stream = TcpStream::connect(("127.0.0.1", nobody)).unwrap();
    assert_eq!(stream.read(&mut [0; 8]).unwrap_or(0), 0);
}

/// As [`say`], for more than fits between the two.
fn say_long(port: u16, text: &str) -> String {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
    let (mut writer, text) = (stream.try_clone().expect("a handle"), text.as_bytes().to_vec());
    let mut answer = vec![0; text.len()];
    let writing = thread::spawn(move || writer.write_all(&text));
    (&stream).read_exact(&mut answer).expect("an answer");
    writing.join().expect("a thread").expect("sent");
    String::from_utf8(answer).expect("a text")
}

#[test]
fn the_framebuffer_is_a_picture() {
    let phone = phone();
    let (server, _) = Server::with(&phone);
    let mut bytes = Vec::new();
    server.open("framebuffer:").read_to_end(&mut bytes).unwrap();
    let words: Vec<u32> = bytes[..52].chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(words, [1, 32, 1080 * 2400 * 4, 1080, 2400, 0, 8, 16, 8, 8, 8, 24, 8]);
    let raw = server.adb(&["exec-out", "screencap"]).stdout;
    assert_eq!((bytes.len() - 52, raw.len() - 16), (1080 * 2400 * 4, 1080 * 2400 * 4));
    // The status bar has a clock.
    assert!(bytes[52 + 1080 * 200 * 4..] == raw[16 + 1080 * 200 * 4..], "not the screen that screencap takes");
}

#[test]
fn a_reboot_cuts_the_server_off_and_ends_apps() {
    let phone = phone();
    let (server, serial) = Server::with(&phone);
    server.says(&["shell", "am start -W -n com.uixt.shop/.MainActivity; echo kept > /sdcard/kept"]);
    assert_ne!(server.says(&["shell", "pidof com.uixt.shop"]), "");
    server.says(&["reverse", "localabstract:a", "tcp:1"]);
    server.says(&["reboot"]);
    // The server calls the phone a device until it notices the cut: only what the phone says tells one boot from the next.
    let booted = || server.adb(&["shell", "pidof com.uixt.shop; cat /sdcard/kept"]).stdout == b"kept\n";
    wait_until("the adb server comes back by itself, the app has ended and the file is kept", 30, booted);
    assert_eq!(server.says(&["reverse", "--list"]).trim(), "");
    assert!(server.says(&["devices"]).contains(&serial));
}

#[test]
fn keys_are_asked_for_where_that_is_wanted() {
    for (whom, state) in [("any-key", "device"), ("none", "unauthorized")] {
        let phone = Phone::start_with(&["--adbd-port", "0", "--adbd-auth", whom], 1);
        let server = Server::start();
        server.adb(&["connect", &format!("127.0.0.1:{}", phone.adbds[0])]);
        let wanted = format!("127.0.0.1:{}\t{state}", phone.adbds[0]);
        wait_until("the device is listed", 10, || server.says(&["devices"]).contains(&wanted));
        assert_eq!(server.adb(&["shell", "true"]).status.success(), state == "device", "{whom}");
    }
}

/// Returns where the middle of an element is, by its text; nothing where there is none.
fn place_of(phone: &Phone, text: &str) -> Option<String> {
    phone.shell("uiautomator dump /data/local/tmp/w.xml");
    let tree = phone.shell("cat /data/local/tmp/w.xml");
    let rest = tree.split_once(&format!("text=\"{text}\""))?.1.split_once("bounds=\"[")?.1;
    let numbers =
        rest.split(['[', ']', ',']).filter_map(|number| number.parse::<u32>().ok()).take(4).collect::<Vec<_>>();
    let [left, top, right, bottom] = numbers[..] else { return None };
    Some(format!("{} {}", u32::midpoint(left, right), u32::midpoint(top, bottom)))
}

#[test]
fn the_owner_lets_a_computer_in_on_the_phone_s_screen() {
    const ALLOW: &str = "Allow USB debugging?";
    let phone = Phone::start_with(&["--adbd-port", "0", "--adbd-auth", "ask"], 1);
    let server = Server::start();
    let address = format!("127.0.0.1:{}", phone.adbds[0]);
    let is = |state: &str| server.says(&["devices"]).contains(&format!("{address}\t{state}"));
    let asks = || place_of(&phone, ALLOW).is_some();
    let tap = |text: &str| {
        let place = place_of(&phone, text).unwrap_or_else(|| panic!("no `{text}` on the screen"));
        phone.shell(&format!("input tap {place}"));
    };
    let again = || {
        server.says(&["disconnect", &address]);
        wait_until("the dialog goes with who asked", 10, || !asks());
        server.adb(&["connect", &address]);
    };
    server.adb(&["connect", &address]);
    wait_until("the phone asks", 10, asks);
    assert!(is("unauthorized") && !server.adb(&["shell", "true"]).status.success());
    let tree = phone.shell("cat /data/local/tmp/w.xml");
    for part in ["RSA key fingerprint", "Always allow from this computer", "package=\"com.android.systemui\""] {
        assert!(tree.contains(part), "{part}: {tree}");
    }
    assert!(phone.shell("dumpsys window").contains("usb.UsbDebuggingActivity}"));
    // Neither Back nor a tap beside it answers.
    phone.shell("input keyevent 4; input tap 500 2200");
    tap("Allow");
    wait_until("it is let in", 10, || is("device"));
    assert_eq!(server.says(&["shell", "echo in"]), "in\n");
    // That was for once.
    again();
    wait_until("the phone asks again", 10, asks);
    tap("Cancel");
    assert!(!asks() && is("unauthorized"));
    again();
    wait_until("the phone asks once more", 10, asks);
    tap("Always allow from this computer");
    tap("Allow");
    wait_until("it is let in", 10, || is("device"));
    again();
    wait_until("it is known", 10, || is("device"));
    assert!(!asks());
    // A restart forgets nobody.
    server.says(&["reboot"]);
    wait_until("the adb server comes back by itself", 30, || is("device"));
}

#[test]
fn two_phones_are_never_mixed_up() {
    let phones = Phone::start_with(&["--count", "2", "--serial", "twin", "--adbd-port", "0"], 2);
    let listed = String::from_utf8(phones.adb(&["devices"]).stdout).unwrap();
    assert!(listed.contains("twin-1\tdevice\ntwin-2\tdevice\n"), "{listed}");
    let refused = phones.adb(&["shell", "true"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("more than one device"), "{refused:?}");
    let server = Server::start();
    let serials = [server.connect(phones.adbds[0]), server.connect(phones.adbds[1])];
    thread::scope(|scope| {
        for (number, serial) in (1..).zip(&serials) {
            let (server, phones) = (&server, &phones);
            scope.spawn(move || {
                let own = format!("twin-{number}\n");
                for _ in 0..10 {
                    assert_eq!(server.says(&["-s", serial, "shell", "getprop ro.serialno"]), own);
                    let through_the_face = phones.adb(&["-s", own.trim(), "shell", "getprop ro.serialno"]);
                    assert_eq!(String::from_utf8_lossy(&through_the_face.stdout), own);
                }
            });
        }
    });
    // Each has its own files and apps.
    server.says(&["-s", &serials[0], "shell", "touch /sdcard/first"]);
    assert!(!server.adb(&["-s", &serials[1], "shell", "ls /sdcard/first"]).status.success());
    assert!(phones.adb(&["-s", "twin-1", "shell", "ls /sdcard/first"]).status.success());
}

#[test]
fn the_phones_own_server_forwards_and_reverses() {
    let phone = Phone::start();
    let host = format!("tcp:{}", shouter());
    let says = |arguments: &[&str]| {
        let output = phone.adb(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    says(&["reverse", "localabstract:shouter", &host]);
    let port: u16 = says(&["forward", "tcp:0", "localabstract:shouter"]).trim().parse().unwrap();
    assert_eq!(say(port, "hello"), "HELLO");
    assert_eq!(says(&["forward", "--list"]).trim(), format!("uixt-phone tcp:{port} localabstract:shouter"));
    assert_eq!(says(&["reverse", "--list"]).trim(), format!("(reverse) localabstract:shouter {host}"));
    assert_ne!(says(&["shell", "am start -W -n com.uixt.shop/.MainActivity >/dev/null; pidof com.uixt.shop"]), "");
    says(&["reboot"]);
    assert!(!phone.adb(&["shell", "pidof com.uixt.shop"]).status.success());
    assert_eq!(says(&["reverse", "--list"]).trim(), "");
    says(&["forward", "--remove", &format!("tcp:{port}")]);
    assert!(!phone.adb(&["forward", "--remove", &format!("tcp:{port}")]).status.success());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn adb_shell_speaks_to_the_adbd_itself() {
    let phone = phone();
    let seen = client("adbd_client.py", &phone.adbds[0].to_string());
    assert_eq!(seen["shell"], "hello\nPhysical size: 1080x2400\n");
    assert_eq!(
        seen["streamed"].as_array().unwrap().iter().filter_map(|text| text.as_str()).collect::<String>(),
        "one\ntwo\n"
    );
    assert_eq!((&seen["came_back"], &seen["stat"]), (&json!(true), &json!([0o100_770, 3_000_000])), "{seen}");
    assert!(seen["listed"].as_array().unwrap().contains(&json!("from_python")), "{seen}");
    assert_eq!((&seen["picture"], &seen["after"]), (&json!("PNG"), &json!("still here\n")));
    assert!(seen["missing"].is_string(), "{seen}");
}

#[test]
fn a_taken_port_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let test = crate::support::Test::new(&["phone", "--port", "0", "--adbd-port", &port]);
    test.run().code(3).says(&format!("127.0.0.1:{port}: "));
}
