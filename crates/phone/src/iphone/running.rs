//! One iPhone with its ports: started, reached, told what goes wrong, ended.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::super::handset::Handset;
use super::super::options::{Face, Options};
use super::super::phones::bind;
use super::super::system::System;
use super::agent::Agent;
use super::answer::Answer;
use super::http::{Connection, Flaw, Received, Request};
use super::options::IphoneOptions;
use super::{mjpeg, routes, stand_in};
use crate::jobs::{self, Jobs};

/// Pixels of the screen: 390 × 844 points, three pixels each.
const SIZE: (u32, u32) = (1170, 2532);
/// Three times the density at which a pixel is a point.
const DENSITY: u32 = 480;

/// A running iPhone; dropping it ends it and its servers.
pub struct Iphone {
    address: SocketAddr,
    mjpeg_address: Option<SocketAddr>,
    agent: Arc<Agent>,
    servers: Jobs,
    _off: DropGuard,
}

impl Iphone {
    /// Starts an iPhone whose WDA listens on a port of 127.0.0.1.
    ///
    /// Fails where a port is taken, the apps' files cannot be read, or a fault has no such name.
    pub async fn start(options: IphoneOptions) -> io::Result<Self> {
        let off = CancellationToken::new();
        let listener = bind(options.port).await?;
        let film = match options.mjpeg_port {
            Some(port) => Some(bind(port).await?),
            None => None,
        };
        let phone = Options {
            size: SIZE,
            density: DENSITY,
            serial: options.udid.clone(),
            clock: options.clock.clone(),
            keeper: options.keeper.clone(),
            face: Face::Iphone,
        };
        let handset = Arc::new(Handset::new(System::start(phone).await?, off.clone()));
        let agent = Arc::new(Agent::new(handset, options, off.child_token()));
        for (name, value) in agent.options.faults.clone() {
            agent.set_fault(&name, value).await.map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))?;
        }
        let address = listener.local_addr()?;
        let mut servers = Jobs::new();
        jobs::begin(&mut servers, Box::pin(serve(agent.clone(), listener)));
        let mjpeg_address = film.as_ref().map(TcpListener::local_addr).transpose()?;
        if let Some(film) = film {
            jobs::begin(&mut servers, Box::pin(mjpeg::serve(agent.clone(), film)));
        }
        Ok(Self { address, mjpeg_address, agent, servers, _off: off.drop_guard() })
    }

    /// Returns where WDA listens: `http://ADDRESS`.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns where the moving picture is to be had; none where it is not wanted.
    pub fn mjpeg_address(&self) -> Option<SocketAddr> {
        self.mjpeg_address
    }

    /// Returns what usbmuxd calls it.
    pub fn udid(&self) -> &str {
        &self.agent.options.udid
    }

    /// Returns what its owner calls it.
    pub fn name(&self) -> &str {
        &self.agent.options.name
    }

    pub(super) fn agent(&self) -> &Arc<Agent> {
        &self.agent
    }

    /// Returns the phone itself, shared with its servers; no request goes on while it is locked.
    pub fn system(&self) -> Arc<Mutex<System>> {
        self.agent.handset.system.clone()
    }

    /// Sets a fault, or ends it by `null`, as `POST /uixt/faults` does. Errors: there is none of this name.
    pub async fn set_fault(&self, name: &str, value: Value) -> Result<(), String> {
        self.agent.set_fault(name, value).await
    }

    /// Returns how often each thing was really done, as `GET /uixt/acts` does.
    pub fn acts(&self) -> Value {
        self.agent.counts.all()
    }

    /// Returns the messages of the phone's log, a line each: which pages were shown, which apps crashed.
    pub async fn log(&self) -> String {
        self.agent.handset.messages().await
    }

    /// Ends the phone and waits until its ports are free again.
    pub async fn stop(mut self) {
        self.servers.shutdown().await;
    }
}

async fn serve(agent: Arc<Agent>, listener: TcpListener) {
    let mut clients = Jobs::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = agent.off.cancelled() => return,
            Some(_) = clients.join_next() => continue,
        };
        match accepted {
            Ok((stream, _)) => jobs::begin(&mut clients, Box::pin(talk(agent.clone(), stream))),
            // Too many files are open; those that are answered meanwhile are closed.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// Answers requests on a connection until it ends.
async fn talk(agent: Arc<Agent>, stream: TcpStream) {
    // Answers are small and waited for.
    let _ = stream.set_nodelay(true);
    let mut connection = Connection::new(stream, agent.is_old());
    loop {
        let request = match connection.next().await {
            Ok(Received::Request(request)) => request,
            Ok(Received::Refused(status, why)) => {
                // The connection ends, whether it is read or not.
                let _ = connection.send(&Answer::html(status, why), Flaw::default()).await;
                return connection.close().await;
            }
            Ok(Received::End) | Err(_) => return,
        };
        let is_last = request.is_last;
        let goes_on = exchange(&agent, &mut connection, request).await && !is_last;
        if agent.is_ending.load(Ordering::SeqCst) {
            connection.close().await;
            return agent.off.cancel();
        }
        if !goes_on {
            return connection.close().await;
        }
    }
}

/// Answers one request, as well as the faults let it; false where the connection ends with it.
async fn exchange(agent: &Arc<Agent>, connection: &mut Connection, request: Request) -> bool {
    let path = request.path.clone();
    if path.starts_with("/uixt/") {
        let answer = stand_in::answer(agent, &request).await;
        return connection.send(&answer, Flaw::default()).await.is_ok();
    }
    let faults = &agent.faults;
    if faults.is("dead") || faults.take_on("cut_before", &path) {
        return false;
    }
    // It is carried out to its end, even where its client leaves.
    let (own, asked) = (
        agent.clone(),
        tokio::spawn({
            let agent = agent.clone();
            async move { routes::answer(&agent, &request).await }
        }),
    );
    let Ok(mut answer) = asked.await else { return false };
    if let Some(ms) = own.faults.number("delay_ms").filter(|_| faults.fits(&path)) {
        tokio::time::sleep(Duration::from_secs_f64((ms / 1000.0).clamp(0.0, 600.0))).await;
    }
    if faults.take_on("cut_after", &path) {
        return false;
    }
    if faults.take_on("html_500", &path) {
        answer = Answer::html(
            500,
            "<html><head><title>500</title></head><body><h1>Internal Server Error</h1></body></html>",
        );
    }
    if faults.take_on("not_json", &path) {
        answer.body = b"{\"value\": nonsense".to_vec();
    }
    let is_truncated = faults.take_on("truncated", &path);
    #[expect(clippy::cast_possible_truncation, reason = "a number of bytes")]
    let length_off = faults.number("wrong_length").filter(|_| faults.fits(&path)).unwrap_or(0.0) as i64;
    let sent = connection.send(&answer, Flaw { is_truncated, length_off }).await;
    sent.is_ok() && !is_truncated && length_off <= 0
}
