//! The agent: a file that the user names, which `uitest` loads on the phone, and which turns the screen and touches it with several fingers.
//!
//! Its calls are JSON, one a line, or between a head with a number and a length and a tail; it listens on a port of the phone or on a
//! local socket, by its version. All that needs no agent goes by the command line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};
use uixt_hdc::Coming;

use crate::driver::{Error, Point, Size, Stop};
use crate::shell::Shell;
use crate::{files, gesture};

const HEAD: &[u8] = b"_uitestkit_rpc_message_head_";
const TAIL: &[u8] = b"_uitestkit_rpc_message_tail_";
/// Where the phone's `uitest` looks for it.
const REMOTE: &str = "/data/local/tmp/agent.so";
/// Where it listens.
const PLACES: [&str; 2] = ["tcp:8012", "localabstract:uitest_socket"];
/// How long it may take to come up, to answer, and the pause between two tries.
const STARTING: u32 = 20;
const ANSWER: Duration = Duration::from_secs(15);
const FIRST_ANSWER: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(250);
/// Bytes of an answer.
const LONGEST: usize = 16 << 20;
/// What a point's x holds of its time, points between two stops, and how long a finger takes from one to the next.
const TIME: f64 = 65_536.0;
const POINTS: u32 = 10;
const STEP: Duration = Duration::from_millis(15);

/// The agent of one phone.
#[derive(Debug)]
pub(crate) struct Agent {
    file: PathBuf,
    /// None before it is asked. Where it does not answer, there is the reason, and it is not asked again.
    state: Mutex<Option<Result<Line, String>>>,
}

/// A connection to it.
#[derive(Debug)]
struct Line {
    stream: TcpStream,
    /// The port here that leads to it, and where that is on the phone.
    port: u16,
    place: &'static str,
    is_framed: bool,
    number: u32,
}

impl Agent {
    pub(crate) fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), state: Mutex::default() }
    }

    /// Calls it, once it is there; what acts, and has no answer, may have been done. Where it breaks off it is not asked again.
    fn call<'a>(
        &'a self,
        shell: &'a Shell,
        api: &'a str,
        this: Value,
        arguments: Value,
        limit: Duration,
    ) -> Coming<'a, Value, Error> {
        Box::pin(async move {
            let mut state = self.state.lock().await;
            let now = match state.take() {
                Some(now) => now,
                None => start(shell, &self.file).await,
            };
            let mut line = match now {
                Ok(line) => line,
                Err(why) => {
                    let error = self.gone(&why);
                    *state = Some(Err(why));
                    return Err(error);
                }
            };
            // Who gives up meanwhile leaves an answer behind, which is none to the next call: that has a connection of its own.
            match line.ask(api, this, arguments, limit).await {
                Ok(answer) => {
                    *state = Some(Ok(line));
                    answer.map_err(|why| Error::Device { message: format!("the agent refused {api}: {why}") })
                }
                Err(why) => {
                    tracing::warn!(why, api, "the agent broke off: what needs none goes on by the command line");
                    unforward(shell, line.port, line.place).await;
                    let why = format!("it broke off at {api}: {why}");
                    let unsure = format!("{why} (whether it was done is not known: it is not sent again)");
                    *state = Some(Err(why));
                    Err(self.gone(&unsure))
                }
            }
        })
    }

    fn gone(&self, why: &str) -> Error {
        let message = format!(
            "the agent `{}` does not work on this phone: {why}; name one that fits its uitest, or none (`config: {{harmony: {{agent: FILE}}}}`)",
            self.file.display()
        );
        Error::Device { message }
    }

    /// Takes back what leads to it; it is started anew when it is asked again.
    pub(crate) async fn close(&self, shell: &Shell) {
        if let Some(Ok(line)) = self.state.lock().await.take() {
            unforward(shell, line.port, line.place).await;
        }
    }

    /// Returns by how many quarters the screen is turned.
    pub(crate) async fn rotation(&self, shell: &Shell) -> Result<u64, Error> {
        let told = self.call(shell, "Driver.getDisplayRotation", json!("Driver#0"), json!([]), ANSWER).await?;
        told.as_u64().filter(|quarters| *quarters < 4).ok_or_else(|| self.gone(&format!("it told the rotation {told}")))
    }

    pub(crate) async fn rotate(&self, shell: &Shell, quarters: u64) -> Result<(), Error> {
        self.call(shell, "Driver.setDisplayRotation", json!("Driver#0"), json!([quarters]), ANSWER).await.map(drop)
    }

    /// Draws fingers along their points, each with the time until the next one.
    async fn draw(&self, shell: &Shell, size: Option<Size>, fingers: &[Vec<(Point, Duration)>]) -> Result<(), Error> {
        let first = fingers.first().map_or(&[][..], Vec::as_slice);
        let limit = ANSWER + first.iter().map(|(_, rest)| *rest).sum::<Duration>();
        let _turn = shell.turn.lock().await;
        let matrix =
            self.call(shell, "PointerMatrix.create", Value::Null, json!([fingers.len(), first.len()]), ANSWER).await?;
        for (finger, points) in fingers.iter().enumerate() {
            for (step, (at, rest)) in points.iter().enumerate() {
                let at = gesture::within(*at, size)?;
                let ms = f64::from(u32::try_from(rest.as_millis()).unwrap_or(u32::MAX));
                let place = json!([finger, step, {"x": at.x + TIME * ms, "y": at.y}]);
                self.call(shell, "PointerMatrix.setPoint", matrix.clone(), place, ANSWER).await?;
            }
        }
        let all = json!([matrix, 2000]);
        self.call(shell, "Driver.injectMultiPointerAction", json!("Driver#0"), all, limit).await.map(drop)
    }

    /// Draws two fingers beside a point from one distance to another.
    pub(crate) async fn pinch(
        &self,
        shell: &Shell,
        size: Option<Size>,
        (at, from, to): (Point, f64, f64),
        duration: Duration,
    ) -> Result<(), Error> {
        let finger = |side: f64| -> Vec<(Point, Duration)> {
            let point = |step: u32| {
                let distance = from + (to - from) * f64::from(step) / f64::from(POINTS);
                (Point { x: at.x + side * distance, y: at.y }, duration / POINTS)
            };
            (0..=POINTS).map(point).collect()
        };
        self.draw(shell, size, &[finger(-1.0), finger(1.0)]).await
    }

    /// Draws a finger by all stops, and rests at each as long as it says.
    pub(crate) async fn path(&self, shell: &Shell, size: Option<Size>, stops: &[Stop]) -> Result<(), Error> {
        self.draw(shell, size, &[points(stops)]).await
    }
}

