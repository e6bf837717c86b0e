//! Phones on USB, films of their screens, and the command that starts what runs on them: by daemons that a test makes up.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::driver::{Error, Gesture, Platform as _, Point, Reel};
use crate::plist;
use crate::testing::{Answer, serve};
use crate::{Address, Options, Platform};

const UDID: &str = "00008110-000E0000000E001E";

/// A multiplexer with one phone, whose port 8100 is this port of the computer, where there is one.
async fn multiplexer(wda: Option<u16>) -> Address {
    multiplexer_of(wda, watch::Sender::new(true)).await
}

/// A multiplexer whose phone, and whose streams to it, are there while this is true.
async fn multiplexer_of(wda: Option<u16>, is_plugged: watch::Sender<bool>) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(talk(stream, wda, is_plugged.subscribe()));
        }
    });
    Address::parse(&address.to_string())
}

async fn talk(mut stream: TcpStream, wda: Option<u16>, mut is_plugged: watch::Receiver<bool>) {
    let mut head = [0; 16];
    stream.read_exact(&mut head).await.unwrap();
    let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap());
    assert_eq!((word(4), word(8)), (1, 8));
    let mut body = vec![0; word(0) as usize - 16];
    stream.read_exact(&mut body).await.unwrap();
    let body = String::from_utf8(body).unwrap();
    let document = plist::document(&body).unwrap();
    let dict = plist::root(&document).unwrap();
    let (kind, port) = (plist::text(dict, "MessageType").unwrap().to_owned(), plist::number(dict, "PortNumber"));
    let result = |number: u32| {
        format!(
            "<dict><key>MessageType</key><string>Result</string><key>Number</key><integer>{number}</integer></dict>"
        )
    };
    match (kind.as_str(), port) {
        ("ListDevices", _) if !*is_plugged.borrow() => {
            answer(&mut stream, "<dict><key>DeviceList</key><array></array></dict>").await;
        }
        ("ListDevices", _) => {
            let device = format!(
                "<dict><key>DeviceID</key><integer>7</integer><key>MessageType</key><string>Attached</string><key>Properties</key><dict>\
                 <key>ConnectionType</key><string>USB</string><key>DeviceID</key><integer>7</integer><key>SerialNumber</key><string>{UDID}</string></dict></dict>"
            );
            answer(&mut stream, &format!("<dict><key>DeviceList</key><array>{device}</array></dict>")).await;
        }
        // 62078 and 8100, the highest byte first.
        ("Connect", Some(32498)) => {
            answer(&mut stream, &result(0)).await;
            lockdown(stream).await;
        }
        ("Connect", Some(42015)) if wda.is_some() => {
            answer(&mut stream, &result(0)).await;
            let mut to = TcpStream::connect(("127.0.0.1", wda.unwrap())).await.unwrap();
            tokio::select! {
                _ = copy_bidirectional(&mut stream, &mut to) => {}
                _ = is_plugged.wait_for(|is_plugged| !is_plugged) => {}
            }
        }
        ("Connect", Some(_)) => answer(&mut stream, &result(3)).await,
        ("Listen", _) => {
            answer(&mut stream, &result(0)).await;
            answer(&mut stream, "<dict><key>MessageType</key><string>Attached</string></dict>").await;
            let _ = stream.read_u8().await;
        }
        other => panic!("{other:?}"),
    }
}

async fn answer(stream: &mut TcpStream, dict: &str) {
    let text = document(dict);
    let head = [u32::try_from(text.len()).unwrap() + 16, 1, 8, 1];
    let bytes = [head.into_iter().flat_map(u32::to_le_bytes).collect(), text.into_bytes()].concat();
    stream.write_all(&bytes).await.unwrap();
}

fn document(dict: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n{dict}\n</plist>\n"
    )
}

async fn lockdown(mut stream: TcpStream) {
    while let Ok(length) = stream.read_u32().await {
        let mut body = vec![0; length as usize];
        stream.read_exact(&mut body).await.unwrap();
        let body = String::from_utf8(body).unwrap();
        let request = plist::document(&body).unwrap();
        let value = match plist::text(plist::root(&request).unwrap(), "Key").unwrap() {
            "DeviceName" => "Ann’s iPhone",
            "ProductType" => "iPhone14,5",
            "ProductVersion" => "18.5",
            other => panic!("{other}"),
        };
        let text = document(&format!("<dict><key>Value</key><string>{value}</string></dict>"));
        stream.write_u32(u32::try_from(text.len()).unwrap()).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
    }
}

