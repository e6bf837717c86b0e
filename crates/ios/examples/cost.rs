//! What the driver adds to `WebDriverAgent`'s own answers: to a touch, and to a look at 400 elements.
//!
//! `cost [TIMES]`; 2000 where nothing is said. The server is a thread of this process that answers at once; what is compared is the same
//! request over a plain socket. Each line of what is printed is a figure's name, a tab, and the figure.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use uixt_driver::{Driver, Gesture, Point, Registry};
use uixt_ios::{Options, Platform};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Rows of the screen, of four elements each.
const ROWS: usize = 100;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let times: usize = std::env::args().nth(1).map_or(Ok(2000), |number| number.parse())?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(|| serve(stream));
        }
    });
    let registry = Registry::new(vec![Box::new(Platform::new(Options::default()))]);
    let driver = registry.open(Some("ios"), Some(&format!("http://{address}"))).await?;
    let mut plain = BufReader::new(TcpStream::connect(address)?);
    plain.get_ref().set_nodelay(true)?;

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..times {
        ours.push(timed(touch(driver.as_ref())).await?);
        theirs.push(ask(&mut plain, "POST", "/session/s/actions")?);
    }
    tell("tap", &mut ours, &mut theirs);

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..times.div_ceil(10) {
        // After a touch nothing that was seen before counts.
        touch(driver.as_ref()).await?;
        ours.push(timed(look(driver.as_ref())).await?);
        theirs.push(ask(&mut plain, "GET", "/session/s/source")?);
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
fn ask(server: &mut BufReader<TcpStream>, method: &str, path: &str) -> Result<Duration, Failure> {
    let began = Instant::now();
    write!(server.get_mut(), "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}")?;
    read(server).ok_or("the server is gone")?;
    Ok(began.elapsed())
}

/// Prints medians and 99th percentiles in milliseconds, and what is ours of them.
fn tell(name: &str, ours: &mut [Duration], theirs: &mut [Duration]) {
    for (word, part) in [("median", 0.5), ("p99", 0.99)] {
        let of = |times: &mut [Duration]| {
            times.sort_unstable();
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a position in a list"
            )]
            let at = (times.len() as f64 * part) as usize;
            times[at.min(times.len() - 1)].as_secs_f64() * 1e3
        };
        let (all, plain) = (of(ours), of(theirs));
        println!(
            "{name}_{word}_ms\t{all:.3}\n{name}_{word}_plain_ms\t{plain:.3}\n{name}_{word}_added_ms\t{:.3}",
            all - plain
        );
    }
}

/// Answers as `WebDriverAgent` does, at once.
fn serve(stream: TcpStream) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut stream = BufReader::new(stream);
    let source = format!(r#"{{"value":{}}}"#, screen());
    let picture = format!(r#"{{"value":"{}"}}"#, picture()?);
    loop {
        let (head, _) = read(&mut stream)?;
        let answer = match head.split(' ').nth(1)?.split('?').next()? {
            "/session" => r#"{"value":{"sessionId":"s","capabilities":{}},"sessionId":"s"}"#,
            "/status" => r#"{"value":{"ready":true,"os":{"version":"18.5"},"device":"iphone"}}"#,
            path if path.ends_with("/source") => &source,
            path if path.ends_with("/screenshot") => &picture,
            path if path.ends_with("/window/size") => r#"{"value":{"width":390,"height":844}}"#,
            path if path.ends_with("/wda/screen") => r#"{"value":{"scale":3}}"#,
            path if path.ends_with("/activeAppInfo") => r#"{"value":{"pid":1,"bundleId":"com.example.shop"}}"#,
            path if path.ends_with("/locked") => r#"{"value":false}"#,
            path if path.ends_with("/alert/text") => {
                let error = r#"{"value":{"error":"no such alert","message":"","traceback":""}}"#;
                let length = error.len();
                write!(stream.get_mut(), "HTTP/1.1 404 Not Found\r\nContent-Length: {length}\r\n\r\n{error}").ok()?;
                continue;
            }
            _ => r#"{"value":null}"#,
        };
        write!(stream.get_mut(), "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{answer}", answer.len()).ok()?;
    }
}

/// Reads a message; returns its head and its body.
fn read(stream: &mut BufReader<TcpStream>) -> Option<(String, Vec<u8>)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let lower = head.to_ascii_lowercase();
    let length =
        lower.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(Some(0), |text| text.parse().ok());
    let mut body = vec![0; length?];
    stream.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// Draws a screen that is black, as a PNG in base64.
fn picture() -> Option<String> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 1170, 2532);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().ok()?.write_image_data(&vec![0; 1170 * 2532]).ok()?;
    Some(STANDARD.encode(bytes))
}

/// Writes a screen as `/source` tells it in JSON.
fn screen() -> String {
    let element = |kind: &str, name: &str, (x, y, width, height): (i32, i32, i32, i32), children: &str| {
        format!(
            r#"{{"type":"{kind}","rawIdentifier":null,"name":"{name}","value":null,"label":"{name}","rect":{{"x":{x},"y":{y},"width":{width},"height":{height}}},"isEnabled":"1","isVisible":"1","isAccessible":"1","isFocused":"0","traits":"{kind}","children":[{children}]}}"#
        )
    };
    let mut rows = String::new();
    for row in 0..ROWS {
        let y = 50 + i32::try_from(row).unwrap_or(0) * 7;
        let parts = [
            element("StaticText", &format!("Shoes {row}"), (20, y, 90, 7), ""),
            element("StaticText", &format!("$ {row}"), (200, y, 90, 7), ""),
            element("Button", &format!("Buy {row}"), (300, y, 60, 7), ""),
        ];
        let comma = if row == 0 { "" } else { "," };
        let cell = element("Cell", &format!("Row {row}"), (0, y, 390, 7), &parts.join(","));
        write!(rows, "{comma}{cell}").unwrap_or_default();
    }
    let whole = (0, 0, 390, 844);
    element("Application", "Shop", whole, &element("Window", "", whole, &element("Table", "", whole, &rows)))
}
