//! Messages as lines of JSON over two pipes, from a peer that is not trusted.
//!
//! What is no message is skipped and noted. What cannot be skipped without losing an answer, or never ends, ends the
//! connection with its reason: a line that is too long, or a flood.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

use super::diagnostics::{CLOSED, Diagnostics};
use super::incoming::{Incoming, MAX_LEN};

/// Messages that wait to be taken; the peer is not read on before.
const WAITING: usize = 64;

/// The client's end of a connection by lines.
pub(super) struct Lines<W> {
    writer: Arc<Mutex<Option<W>>>,
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleClient>>,
    incoming: Arc<Incoming>,
    reading: JoinHandle<()>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    pub(super) fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: W,
        diagnostics: Arc<Diagnostics>,
    ) -> Self {
        let incoming = Arc::new(Incoming::new(diagnostics));
        let (sender, messages) = mpsc::channel(WAITING);
        let reading = tokio::spawn(read_all(BufReader::with_capacity(64 << 10, reader), Arc::clone(&incoming), sender));
        Self { writer: Arc::new(Mutex::new(Some(writer))), messages, incoming, reading }
    }
}

impl<W> Drop for Lines<W> {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

/// Reads until the end, of the peer or of whoever listens.
async fn read_all(
    mut reader: impl AsyncBufRead + Unpin,
    incoming: Arc<Incoming>,
    sender: mpsc::Sender<RxJsonRpcMessage<RoleClient>>,
) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match read_line(&mut reader, &mut line).await {
            Ok(true) => {}
            Ok(false) => return incoming.diagnostics().ended(CLOSED),
            Err(why) => return incoming.diagnostics().ended(why),
        }
        match incoming.take(&line) {
            Ok(Some(message)) => {
                if sender.send(message).await.is_err() {
                    return;
                }
            }
            Ok(None) => {}
            Err(why) => return incoming.diagnostics().ended(why),
        }
        if line.capacity() > 1 << 20 {
            line = Vec::new();
        }
    }
}

/// Reads a line without its end; false where there is none any more.
async fn read_line(reader: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>) -> Result<bool, String> {
    loop {
        let read = reader.fill_buf().await.map_err(|error| format!("its output cannot be read: {error}"))?;
        if read.is_empty() {
            return Ok(false);
        }
        let end = read.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(read.len());
        if line.len() + taken > MAX_LEN {
            return Err(format!("it wrote a line of more than {} MiB", MAX_LEN >> 20));
        }
        line.extend_from_slice(&read[..taken]);
        reader.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(true);
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleClient> for Lines<W> {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.incoming.expects(&message);
        let writer = Arc::clone(&self.writer);
        async move {
            let mut bytes = serde_json::to_vec(&message)?;
            bytes.push(b'\n');
            let mut writer = writer.lock().await;
            let writer = writer.as_mut().ok_or(std::io::ErrorKind::NotConnected)?;
            writer.write_all(&bytes).await?;
            writer.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.reading.abort();
        // A writer that is stuck is given up with its task.
        if let Ok(mut writer) = self.writer.try_lock() {
            *writer = None;
        }
        Ok(())
    }
}