fn options(usbmux: Address) -> Options {
    Options { usbmux, xcrun: "/nowhere/xcrun".to_owned(), ..Options::default() }
}

#[tokio::test]
async fn a_phone_on_usb_is_listed_by_its_name_and_driven_without_a_port_of_this_computer() {
    let (port, log) = serve(|_, _| Answer::Usual).await;
    let platform = Platform::new(options(multiplexer(Some(port)).await));
    let listed = platform.list().await.unwrap();
    let [device] = &listed[..] else { panic!("{listed:?}") };
    assert_eq!((device.serial.as_str(), device.status.as_str()), (UDID, "online"));
    assert_eq!(device.name, "Ann’s iPhone, iPhone14,5, iOS 18.5");
    assert!(platform.absent().is_none(), "another one is missing, not every one");
    let phone = platform.open(device).await.unwrap();
    assert_eq!(phone.screen().await.unwrap().package, "com.uixt.shop");
    assert_eq!(log.count("POST /session"), 1);
    let mut changes = platform.changes().unwrap();
    tokio::time::timeout(Duration::from_secs(20), changes.changed()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_phone_that_is_unplugged_in_a_touch_is_the_cause() {
    let is_plugged = watch::Sender::new(true);
    let cable = is_plugged.clone();
    let (port, log) = serve(move |line, _| match line {
        "POST S/actions" => {
            cable.send_replace(false);
            Answer::Close
        }
        _ => Answer::Usual,
    })
    .await;
    let platform = Platform::new(options(multiplexer_of(Some(port), is_plugged).await));
    let device = platform.list().await.unwrap().remove(0);
    let phone = platform.open(&device).await.unwrap();
    let tap = Gesture::Tap { at: Point { x: 9.0, y: 9.0 }, hold: Duration::ZERO };
    let error = phone.perform(tap).await.unwrap_err().to_string();
    let told = "it may have been done, and may not: it is not sent again; the phone 00008110-000E0000000E001E is not on USB: plug it in";
    assert!(error.contains(told), "{error}");
    assert_eq!(log.count("POST S/actions"), 1);
}

#[tokio::test]
async fn what_is_missing_is_told_apart() {
    let platform = Platform::new(options(multiplexer(None).await));
    let device = platform.list().await.unwrap().remove(0);
    assert_eq!(device.status, "no WebDriverAgent");
    let said = |opened: Result<Arc<dyn crate::driver::Driver>, Error>| match opened {
        Ok(_) => panic!("it was opened"),
        Err(error) => error.to_string(),
    };
    let error = said(platform.open(&device).await);
    assert!(error.contains("is there, and no WebDriverAgent runs on its port 8100: start it"), "{error}");
    let mut other = device.clone();
    other.serial = "00008110-0000000000000000".to_owned();
    assert!(said(platform.open(&other).await).contains("is not on USB: plug it in"));
    let none = Platform::new(options(Address::parse("/nowhere/usbmuxd")));
    assert!(none.list().await.unwrap().is_empty());
    let error = none.absent().unwrap().to_string();
    assert!(error.contains("usbmuxd does not answer at /nowhere/usbmuxd (there is no such socket)"), "{error}");
    assert!(said(none.open(&device).await).contains("usbmuxd does not answer"));
}

#[tokio::test]
async fn phones_on_the_network_are_those_that_are_named() {
    let (port, _) = serve(|_, _| Answer::Usual).await;
    let platform = Platform::new(options(Address::parse("/nowhere/usbmuxd")));
    assert!(platform.list().await.unwrap().is_empty());
    let url = format!("http://127.0.0.1:{port}");
    platform.seek(&url);
    platform.seek("http://127.0.0.1:1/");
    platform.seek("00008110-0000000000000000");
    let listed = platform.list().await.unwrap();
    let told: Vec<(&str, &str)> = listed.iter().map(|one| (one.serial.as_str(), one.status.as_str())).collect();
    assert_eq!(told, [(url.as_str(), "online"), ("http://127.0.0.1:1", "no WebDriverAgent")]);
    assert_eq!(listed[0].name, "iPhone, iOS 18.5");
    assert!(platform.open(&listed[0]).await.is_ok());
}

/// Takes pictures until it has enough.
#[derive(Default)]
struct Frames(Mutex<Vec<Vec<u8>>>);

#[async_trait]
impl Reel for Frames {
    async fn ended(&self) {
        std::future::pending::<()>().await;
    }

    fn is_wanted(&self) -> bool {
        true
    }

    fn frame(&self, jpeg: &[u8], _: SystemTime) -> bool {
        let mut frames = self.0.lock();
        frames.push(jpeg.to_vec());
        frames.len() < 3
    }

    fn next_part(&self) -> Option<PathBuf> {
        None
    }

    fn part(&self, _: &Path, _: SystemTime, _: Duration) {}
}

#[tokio::test]
async fn a_film_is_made_of_the_pictures_that_come_though_the_stream_breaks_off() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        for number in 0_u8.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            assert_eq!(stream.read_u8().await.unwrap(), b'G', "nothing comes before the client has said something");
            let head = "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n";
            stream.write_all(head.as_bytes()).await.unwrap();
            // The second is the same, and shows nothing new.
            for picture in [[number; 5], [number; 5]] {
                let head = "--BoundaryString\r\nContent-type: image/jpeg\r\nContent-Length: 5\r\n\r\n";
                stream.write_all(&[head.as_bytes(), &picture, b"\r\n\r\n"].concat()).await.unwrap();
            }
        }
    });
    let (wda, _) = serve(|_, _| Answer::Usual).await;
    let url = format!("http://127.0.0.1:{wda}");
    let options = Options { urls: vec![url.clone()], mjpeg_port: port, ..options(Address::parse("/nowhere/usbmuxd")) };
    let platform = Platform::new(options);
    let device = platform.list().await.unwrap().remove(0);
    let phone = platform.open(&device).await.unwrap();
    let frames = Frames::default();
    tokio::time::timeout(Duration::from_secs(30), phone.film(&frames)).await.unwrap().unwrap();
    assert_eq!(*frames.0.lock(), [vec![0; 5], vec![1; 5], vec![2; 5]]);
}

