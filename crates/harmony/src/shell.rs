//! The shell of one phone: one line a call, and one `uitest` at a time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};
use uixt_hdc::{self as hdc, Coming, Server};

use crate::answer::{self, is_busy, text};
use crate::driver::Error;

/// How long a line may take that says no other limit.
pub(crate) const USUAL: Duration = Duration::from_secs(20);
/// How long another `uitest` on the phone is waited for, and the pause before it is tried again.
const BUSY: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(150);

const OTHER: &str =
    "another uitest has run for too long (Disallow concurrent use): end it, such as DevEco Testing or another run";

/// A line of the phone's shell.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// The program that it is there for, as errors name it.
    what: &'a str,
    script: &'a str,
    /// Whether it does something, so that it is sent once.
    acts: bool,
    /// Whether it takes the phone's one `uitest`.
    is_uitest: bool,
    limit: Duration,
}

impl<'a> Line<'a> {
    /// A line that only looks: it is sent again where the connection breaks.
    pub(crate) fn look(what: &'a str, script: &'a str) -> Self {
        Self { what, script, acts: false, is_uitest: false, limit: USUAL }
    }

    /// A line that does something: it is sent once.
    pub(crate) fn act(what: &'a str, script: &'a str) -> Self {
        Self { acts: true, ..Self::look(what, script) }
    }

    pub(crate) fn by_uitest(self) -> Self {
        Self { is_uitest: true, ..self }
    }

    pub(crate) fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }
}

type Turn = Arc<tokio::sync::Mutex<()>>;

/// The turns of the phones that this process drives, by their server and key: however often one is opened, it has one `uitest`.
static TURNS: Mutex<BTreeMap<(String, String), Turn>> = Mutex::new(BTreeMap::new());

#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) server: Server,
    pub(crate) key: String,
    /// Held while a `uitest` runs.
    pub(crate) turn: Turn,
    /// What its programs were found not to know: a text for the field that has the focus, and pictures as PNG.
    pub(crate) no_text: AtomicBool,
    pub(crate) no_png: AtomicBool,
}

impl Shell {
    pub(crate) fn new(server: Server, key: &str) -> Self {
        let of = (server.address().to_owned(), key.to_owned());
        let turn = Arc::clone(TURNS.lock().entry(of).or_default());
        Self { server, key: key.to_owned(), turn, no_text: false.into(), no_png: false.into() }
    }

    /// Runs a line; a `uitest` that another one kept from running did nothing, and is begun again for a while.
    pub(crate) fn run<'a>(&'a self, line: Line<'a>) -> Coming<'a, Vec<u8>, Error> {
        Box::pin(async move {
            let _turn = if line.is_uitest { Some(self.turn.lock().await) } else { None };
            let began = Instant::now();
            let mut is_again = false;
            loop {
                match self.server.shell(&self.key, line.what, line.script, line.limit).await {
                    Ok(said) if line.is_uitest && is_busy(&said) => {
                        if began.elapsed() > BUSY.min(line.limit) {
                            return Err(answer::failed(line.what, OTHER));
                        }
                    }
                    Ok(said) => return Ok(said),
                    Err(hdc::Error::Vanished { .. }) if !line.acts && !is_again => is_again = true,
                    Err(error) => return Err(if line.acts { unsure(error) } else { error.into() }),
                }
                sleep(PAUSE).await;
            }
        })
    }

    /// Runs a line that only looks, and returns what it said.
    pub(crate) async fn look(&self, what: &str, line: &str) -> Result<String, Error> {
        Ok(text(&self.run(Line::look(what, line)).await?))
    }

    /// Runs a line that does something, and returns what it said.
    pub(crate) async fn act(&self, what: &str, line: &str) -> Result<String, Error> {
        Ok(text(&self.run(Line::act(what, line)).await?))
    }

    /// Runs a line of so many inputs, each of which says that it was done.
    pub(crate) async fn input(&self, what: &str, line: &str, count: usize, limit: Duration) -> Result<(), Error> {
        let output = self.run(Line::act(what, line).by_uitest().within(limit)).await?;
        answer::inputs(what, &text(&output), count)
    }
}

/// Reads the error of a line that does something: where the answer is what is missing, it may have been done all the same.
fn unsure(error: hdc::Error) -> Error {
    let is_open = error.is_open();
    let told = format!("{error} (whether it was done is not known: it is not sent again)");
    match Error::from(error) {
        error if !is_open => error,
        Error::Disconnected { .. } => Error::Disconnected { message: told },
        _ => Error::Device { message: told },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// Starts a server that gives each request the next of these answers; returns the shell of its phone, and how often it was asked.
    async fn shell(answers: &'static [&'static str]) -> (Shell, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let shell = Shell::new(Server::new(listener.local_addr().unwrap().to_string()), "K");
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        tokio::spawn(async move {
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut greeting = b"\0\0\0\x2cOHOS HDC\0\0\0H".to_vec();
                greeting.resize(48, 0);
                stream.write_all(&greeting).await.unwrap();
                stream.read_exact(&mut greeting).await.unwrap();
                let mut request = vec![0; stream.read_u32().await.unwrap() as usize];
                stream.read_exact(&mut request).await.unwrap();
                counted.fetch_add(1, Ordering::Relaxed);
                let answer = format!("{answer}uixt-exit-code:0\n");
                stream.write_u32(u32::try_from(answer.len()).unwrap()).await.unwrap();
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        (shell, count)
    }

    #[tokio::test]
    async fn inputs_that_were_done_in_part_are_not_sent_again() {
        let (shell, count) = shell(&[
            "No Error\nDisallow concurrent use\nNo Error\n",
            "Disallow concurrent use\nDisallow concurrent use\nDisallow concurrent use\n",
            "No Error\nNo Error\nNo Error\n",
        ])
        .await;
        let limit = Duration::from_secs(20);
        let error = shell.input("uitest uiInput keyEvent", "keys", 3, limit).await.unwrap_err().to_string();
        assert!(error.contains("2 of 3 inputs were done, and are not sent again: Disallow"), "{error}");
        assert_eq!(count.load(Ordering::Relaxed), 1);
        shell.input("uitest uiInput keyEvent", "keys", 3, limit).await.unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn a_phone_that_is_opened_twice_has_one_turn() {
        let of = |address: &str, key| Shell::new(Server::new(address), key).turn;
        assert!(Arc::ptr_eq(&of("127.0.0.1:1", "K"), &of("127.0.0.1:1", "K")));
        assert!(!Arc::ptr_eq(&of("127.0.0.1:1", "K"), &of("127.0.0.1:1", "L")));
    }
}
