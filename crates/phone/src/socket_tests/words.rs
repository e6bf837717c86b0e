//! What the phone's tools answer where a device's do.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{open, phone, sh};
use crate::adb::sync;

#[tokio::test]
async fn services_are_switched() {
    let (_phone, device) = phone().await;
    let script = "svc wifi disable; svc data enable; svc bluetooth enable; svc power stayon usb; \
                  settings get global wifi_on; settings get global mobile_data; settings get global bluetooth_on; \
                  settings get global stay_on_while_plugged_in";
    assert_eq!(sh(&device, script).await.0, "0\n1\n1\n2\n");
    assert!(sh(&device, "svc").await.0.starts_with("Available commands:\n"));
    for wrong in ["svc nfc enable", "svc wifi", "svc wifi on", "svc power stayon maybe", "svc power shutdown"] {
        assert_eq!(sh(&device, wrong).await.2, 1, "{wrong}");
    }
}

#[tokio::test]
async fn buffers_of_the_log_are_told_apart() {
    let (_phone, device) = phone().await;
    sh(&device, "input tap 1 1").await;
    assert!(sh(&device, "logcat -d -b main").await.0.contains("InputDispatcher"));
    assert_eq!(sh(&device, "logcat -d -b crash; logcat -c -b crash; logcat -b events,radio -d").await.0, "");
    assert!(sh(&device, "logcat -d").await.0.contains("InputDispatcher"));
    let sizes = sh(&device, "logcat -g").await.0;
    assert_eq!(sizes.matches(": ring buffer is 256 KiB (").count(), 3, "{sizes}");
    assert_eq!(sh(&device, "logcat -b foo").await.1, "logcat: Unknown -b buffer 'foo'\n");
}

#[tokio::test]
async fn displays_that_are_not_there_are_not_shown() {
    let (_phone, device) = phone().await;
    let listed = sh(&device, "dumpsys SurfaceFlinger --display-id").await.0;
    let id = listed.split(' ').nth(1).unwrap();
    assert!(listed.starts_with("Display ") && id.parse::<u64>().is_ok(), "{listed}");
    assert!(device.exec(&format!("screencap -p -d {id}")).await.unwrap().starts_with(b"\x89PNG"));
    for absent in ["7", "0"] {
        let (out, err, code) = sh(&device, &format!("screencap -d {absent} -p")).await;
        assert_eq!(
            (out.as_str(), err.as_str(), code),
            ("", "Failed to take screenshot. Status: -2\nCapturing failed.\n", 1)
        );
    }
    let (_, err, code) = sh(&device, "input tap 1 x").await;
    assert!(err.contains("IllegalArgumentException: Error: Invalid arguments for command: tap\n"), "{err}");
    assert_eq!(code, 255);
    // As on Android, nothing is said of a touch that is lost, except in the log.
    assert_eq!(sh(&device, "input -d 9 tap 1 1").await, (String::new(), String::new(), 0));
    assert!(sh(&device, "logcat -d").await.0.contains("Dropping event"));
}

#[tokio::test]
async fn an_override_stands_beside_the_screens_own_size() {
    let (_phone, device) = phone().await;
    let init = async || {
        let text = sh(&device, "dumpsys window displays").await.0;
        text.lines().find(|line| line.contains("init=")).unwrap().trim().to_owned()
    };
    assert!(!init().await.contains("base="));
    sh(&device, "wm size 720x1280; wm density 320").await;
    assert!(init().await.contains("dpi base=720x1280 320dpi cur=720x1280 "), "{}", init().await);
}

#[tokio::test]
async fn links_are_refused_and_leave_nothing() {
    let (phone, device) = phone().await;
    let mut stream = open(&phone, "sync:").await;
    sync::write_request(&mut stream, sync::SEND, "/sdcard/link,41471").await.unwrap();
    sync::write_data(&mut stream, &mut b"hello\0".as_slice()).await.unwrap();
    sync::write_done(&mut stream, 0).await.unwrap();
    let answer = sync::read_frame(&mut stream, &mut Vec::new()).await.unwrap();
    assert_eq!(answer, sync::Frame::Fail("symlink failed: Permission denied".to_owned()));
    // The connection goes on.
    sync::write_request(&mut stream, sync::STAT, "/sdcard").await.unwrap();
    assert_ne!(sync::read_stat(&mut stream).await.unwrap().mode, 0);
    assert_eq!(sh(&device, "ls /sdcard/link").await.2, 1);
}

#[tokio::test]
async fn debuggers_find_no_process() {
    let (phone, _) = phone().await;
    let mut all = Vec::new();
    open(&phone, "jdwp").await.read_to_end(&mut all).await.unwrap();
    assert!(all.is_empty());
    let mut stream = open(&phone, "track-jdwp").await;
    let mut list = [0; 4];
    stream.read_exact(&mut list).await.unwrap();
    stream.shutdown().await.unwrap();
    assert_eq!((&list, stream.read(&mut [0; 4]).await.unwrap()), (b"0000", 0));
    let mut said = String::new();
    open(&phone, "tcpip:5555").await.read_to_string(&mut said).await.unwrap();
    assert!(said.contains("--adbd-port 5555"), "{said}");
}
