//! The moving picture on a port of its own: JPEGs one after the other. Source: `FBMjpegServer`.
//!
//! As there, a client must send something first, the boundary of the header stands before each picture as it is, and nothing is
//! sent while screenshots fail. A picture that did not change is not encoded again.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};

use uixt_canvas::jpeg;

use super::agent::Agent;
use crate::jobs::{self, Jobs};

const HEAD: &str = "HTTP/1.0 200 OK\r\nServer: WDA MJPEG Server\r\nConnection: close\r\nMax-Age: 0\r\nExpires: 0\r\n\
                    Cache-Control: no-cache, private\r\nPragma: no-cache\r\n\
                    Content-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n";
/// Pictures a second at most.
const FASTEST: f64 = 60.0;

type Picture = Arc<Vec<u8>>;

/// Serves clients until the phone ends.
pub(super) async fn serve(agent: Arc<Agent>, listener: TcpListener) {
    let (to_clients, pictures) = watch::channel(Picture::default());
    let (mut clients, has_come) = (Jobs::new(), Notify::new());
    let take = async {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                Some(_) = clients.join_next() => continue,
            };
            match accepted {
                Ok((stream, _)) => {
                    jobs::begin(&mut clients, Box::pin(show(agent.clone(), stream, pictures.clone())));
                    has_come.notify_one();
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    };
    tokio::select! {
        () = take => {}
        () = film(&agent, &to_clients, &has_come) => {}
        () = agent.off.cancelled() => {}
    }
}

/// Takes pictures for as long as somebody looks.
async fn film(agent: &Agent, to: &watch::Sender<Picture>, has_come: &Notify) {
    let mut before = Taken::default();
    loop {
        // One receiver is the server's own.
        while to.receiver_count() < 2 {
            has_come.notified().await;
        }
        let rate = agent.number_setting("mjpegServerFramerate").clamp(1.0, FASTEST);
        tokio::time::sleep(Duration::from_secs_f64(1.0 / rate)).await;
        if agent.faults.is("screenshot_timeout") {
            continue;
        }
        let Some(taken) = taken(agent, before.clone()).await else { continue };
        before = taken;
        to.send_replace(before.picture.clone());
    }
}

/// A picture, and what it was made of: width and height, quality and size in percent, the pixels.
#[derive(Clone, Default)]
struct Taken {
    settings: [u32; 4],
    pixels: Arc<Vec<u8>>,
    picture: Picture,
}

/// Takes a picture as the settings have it; the one before where nothing changed.
async fn taken(agent: &Agent, before: Taken) -> Option<Taken> {
    let quality = number(agent, "mjpegServerScreenshotQuality").clamp(1, 100);
    let percent = number(agent, "mjpegScalingFactor").clamp(1, 100);
    let (width, height, pixels) = agent.handset.system.lock().await.pixels();
    let encode = move || {
        let settings = [width, height, quality, percent];
        if settings == before.settings && pixels == *before.pixels {
            return before;
        }
        let ((width, height), small) = jpeg::smaller((width, height), &pixels, percent);
        let picture = Arc::new(jpeg::encoded((width, height), &small, quality));
        Taken { settings, pixels: Arc::new(pixels), picture }
    };
    tokio::task::spawn_blocking(encode).await.ok()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "percents")]
fn number(agent: &Agent, name: &str) -> u32 {
    agent.number_setting(name).max(0.0) as u32
}

/// Shows the pictures to one client, from the first that comes on; one that is slow misses some.
async fn show(agent: Arc<Agent>, mut stream: TcpStream, mut pictures: watch::Receiver<Picture>) {
    let mut asked = [0; 1024];
    let has_asked = matches!(stream.read(&mut asked).await, Ok(1..));
    if !has_asked || agent.faults.is("dead") {
        return;
    }
    let kind = if agent.is_old() { "image/jpg" } else { "image/jpeg" };
    let shown = async {
        stream.write_all(HEAD.as_bytes()).await?;
        loop {
            let picture = pictures.borrow_and_update().clone();
            if !picture.is_empty() {
                let head =
                    format!("--BoundaryString\r\nContent-type: {kind}\r\nContent-Length: {}\r\n\r\n", picture.len());
                stream.write_all(head.as_bytes()).await?;
                stream.write_all(&picture).await?;
                stream.write_all(b"\r\n\r\n").await?;
            }
            pictures.changed().await.map_err(std::io::Error::other)?;
        }
    };
    let _: std::io::Result<()> = shown.await;
}
