//! Where packets go: a socket, or a USB endpoint.

use std::io;

use async_trait::async_trait;
use tokio::io::AsyncWriteExt as _;
use tokio::net::tcp::OwnedWriteHalf;

use crate::packet::Packet;

/// Takes packets, each whole.
#[async_trait]
pub(super) trait Sink: Send {
    /// Sends a packet; its payload is summed up where the other side wants it.
    async fn send(&mut self, packet: &Packet, sums: bool) -> io::Result<()>;
}

#[async_trait]
impl Sink for OwnedWriteHalf {
    async fn send(&mut self, packet: &Packet, sums: bool) -> io::Result<()> {
        self.write_all(&packet.encode(sums)).await
    }
}
