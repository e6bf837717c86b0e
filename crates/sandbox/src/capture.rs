//! A stream → its beginning and its end, in bounded memory.

use std::io::ErrorKind;

use tokio::net::unix::pipe::Receiver;

/// Most of a stream that is kept, in bytes: half of it from the beginning, half from the end.
pub(crate) const KEPT: usize = 64 << 10;

/// How much is read at once.
const PIECE: usize = 16 << 10;

/// The most bytes that are read once the code has ended: its threads may print for ever.
const REST: usize = 4 << 20;

/// What was printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    pub text: String,
    /// How many bytes were printed where not all of them are kept.
    pub whole: Option<u64>,
}

/// A pipe that is read, and what of it is kept.
pub(crate) struct Capture {
    pipe: Receiver,
    is_open: bool,
    head: Vec<u8>,
    tail: Vec<u8>,
    total: u64,
}

impl Capture {
    pub(crate) fn new(pipe: Receiver) -> Self {
        Self { pipe, is_open: true, head: Vec::new(), tail: Vec::new(), total: 0 }
    }

    /// Reads what comes, until the stream is closed; where it is, this waits for ever.
    pub(crate) async fn follow(&mut self) {
        while self.is_open {
            if self.pipe.readable().await.is_err() {
                break;
            }
            self.read();
            // What prints without end must not keep whoever waits for something else from its turn.
            tokio::task::yield_now().await;
        }
        std::future::pending().await
    }

    /// Reads what the runtime says is there.
    fn read(&mut self) {
        let mut buffer = [0; PIECE];
        match self.pipe.try_read(&mut buffer) {
            Ok(count @ 1..) => self.keep(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            _ => self.is_open = false,
        }
    }

    /// Reads what is still there, in bounds, and returns all that was printed since the last time.
    pub(crate) fn finish(&mut self) -> Printed {
        let (mut buffer, mut rest) = ([0; PIECE], 0);
        // The system is asked: the runtime may not have heard yet of what came last.
        while rest < REST
            && let Ok(count @ 1..) = rustix::io::read(&self.pipe, &mut buffer)
        {
            self.keep(&buffer[..count]);
            rest += count;
        }
        let (head, tail) = (std::mem::take(&mut self.head), std::mem::take(&mut self.tail));
        told(&head, &tail, std::mem::take(&mut self.total))
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT / 2 - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        // Half of it is moved rarely rather than a little of it always.
        if self.tail.len() > KEPT {
            self.tail.drain(..self.tail.len() - KEPT / 2);
        }
    }
}

/// Returns the text of both ends, and between them how much is missing.
fn told(head: &[u8], tail: &[u8], total: u64) -> Printed {
    let last = &tail[tail.len().saturating_sub(KEPT / 2)..];
    let kept = (head.len() + last.len()) as u64;
    if kept == total {
        return Printed { text: String::from_utf8_lossy(&[head, last].concat()).into_owned(), whole: None };
    }
    let (head, last) = (String::from_utf8_lossy(head), String::from_utf8_lossy(last));
    Printed { text: format!("{head}\n… {} bytes are left out …\n{last}", total - kept), whole: Some(total) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_long_stream_are_told_with_what_is_missing() {
        let printed = told(&[b'a'; KEPT / 2], &[b'b'; KEPT], 200_000);
        assert!(printed.text.starts_with("aaa") && printed.text.ends_with("bbb"));
        assert!(
            printed.text.contains(&format!("\n… {} bytes are left out …\n", 200_000 - KEPT)),
            "{}",
            printed.text.len()
        );
        assert_eq!(printed.whole, Some(200_000));
        assert_eq!(told("登".as_bytes(), "录\n".as_bytes(), 7), Printed { text: "登录\n".to_owned(), whole: None });
    }
}
