//! What goes wrong is told as hdc and uitest tell it, and what was done is counted, whatever the client was told.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Test;

const SHOP: &str = "com.uixt.shop";

#[tokio::test]
async fn connections_end_before_and_after_a_command() {
    let test = Test::new().await;
    test.fault("only", json!("uiInput")).await;
    for (fault, done) in [("cut_before", 0), ("cut_after", 1)] {
        test.fault(fault, json!(1)).await;
        assert_eq!(test.shell("echo other").await, "other\n");
        let before = test.acts("touches");
        assert_eq!(test.shell("uitest uiInput click 600 1200").await, "");
        assert_eq!(test.acts("touches") - before, done, "{fault}");
    }
    test.fault("truncated", json!(1)).await;
    assert!("No Error\n".starts_with(&test.shell("uitest uiInput click 600 1200 && echo more").await));
    test.input("click 600 1200").await;
    test.fault("silent", json!(1)).await;
    let waited = timeout(Duration::from_millis(300), test.shell("uitest uiInput click 600 1200")).await;
    assert!(waited.is_err(), "no answer comes");
    test.input("click 600 1200").await;
    test.fault("delay_ms", json!(300)).await;
    let began = Instant::now();
    test.input("click 600 1200").await;
    assert!(began.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn the_server_goes_and_comes_back() {
    let test = Test::new().await;
    test.fault("not_ready", json!(2)).await;
    for _ in 0..2 {
        assert!(test.shell("ls").await.starts_with("[Fail][E000004]:"));
    }
    assert_eq!(test.shell("echo a").await, "a\n");
    let mut kept = test.connect(&test.key).await;
    test.fault("server_down", json!(true)).await;
    assert_eq!(Test::read(&mut kept).await, None);
    let end = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(test.phone.address()).await.is_ok() {
        assert!(Instant::now() < end, "connections are refused");
    }
    test.fault("server_down", json!(false)).await;
    while TcpStream::connect(test.phone.address()).await.is_err() {
        assert!(Instant::now() < end, "the server comes back");
    }
    assert_eq!(test.shell("echo a").await, "a\n");
    test.fault("server_down", json!(200)).await;
    let mut was_down = false;
    while !was_down || TcpStream::connect(test.phone.address()).await.is_err() {
        was_down |= TcpStream::connect(test.phone.address()).await.is_err();
        assert!(Instant::now() < end, "it goes and comes back by itself");
    }
    // What was connected before has had its greeting by now.
    assert_eq!(test.shell("echo a").await, "a\n");
    test.fault("handshake_wrong", json!(1)).await;
    let mut stream = TcpStream::connect(test.phone.address()).await.unwrap();
    assert!(Test::read(&mut stream).await.unwrap().starts_with(b"HTTP"));
    test.fault("handshake_long", json!(true)).await;
    assert_eq!(test.shell("echo a").await, "a\n");
}

#[tokio::test]
async fn uitest_is_busy_fails_and_cuts() {
    let test = Test::new().await;
    test.open(SHOP).await;
    test.fault("uitest_ms", json!(1000)).await;
    let line = "uitest uiInput click 600 1200; echo $?";
    let (one, other) = tokio::join!(test.shell(line), test.shell(line));
    let mut said = [one.as_str(), other.as_str()];
    said.sort_unstable();
    assert_eq!(said, ["Disallow concurrent use\n0\n", "No Error\n0\n"]);
    test.fault("uitest_ms", json!(0)).await;
    let user = test.middle("id", "user").await;
    test.fault("touches_missed", json!(1)).await;
    test.input(&format!("click {user}")).await;
    assert_eq!(test.find("id", "user").await.unwrap()["focused"], "false");
    test.fault("touches_fail", json!(1)).await;
    assert_eq!(test.shell(&format!("uitest uiInput click {user}")).await, "Failed to inject pointer event\n");
    test.fault("text_fails", json!(1)).await;
    assert_eq!(test.shell("uitest uiInput text abc").await, "Failed to input text\n");
    test.fault("text_cut", json!(3)).await;
    test.input(&format!("inputText {user} abcdef")).await;
    assert_eq!(test.find("id", "user").await.unwrap()["text"], "abc");
    test.fault("no_text", json!(true)).await;
    assert!(test.shell("uitest uiInput text a").await.starts_with("Invalid parameters."));
    assert_eq!(test.shell("uitest --version").await, "5.1.1.2\n");
    test.fault("dump_fails", json!("Get window nodes failed")).await;
    assert_eq!(test.shell("uitest dumpLayout").await, "DumpLayout failed:Get window nodes failed\n");
    test.fault("dump_fails", json!(false)).await;
    test.fault("dump_cut", json!(1)).await;
    let line = "uitest dumpLayout -p /data/local/tmp/c.json >/dev/null && cat /data/local/tmp/c.json";
    let cut = test.shell(line).await;
    assert!(serde_json::from_str::<serde_json::Value>(&cut).is_err() && cut.starts_with("{\"attributes\""));
    test.fault("dump_bytes", json!(5_000_000)).await;
    let dump = test.dump().await;
    assert!(dump.to_string().len() > 5_000_000 && dump["children"][0]["attributes"]["bundleName"] == SHOP);
    test.fault("dump_bytes", json!(0)).await;
    test.fault("dump_ms", json!(200)).await;
    let began = Instant::now();
    test.dump().await;
    assert!(began.elapsed() >= Duration::from_millis(200));
    test.fault("asleep", json!(true)).await;
    assert!(test.shell("hidumper -s PowerManagerService -a -s").await.contains("INACTIVE"));
    test.shell("power-shell wakeup").await;
    test.fault("snapshot_fails", json!(1)).await;
    assert!(test.shell("snapshot_display -f /data/local/tmp/x.jpeg").await.starts_with("error:"));
}

#[tokio::test]
async fn a_full_disk_cuts_files_and_the_shell_sets_faults() {
    let test = Test::new().await;
    assert_eq!(test.shell("uixt fault disk_full").await, "");
    let said = test.shell("uitest dumpLayout -p /data/local/tmp/d.json; wc -c /data/local/tmp/d.json").await;
    assert_eq!(said, "DumpLayout saved to:/data/local/tmp/d.json\n0 /data/local/tmp/d.json\n");
    assert!(test.shell("snapshot_display -f /data/local/tmp/x.jpeg").await.starts_with("error:"));
    test.fault("disk_full", json!(false)).await;
    assert!(!test.dump().await["children"].as_array().unwrap().is_empty());
    assert!(test.shell("uixt fault no_such=1").await.contains("known are"));
    assert!(test.shell("uixt faults").await.contains("\"dump_cut\""));
    test.open(SHOP).await;
    test.fault("crash", json!(1)).await;
    assert_eq!(test.shell("pidof com.uixt.shop").await, "");
}
