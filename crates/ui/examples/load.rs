//! Many pages on one instance, and edits at a rate → how late each page is told, whether all end with the same, and the server's memory.
//!
//! `load [PAGES] [EDITS PER SECOND] [SECONDS]`; 100, 1000 and 60 where nothing is said. The server is a process of its own, over loopback.
//! Each line of what is printed is a figure's name, a tab, and the figure.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "figures of a measurement"
)]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use uixt_ui::{PatchRequest, Services, Ui, page};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Ends the server with this process.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "serve") {
        return serve(&arguments[1]).await;
    }
    let number = |at: usize, usual: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (pages, rate, seconds) = (number(0, 100), number(1, 1000), number(2, 60));
    let folder = std::env::temp_dir().join(format!("uixt-load-{}", std::process::id()));
    let child = Command::new(std::env::current_exe()?)
        .args(["serve", &folder.join("uixt.db").to_string_lossy()])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut server = Server(child);
    let mut address = String::new();
    BufReader::new(server.0.stdout.take().ok_or("no output")?).read_line(&mut address)?;
    let done = measure(&format!("ws://{}/ui/live", address.trim()), server.0.id(), pages, rate, seconds).await;
    drop(server);
    std::fs::remove_dir_all(&folder)?;
    done
}

async fn serve(path: &str) -> Result<(), Failure> {
    let ui = Ui::open(path.as_ref(), Services::new()?)?;
    let patches = json!([
        {"op": "set", "path": "state.params.count", "value": 0},
        {"op": "add", "path": "blocks", "value": {"id": "b", "type": "form", "bind": "state.params", "props": {"fields": [
            {"key": "count", "label": "Count", "type": "number"}, {"key": "note", "label": "Note", "type": "text"}]}}},
    ]);
    let request = PatchRequest { patches: patches.as_array().cloned().unwrap_or_default(), ..PatchRequest::default() };
    ui.create("load", &request, false, "load")?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    axum::serve(listener, page::router(page::Pages::new(move || Ok(Arc::clone(&ui))))).await?;
    Ok(())
}

async fn measure(url: &str, server: u32, pages: u64, rate: u64, seconds: u64) -> Result<(), Failure> {
    // When each edit was sent, by its value.
    let sent: Arc<Mutex<Vec<Instant>>> = Arc::new(Mutex::new(vec![Instant::now()]));
    let edits = rate * seconds;
    let mut watching = Vec::new();
    for _ in 0..pages {
        let (mut out, stream) = connect(url).await?;
        out.send(Message::text(json!({"type": "open", "id": "load"}).to_string())).await?;
        watching.push(tokio::spawn(watch(out, stream, Arc::clone(&sent), edits)));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = memory(server)?;
    let began = Instant::now();
    write(url, &sent, rate, edits).await?;
    println!("edits a second\t{:.0}", edits as f64 / began.elapsed().as_secs_f64());
    let (mut late, mut ends) = (Vec::new(), Vec::new());
    for page in watching {
        let (mut seen, end) = page.await??;
        late.append(&mut seen);
        ends.push(end);
    }
    late.sort_unstable();
    let at = |share: f64| late[((late.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    println!("edits seen by all pages\t{}", late.len());
    println!("late, median ms\t{:.1}\nlate, 99 % ms\t{:.1}\nlate, most ms\t{:.1}", at(0.5), at(0.99), at(1.0));
    println!("pages that end the same\t{}", ends.iter().filter(|end| **end == ends[0]).count());
    println!("memory before and after, MiB\t{before:.1} {:.1}", memory(server)?);
    Ok(())
}

async fn connect(url: &str) -> Result<(SplitSink<Socket, Message>, SplitStream<Socket>), Failure> {
    Ok(connect_async(url).await?.0.split())
}

/// Sends edits evenly, and waits until the server has taken all of them.
async fn write(url: &str, sent: &Mutex<Vec<Instant>>, rate: u64, edits: u64) -> Result<(), Failure> {
    let (mut out, mut stream) = connect(url).await?;
    let answered = tokio::spawn(async move {
        let mut done = 0;
        while done < edits {
            let Some(message) = stream.next().await else { break };
            let Message::Text(text) = message? else { continue };
            let said: Value = serde_json::from_str(&text)?;
            if said["type"] == "refused" {
                return Err(Failure::from(said.to_string()));
            }
            done += u64::from(said["type"] == "done");
        }
        Ok(done)
    });
    let mut pace = tokio::time::interval(Duration::from_micros(1_000_000 / rate));
    for value in 1..=edits {
        pace.tick().await;
        sent.lock().await.push(Instant::now());
        let edit = json!({"type": "set", "id": "load", "seq": value, "path": "state.params.count", "value": value});
        out.send(Message::text(edit.to_string())).await?;
    }
    answered.await??;
    Ok(())
}

/// Follows the instance until the last edit; returns how late each was, and what is shown at the end.
async fn watch(
    _out: SplitSink<Socket, Message>,
    mut stream: SplitStream<Socket>,
    sent: Arc<Mutex<Vec<Instant>>>,
    last: u64,
) -> Result<(Vec<Duration>, Value), Failure> {
    let (mut view, mut late, mut known) = (Value::Null, Vec::new(), 0);
    while known < last {
        let Some(message) = stream.next().await else { return Err("the server closed the page".into()) };
        let Message::Text(text) = message? else { continue };
        let mut said: Value = serde_json::from_str(&text)?;
        match said["type"].as_str() {
            Some("view") => view = said["view"].take(),
            Some("patch") => {
                json_patch::patch(&mut view, &serde_json::from_value::<json_patch::Patch>(said["patch"].take())?)?;
            }
            _ => continue,
        }
        let value = view["schema"]["state"]["params"]["count"].as_u64().unwrap_or(0);
        let (sent, now) = (sent.lock().await, Instant::now());
        late.extend((known + 1..=value).map(|value| now.saturating_duration_since(sent[value as usize])));
        known = known.max(value);
    }
    Ok((late, view))
}

/// Returns the memory of a process in MiB.
fn memory(process: u32) -> Result<f64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}