#[cfg(unix)]
#[tokio::test]
async fn the_command_that_starts_it_is_waited_for_and_ended_with_all_that_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let (mark, free) = (folder.path().join("mark"), std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let port = free.local_addr().unwrap().port();
    drop(free);
    let shown = mark.display();
    let url = format!("http://127.0.0.1:{port}");
    let start = |command: String| {
        let options =
            Options { urls: vec![url.clone()], start: Some(command), ..options(Address::parse("/nowhere/usbmuxd")) };
        Platform::new(options)
    };
    let failing = start("echo no profile of $UDID >&2; exit 7".to_owned());
    let device = failing.list().await.unwrap().remove(0);
    let Err(error) = failing.open(&device).await else { panic!("it was opened") };
    assert!(error.to_string().contains("ended with exit status: 7; it said last: no profile of http"), "{error}");
    // The server is the test's own, and comes once the command has begun.
    let platform = start(format!(
        "sleep 600 & echo $! > {shown}; echo 'ServerURLHere->http://10.0.0.7:8100<-ServerURLHere'; wait"
    ));
    let begun = mark.clone();
    let serving = tokio::spawn(async move {
        while !std::fs::read_to_string(&begun).is_ok_and(|text| text.ends_with('\n')) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        while let Ok((mut stream, _)) = listener.accept().await {
            let body = "{\"value\":{\"ready\":true}}";
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            let _ = stream.read_u8().await;
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.read_to_end(&mut Vec::new()).await;
        }
    });
    let phone = platform.open(&device).await.unwrap();
    let child = std::fs::read_to_string(&mark).unwrap().trim().to_owned();
    let runs = || Path::new(&format!("/proc/{child}")).exists();
    assert!(runs() || !cfg!(target_os = "linux"));
    phone.close().await;
    let gone = async {
        while runs() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone).await.unwrap();
    serving.abort();
}
