//! The studio's server, and a page of it that is a socket.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::support::{Test, items, text};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// `uixt studio`, as long as this is held.
pub(super) struct Served {
    child: Child,
    /// `127.0.0.1:8018`.
    pub(super) address: String,
    pub(super) token: String,
}

impl Served {
    /// Starts it in the test's folder.
    pub(super) fn start(test: &Test) -> Self {
        Self::start_with(test, &[])
    }

    pub(super) fn start_with(test: &Test, variables: &[(&'static str, String)]) -> Self {
        let mut command = test.command();
        command.env("UIXT_DATA_DIR", test.path("data")).env_remove("UIXT_BROWSER");
        command.envs(variables.iter().map(|(name, value)| (*name, value)));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("an address");
        let (address, token) = line.trim().split_once("/studio/?token=").expect("an address with a token");
        Self { child, address: address.trim_start_matches("http://").to_owned(), token: token.to_owned() }
    }

    pub(super) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("an end");
    }

    pub(super) async fn open(&self) -> Page {
        Page::open(&self.address, &self.token).await
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A page.
pub(super) struct Page {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    asked: u64,
    /// What it was told, the oldest first.
    pub(super) events: Vec<Value>,
    /// The number of the last picture of each device.
    pub(super) pictures: BTreeMap<u32, u32>,
    /// By when what is waited for must have come.
    until: Instant,
}

impl Page {
    pub(super) async fn open(address: &str, token: &str) -> Self {
        let mut request = format!("ws://{address}/studio/live").into_client_request().expect("an address");
        let bearer = format!("Bearer {token}").parse().expect("a header");
        request.headers_mut().insert("Authorization", bearer);
        let socket = connect_async(request).await.expect("it lets the page in").0;
        Self { socket, asked: 0, events: Vec::new(), pictures: BTreeMap::new(), until: Instant::now() }
    }

    async fn send(&mut self, what: &Value) {
        self.socket.send(Message::text(what.to_string())).await.expect("sent");
    }

    /// Takes in the next message; says that pictures were drawn.
    async fn next(&mut self) -> Value {
        loop {
            let next = tokio::time::timeout_at(self.until, self.socket.next()).await;
            let next = next.unwrap_or_else(|_| panic!("nothing came of it in time: {:#?}", self.events));
            match next.expect("it goes on").expect("a message") {
                Message::Text(said) => return serde_json::from_str(&said).expect("JSON"),
                Message::Binary(frame) => {
                    let number = |at: usize| u32::from_be_bytes(frame[at..at + 4].try_into().expect("four bytes"));
                    self.pictures.insert(number(0), number(4));
                    self.send(&json!({"do": "shown", "device": number(0), "sequence": number(4)})).await;
                }
                _ => {}
            }
        }
    }

    /// Asks for something, and returns what is answered.
    pub(super) async fn answer(&mut self, mut what: Value) -> Value {
        self.until = Instant::now() + PATIENCE;
        self.asked += 1;
        what["id"] = self.asked.into();
        self.send(&what).await;
        loop {
            let said = self.next().await;
            if said["re"] == self.asked {
                return said;
            }
            self.events.push(said);
        }
    }

    /// Asks for something that is done.
    pub(super) async fn ask(&mut self, what: Value) -> Value {
        let shown = what.to_string();
        let said = self.answer(what).await;
        assert!(said["error"].is_null(), "{shown}: {said}");
        said["ok"].clone()
    }

    /// Waits for an event, also one that came before.
    pub(super) async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        self.until = Instant::now() + PATIENCE;
        if let Some(event) = self.events.iter().rev().find(|event| fits(event)) {
            return event.clone();
        }
        loop {
            let said = self.next().await;
            self.events.push(said.clone());
            if fits(&said) {
                return said;
            }
        }
    }

    /// Waits for an element of this name, and returns its middle.
    pub(super) async fn middle(&mut self, name: &str) -> [f64; 2] {
        self.until = Instant::now() + PATIENCE;
        loop {
            let screen = self.events.iter().rev().find(|event| event["event"] == "screen");
            let named = |element: &&Value| {
                let says = |key: &str| element[key] == name;
                element["seen"] == true && (says("name") || says("hint") || text(&element["id"]).ends_with(name))
            };
            if let Some(element) = screen.and_then(|screen| items(&screen["elements"]).iter().rev().find(named)) {
                let side = |at: usize| element["rect"][at].as_f64().expect("a number");
                return [f64::midpoint(side(0), side(2)), f64::midpoint(side(1), side(3))];
            }
            let said = self.next().await;
            self.events.push(said);
        }
    }

    /// Does something on the device.
    pub(super) async fn act(&mut self, act: Value) {
        // What is looked for next is looked for on what comes of it.
        self.events.retain(|event| event["event"] != "screen");
        self.ask(json!({"do": "act", "device": 0, "act": act})).await;
    }

    pub(super) async fn tap(&mut self, name: &str) {
        let middle = self.middle(name).await;
        self.act(json!({"tap": middle})).await;
    }

    /// Runs, and returns what is told of the end.
    pub(super) async fn run(&mut self, mut what: Value) -> Value {
        what["do"] = "run".into();
        self.events.clear();
        self.ask(what).await;
        self.until(|event| event["event"] == "run" && event["state"] == "ended").await
    }
}