/// Returns the points of a finger that comes by all stops.
fn points(stops: &[Stop]) -> Vec<(Point, Duration)> {
    let mut points = Vec::new();
    for pair in stops.windows(2) {
        let [before, after] = pair else { continue };
        points.push((before.at, before.rest.max(STEP)));
        let between = |step: u32| {
            let part = f64::from(step) / f64::from(POINTS);
            Point {
                x: before.at.x + (after.at.x - before.at.x) * part,
                y: before.at.y + (after.at.y - before.at.y) * part,
            }
        };
        points.extend((1..POINTS).map(|step| (between(step), STEP)));
    }
    points.extend(stops.last().map(|last| (last.at, last.rest)));
    points
}

fn is_library(file: &Path) -> bool {
    let mut head = [0; 4];
    let read = std::fs::File::open(file).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut head));
    read.is_ok() && head == *b"\x7fELF"
}

/// Brings the file to the phone, has it loaded, and connects; says why it could not.
async fn start(shell: &Shell, file: &Path) -> Result<Line, String> {
    if !shell.server.is_here() {
        return Err(ELSEWHERE.to_owned());
    }
    if !is_library(file) {
        return Err("it is no library of the phone's system, which begins as ELF".to_owned());
    }
    let told = |error: Error| error.to_string();
    let size = tokio::fs::metadata(file).await.map_err(|error| format!("it cannot be read: {error}"))?.len();
    if files::size(shell, REMOTE).await.map_err(told)? != Some(size) {
        // One that runs goes on with the file that it has loaded.
        let running = shell.look("ps", "ps -ef").await.map_err(told)?;
        for number in running.lines().filter(|line| line.contains(DAEMON)).filter_map(process) {
            shell.act("kill", &format!("kill -9 {number}")).await.map_err(told)?;
        }
        files::push(shell, file, REMOTE).await.map_err(told)?;
        shell.act("chmod", &format!("chmod +x {REMOTE}")).await.map_err(told)?;
    }
    shell.act("uitest start-daemon", DAEMON).await.map_err(told)?;
    let mut why = String::new();
    for place in PLACES {
        let port = shell.server.forward(&shell.key, place).await.map_err(|error| error.to_string())?;
        let tries = if place == PLACES[0] { STARTING / 2 } else { STARTING };
        for is_framed in [true, false] {
            for _ in 0..tries {
                match connect(port, place, is_framed).await {
                    Ok(line) => return Ok(line),
                    Err((is_silent, what)) => {
                        why = format!("{place}: {what}");
                        // Who takes a call and says nothing does not know its form.
                        if is_silent {
                            break;
                        }
                    }
                }
                sleep(PAUSE).await;
            }
        }
        unforward(shell, port, place).await;
    }
    Err(why)
}

/// Returns the number of a process in a line of `ps -ef`: it stands behind its user.
fn process(line: &str) -> Option<u32> {
    line.split_whitespace().nth(1)?.parse().ok()
}

async fn unforward(shell: &Shell, port: u16, place: &str) {
    if let Err(error) = shell.server.unforward(&shell.key, port, place).await {
        tracing::debug!(%error, place, "a forward was left");
    }
}

