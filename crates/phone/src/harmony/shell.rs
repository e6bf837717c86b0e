//! `shell`: a command line, or a shell to talk to, in the phone's own shell. Both outputs come mixed, and no exit code.

use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex, split};

use super::super::handset::Handset;
use super::super::session::{self, Kind};
use super::frames::Channel;
use crate::jobs::{self, Jobs};

/// Bytes of an answer that come in one message at most.
const CHUNK: usize = 48 * 1024;

/// Runs a command line until it ends or its client leaves; none is a shell to talk to.
pub(super) async fn run(handset: &Arc<Handset>, line: &str, channel: &mut Channel) {
    if let Some(rest) = line.strip_prefix("-b ") {
        let bundle = rest.split_whitespace().next().unwrap_or_default();
        let is_there = handset.system.lock().await.apps().iter().any(|app| app.package == bundle);
        let why = if is_there {
            "[E007100] Operate need running under debug mode".to_owned()
        } else {
            format!("[E003001] Invalid bundle name: {bundle}")
        };
        return channel.fail(&why).await;
    }
    let Some(kind) = Kind::of(&format!("shell:{line}")) else { return };
    let (near, far) = duplex(CHUNK);
    // Ends with this function, whatever it is at.
    let mut running = Jobs::new();
    jobs::begin(&mut running, Box::pin(session::run(handset.clone(), kind, Box::new(far))));
    let (mut from, mut to) = split(near);
    let mut bytes = vec![0; CHUNK];
    loop {
        let length = tokio::select! {
            read = from.read(&mut bytes) => read.unwrap_or(0),
            typed = channel.next() => match typed {
                Some(typed) => {
                    // A command that has ended reads nothing more.
                    let _ = to.write_all(&typed).await;
                    continue;
                }
                None => return,
            },
        };
        if length == 0 || !channel.send(&bytes[..length]).await {
            return;
        }
    }
}
