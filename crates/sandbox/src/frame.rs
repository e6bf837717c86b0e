//! Frames on the socket ↔ JSON: four bytes with the length, the highest first, and so much text.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

/// The most bytes of a frame that the other side may send.
const MOST: usize = 48 << 20;

/// Why there is no frame.
#[derive(Debug)]
pub(crate) enum Lost {
    /// The other side has closed its end.
    Closed,
    /// What came is none.
    Garbled(String),
}

/// Sends a frame.
pub(crate) async fn send(socket: &mut UnixStream, frame: &Value) -> io::Result<()> {
    let text = frame.to_string();
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    socket.write_all(&[&length.to_be_bytes(), text.as_bytes()].concat()).await
}

/// Waits for a frame.
pub(crate) async fn receive(socket: &mut UnixStream) -> Result<Value, Lost> {
    let mut length = [0; 4];
    socket.read_exact(&mut length).await.map_err(|_| Lost::Closed)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > MOST {
        return Err(Lost::Garbled(format!("a frame of {length} bytes")));
    }
    // What is not there takes no memory.
    let mut text = Vec::new();
    let read = socket.take(length as u64).read_to_end(&mut text).await;
    if read.map_err(|_| Lost::Closed)? < length {
        return Err(Lost::Closed);
    }
    serde_json::from_slice(&text).map_err(|error| Lost::Garbled(error.to_string()))
}
