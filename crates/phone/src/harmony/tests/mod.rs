//! Tries the server and its phones from outside, over real sockets: what hdc's clients send and what they must read.

mod faults;
mod files;
mod forwards;
mod screens;

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{HarmonyOptions, HarmonyPhone};

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// A phone behind its server.
struct Test {
    phone: HarmonyPhone,
    key: String,
}

impl Test {
    async fn new() -> Self {
        Self::with(vec![HarmonyOptions::default()]).await
    }

    async fn with(options: Vec<HarmonyOptions>) -> Self {
        let key = options[0].key.clone();
        Self { phone: HarmonyPhone::start(options).await.unwrap(), key }
    }

    async fn read(stream: &mut TcpStream) -> Option<Vec<u8>> {
        let read = async {
            let length = stream.read_u32().await.ok()?;
            let mut message = vec![0; length as usize];
            stream.read_exact(&mut message).await.ok()?;
            Some(message)
        };
        timeout(PATIENCE, read).await.expect("an answer in time")
    }

    async fn write(stream: &mut TcpStream, message: &[u8]) {
        stream.write_all(&u32::try_from(message.len()).unwrap().to_be_bytes()).await.unwrap();
        stream.write_all(message).await.unwrap();
    }

    /// Connects as a client of a phone does.
    async fn connect(&self, key: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.phone.address()).await.unwrap();
        let mut greeting = Self::read(&mut stream).await.unwrap();
        assert!(greeting.starts_with(b"OHOS HDC"), "{greeting:?}");
        greeting[12..44].fill(0);
        greeting[12..12 + key.len()].copy_from_slice(key.as_bytes());
        Self::write(&mut stream, &greeting).await;
        stream
    }

    /// Returns the whole answer to a command.
    async fn ask_of(&self, key: &str, command: &str) -> String {
        let mut stream = self.connect(key).await;
        Self::write(&mut stream, command.as_bytes()).await;
        let mut answer = Vec::new();
        while let Some(message) = Self::read(&mut stream).await {
            answer.extend(message);
        }
        String::from_utf8(answer).unwrap()
    }

    async fn ask(&self, command: &str) -> String {
        self.ask_of(&self.key, command).await
    }

    async fn shell(&self, line: &str) -> String {
        self.ask(&format!("shell {line}")).await
    }

    /// Sets a fault of the phone.
    async fn fault(&self, name: &str, value: Value) {
        self.phone.set_fault(&self.key, name, value).await.unwrap();
    }

    /// How often something was really done.
    fn acts(&self, name: &str) -> u64 {
        self.phone.acts(&self.key)[name].as_u64().unwrap_or_else(|| panic!("{name} is not counted"))
    }

    /// Starts an app.
    async fn open(&self, bundle: &str) {
        assert_eq!(self.shell(&format!("aa start -a EntryAbility -b {bundle}")).await, "start ability successfully.\n");
    }

    /// Runs `uiInput`, which must say that there was no error.
    async fn input(&self, words: &str) {
        assert_eq!(self.shell(&format!("uitest uiInput {words}")).await, "No Error\n", "{words}");
    }

    /// Returns the first node whose attribute is so.
    async fn find(&self, attribute: &str, value: &str) -> Option<Value> {
        nodes(&self.dump().await).into_iter().find(|node| node[attribute] == value)
    }

    /// Returns the middle of a node, as `uiInput` takes it.
    async fn middle(&self, attribute: &str, value: &str) -> String {
        let node = self.find(attribute, value).await.unwrap_or_else(|| panic!("no {attribute} {value}"));
        let sides: Vec<i32> =
            node["bounds"].as_str().unwrap().split(['[', ']', ',']).filter_map(|side| side.parse().ok()).collect();
        format!("{} {}", i32::midpoint(sides[0], sides[2]), i32::midpoint(sides[1], sides[3]))
    }

    async fn dump(&self) -> Value {
        let text =
            self.shell("uitest dumpLayout -p /data/local/tmp/a.json >/dev/null && cat /data/local/tmp/a.json").await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

/// Returns the attributes of a node and of all below it.
fn nodes(node: &Value) -> Vec<Value> {
    let mut all = vec![node["attributes"].clone()];
    for child in node["children"].as_array().unwrap() {
        all.extend(nodes(child));
    }
    all
}

#[tokio::test]
async fn a_phone_is_listed_and_answers() {
    let test = Test::new().await;
    assert_eq!(test.ask_of("", "list targets").await, "uixt-harmony\n");
    assert_eq!(test.ask_of("", "list targets -v\0").await, "uixt-harmony\t\tUSB\tConnected\tlocalhost\thdc\n");
    assert_eq!(test.ask_of("", "checkserver").await.as_bytes(), b"\x0d\x00Ver: 3.2.0f");
    assert_eq!(test.shell("echo a; nope").await, "a\n/system/bin/sh: nope: inaccessible or not found\n");
    assert_eq!(test.ask_of("any", "shell echo b\0").await, "b\n");
    assert_eq!(
        test.ask_of("", "shell echo b").await,
        "[Fail]ExecuteCommand need connect-key? please confirm a device by help info\r\n"
    );
    assert_eq!(test.ask_of("other", "shell ls").await, "[Fail]Not match target founded, check connect-key please\r\n");
    assert_eq!(test.ask("nonsense").await, "[Fail][E002105] Unsupport command\r\n");
    assert_eq!(test.ask("tconn 1.2.3").await, "[Fail][E001104]:IP address incorrect\r\n");
    assert!(test.ask("shell -b com.uixt.shop ls").await.contains("[E007100]"));
    assert!(test.shell("input tap 1 1; getprop").await.contains("getprop: inaccessible or not found"));
    test.phone.stop().await;
}

#[tokio::test]
async fn several_phones_stand_behind_one_server() {
    let phone = |number| HarmonyOptions { key: HarmonyOptions::key_of(number), ..HarmonyOptions::default() };
    let test = Test::with((0..3).map(phone).collect()).await;
    assert_eq!(test.ask_of("", "list targets").await, "uixt-harmony\nuixt-harmony-2\nuixt-harmony-3\n");
    assert!(test.ask_of("any", "shell ls").await.contains("need connect-key"));
    assert_eq!(
        test.ask_of("uixt-harmony-2", "shell aa force-stop com.uixt.shop").await,
        "force stop process successfully.\n"
    );
    test.phone.set_fault("uixt-harmony-3", "offline", Value::Bool(true)).await.unwrap();
    test.phone.set_fault("uixt-harmony-2", "unauthorized", Value::Bool(true)).await.unwrap();
    assert_eq!(test.ask_of("", "list targets").await, "uixt-harmony\nuixt-harmony-2\tUnauthorized\n");
    assert!(test.ask_of("", "list targets -v").await.contains("uixt-harmony-3\t\tUSB\tOffline\t"));
    assert!(
        test.ask_of("uixt-harmony-2", "shell ls").await.starts_with("[Fail][E000002]:The device unauthorized.\r\n")
    );
    assert!(test.ask_of("uixt-harmony-3", "shell ls").await.starts_with("[Fail][E001005]"));
    assert!(test.phone.set_fault("uixt-harmony-9", "offline", Value::Null).await.is_err());
    let twice = HarmonyPhone::start(vec![phone(0), phone(0)]).await;
    assert!(twice.err().unwrap().to_string().contains("no other phone's"));
}

#[tokio::test]
async fn a_connection_may_be_kept_for_lists_and_a_shell_talked_to() {
    let test = Test::new().await;
    let mut stream = test.connect("").await;
    for command in ["alive", "list targets", "list targets"] {
        Test::write(&mut stream, command.as_bytes()).await;
    }
    for _ in 0..2 {
        assert_eq!(Test::read(&mut stream).await.as_deref(), Some(b"uixt-harmony\n".as_slice()));
    }
    let mut stream = test.connect(&test.key).await;
    Test::write(&mut stream, b"shell").await;
    Test::write(&mut stream, b"echo a | cat; echo x$?y; exit\n").await;
    let mut said = String::new();
    while let Some(message) = Test::read(&mut stream).await {
        said.push_str(&String::from_utf8(message).unwrap());
    }
    assert!(said.contains("x0y"), "{said}");
}