/// Connects, and asks for the driver; tells whether it was silence that failed it.
async fn connect(port: u16, place: &'static str, is_framed: bool) -> Result<Line, (bool, String)> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.map_err(|error| (false, error.to_string()))?;
    let mut line = Line { stream, port, place, is_framed, number: 0 };
    match line.ask("Driver.create", Value::Null, json!([]), FIRST_ANSWER).await {
        Ok(Ok(_)) => Ok(line),
        Ok(Err(refused)) => Err((true, refused)),
        Err(why) => Err((why == SILENT, why)),
    }
}

const ELSEWHERE: &str =
    "the hdc server is on another computer, and its ways to the phone end there: run uixt on that one";
/// What loads it, as it stands in the list of processes, too.
const DAEMON: &str = "uitest start-daemon singleness";
const SILENT: &str = "no answer";

impl Line {
    /// Calls; the outer error is the connection's, the inner one the agent's own.
    async fn ask(
        &mut self,
        api: &str,
        this: Value,
        arguments: Value,
        limit: Duration,
    ) -> Result<Result<Value, String>, String> {
        self.number += 1;
        let call = json!({
            "module": "com.ohos.devicetest.hypiumApiHelper",
            "method": "callHypiumApi",
            "params": {"api": api, "this": this, "args": arguments, "message_type": "hypium"},
            "request_id": format!("uixt{}", self.number),
        });
        let answer = timeout(limit, self.exchange(&call.to_string())).await.map_err(|_| SILENT.to_owned())?;
        let answer: Value =
            serde_json::from_slice(&answer?).map_err(|error| format!("its answer is no JSON: {error}"))?;
        Ok(match &answer["exception"] {
            Value::Null => Ok(answer["result"].clone()),
            exception => Err(exception["message"].as_str().map_or_else(|| exception.to_string(), str::to_owned)),
        })
    }

    async fn exchange(&mut self, call: &str) -> Result<Vec<u8>, String> {
        let said = |error: std::io::Error| error.to_string();
        let length = u32::try_from(call.len()).unwrap_or(u32::MAX).to_be_bytes();
        let sent = match self.is_framed {
            true => [HEAD, &self.number.to_be_bytes(), &length, call.as_bytes(), TAIL].concat(),
            false => [call.as_bytes(), b"\n"].concat(),
        };
        self.stream.write_all(&sent).await.map_err(said)?;
        let mut read = Vec::new();
        loop {
            if self.stream.read_buf(&mut read).await.map_err(said)? == 0 {
                return Err("it closed the connection".to_owned());
            }
            if let Some(answer) = whole(&read, self.is_framed) {
                return Ok(answer.to_vec());
            }
            if read.len() > LONGEST {
                return Err("its answer has no end".to_owned());
            }
        }
    }
}

/// Returns an answer that has come whole.
fn whole(read: &[u8], is_framed: bool) -> Option<&[u8]> {
    if !is_framed {
        return read.strip_suffix(b"\n").or_else(|| {
            let is_json = || serde_json::from_slice::<Value>(read).is_ok();
            (read.ends_with(b"}") && is_json()).then_some(read)
        });
    }
    let start = HEAD.len() + 8;
    let length = u32::from_be_bytes(read.get(start - 4..start)?.try_into().ok()?) as usize;
    let end = start.checked_add(length)?;
    read.get(..end.checked_add(TAIL.len())?)?;
    read.get(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_whole_in_either_form() {
        let framed = [HEAD, &[0, 0, 0, 1], &[0, 0, 0, 2], b"{}", TAIL].concat();
        for length in 0..framed.len() {
            assert_eq!(whole(&framed[..length], true), None);
        }
        assert_eq!(whole(&framed, true), Some(&b"{}"[..]));
        assert_eq!((whole(b"{\"a\":1}\n", false), whole(b"{\"a\"", false)), (Some(&b"{\"a\":1}"[..]), None));
        assert_eq!(whole(b"{\"a\":1}", false), Some(&b"{\"a\":1}"[..]));
    }

    #[test]
    fn a_process_has_its_number_behind_its_user() {
        let line = "shell         4711     1 0 10:20:30 ?     00:00:00 uitest start-daemon singleness";
        assert_eq!((process(line), process("UID PID"), process("")), (Some(4711), None, None));
    }

    #[test]
    fn a_finger_comes_by_every_stop_and_rests_there() {
        let stop = |x: f64, ms| Stop { at: Point { x, y: 5.0 }, rest: Duration::from_millis(ms) };
        let points = points(&[stop(0.0, 700), stop(100.0, 0), stop(50.0, 30)]);
        assert_eq!(points.len(), 21);
        assert_eq!(points[0], (Point { x: 0.0, y: 5.0 }, Duration::from_millis(700)));
        assert_eq!((points[10].0.x, points[20]), (100.0, (Point { x: 50.0, y: 5.0 }, Duration::from_millis(30))));
    }
}
