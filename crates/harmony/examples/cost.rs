//! What the driver adds to an hdc server's own answers: to a touch, and to a look at 400 elements.
//!
//! `cost [TIMES]`; 2000 where nothing is said. The server is a thread of this process that answers at once; what is compared is the same
//! command over a plain socket. Each line of what is printed is a figure's name, a tab, and the figure.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use uixt_driver::exit_mark::MARK;
use uixt_driver::{Driver, Gesture, Point, Registry};
use uixt_harmony::{Options, Platform};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Rows of the screen, of four elements each.
const ROWS: usize = 100;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let times: usize = std::env::args().nth(1).map_or(Ok(2000), |number| number.parse())?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let screen = Arc::new(screen());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let screen = Arc::clone(&screen);
            std::thread::spawn(move || serve(stream, &screen));
        }
    });
    let options = Options { server: Some(address.to_string()), ..Options::default() };
    let registry = Registry::new(vec![Box::new(Platform::new(&options))]);
    let driver = registry.open(Some("harmony"), None).await?;

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..times {
        ours.push(timed(touch(driver.as_ref())).await?);
        theirs.push(ask(address, "shell uitest uiInput click 300 300")?);
    }
    tell("tap", &mut ours, &mut theirs);

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..times.div_ceil(10) {
        ours.push(timed(look(driver.as_ref())).await?);
        theirs.push(ask(address, "shell uitest dumpLayout")?);
    }
    tell("look", &mut ours, &mut theirs);
    Ok(())
}

async fn timed(act: impl Future<Output = Result<(), Failure>>) -> Result<Duration, Failure> {
    let began = Instant::now();
    act.await?;
    Ok(began.elapsed())
}

async fn touch(driver: &dyn Driver) -> Result<(), Failure> {
    Ok(driver.perform(Gesture::Tap { at: Point { x: 300.0, y: 300.0 }, hold: Duration::ZERO }).await?)
}

async fn look(driver: &dyn Driver) -> Result<(), Failure> {
    let screen = driver.screen().await?;
    let mut count = 0;
    screen.roots.iter().for_each(|root| root.walk(&mut |_| count += 1));
    if count < 4 * ROWS { Err(format!("{count} elements").into()) } else { Ok(()) }
}

/// Asks the server over a plain socket; returns how long that took.
fn ask(server: SocketAddr, command: &str) -> Result<Duration, Failure> {
    let began = Instant::now();
    let mut stream = TcpStream::connect(server)?;
    stream.set_nodelay(true)?;
    let greeting = read(&mut stream).ok_or("the server is gone")?;
    send(&mut stream, &greeting)?;
    send(&mut stream, command.as_bytes())?;
    while read(&mut stream).is_some() {}
    Ok(began.elapsed())
}

/// Prints medians and 99th percentiles in milliseconds, and what is ours of them.
fn tell(name: &str, ours: &mut [Duration], theirs: &mut [Duration]) {
    for (word, percent) in [("median", 50), ("p99", 99)] {
        let of = |times: &mut [Duration]| {
            times.sort_unstable();
            times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3
        };
        let (all, plain) = (of(ours), of(theirs));
        println!(
            "{name}_{word}_ms\t{all:.3}\n{name}_{word}_plain_ms\t{plain:.3}\n{name}_{word}_added_ms\t{:.3}",
            all - plain
        );
    }
}

/// Answers as an hdc server does, at once.
fn serve(mut stream: TcpStream, screen: &str) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut greeting = [0; 44];
    greeting[..12].copy_from_slice(b"OHOS HDC\0\0\0H");
    send(&mut stream, &greeting).ok()?;
    read(&mut stream)?;
    let command = String::from_utf8_lossy(&read(&mut stream)?).into_owned();
    let done = match () {
        () if command.starts_with("list targets") => "FMR0223C13000649\t\tUSB\tConnected\tlocalhost\thdc\n".to_owned(),
        () if command.contains("dumpLayout") => format!("DumpLayout saved to:x\n{screen}\n{MARK}0\n"),
        () => format!("No Error\n{MARK}0\n"),
    };
    send(&mut stream, done.as_bytes()).ok()
}

fn send(stream: &mut TcpStream, message: &[u8]) -> std::io::Result<()> {
    let length = u32::try_from(message.len()).unwrap_or(0).to_be_bytes();
    stream.write_all(&[&length, message].concat())
}

fn read(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut message = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut message).ok()?;
    Some(message)
}

/// Writes a screen as `uitest dumpLayout` tells it.
fn screen() -> String {
    let node = |kind: &str, text: &str, (left, top, right, bottom): (usize, usize, usize, usize), children: &str| {
        let bounds = format!("[{left},{top}][{right},{bottom}]");
        format!(
            r#"{{"attributes":{{"accessibilityId":"1","bounds":"{bounds}","origBounds":"{bounds}","checkable":"false","checked":"false","clickable":"{}","enabled":"true","focused":"false","hint":"","id":"","key":"","longClickable":"false","scrollable":"false","selected":"false","text":"{text}","type":"{kind}","visible":"true"}},"children":[{children}]}}"#,
            kind == "Button"
        )
    };
    let mut rows = String::new();
    for row in 0..ROWS {
        let (top, bottom) = (150 + row * 21, 170 + row * 21);
        let parts = [
            node("Text", &format!("Shoes {row}"), (60, top, 300, bottom), ""),
            node("Text", &format!("$ {row}"), (600, top, 800, bottom), ""),
            node("Button", &format!("Buy {row}"), (900, top, 1100, bottom), ""),
        ];
        let comma = if row == 0 { "" } else { "," };
        write!(rows, "{comma}{}", node("ListItem", "", (0, top, 1260, bottom), &parts.join(","))).unwrap_or_default();
    }
    let whole = (0, 0, 1260, 2720);
    let list = node("List", "", whole, &rows);
    let root = node("root", "", whole, &list).replacen(
        r#""accessibilityId":"1""#,
        r#""bundleName":"com.example.shop","abilityName":"EntryAbility""#,
        1,
    );
    node("", "", whole, &root)
}
