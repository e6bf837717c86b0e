//! The phone through usbmuxd, and its moving picture.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::super::{Iphone, IphoneOptions, Usbmuxd};

const PATIENCE: Duration = Duration::from_mins(1);

/// A client of usbmuxd.
struct Client(TcpStream);

impl Client {
    async fn new(usbmuxd: &Usbmuxd) -> Self {
        Self(TcpStream::connect(usbmuxd.address()).await.unwrap())
    }

    async fn ask(&mut self, message: &str) -> String {
        self.ask_as(1, message).await
    }

    async fn ask_as(&mut self, version: u32, message: &str) -> String {
        let text = format!("<plist version=\"1.0\"><dict>{message}</dict></plist>");
        let length = u32::try_from(text.len() + 16).unwrap();
        for word in [length, version, 8, 77] {
            self.0.write_u32_le(word).await.unwrap();
        }
        self.0.write_all(text.as_bytes()).await.unwrap();
        self.told(77).await
    }

    async fn told(&mut self, expected: u32) -> String {
        let mut words = [0; 4];
        for word in &mut words {
            *word = timeout(PATIENCE, self.0.read_u32_le()).await.unwrap().unwrap();
        }
        assert_eq!(words[1..], [1, 8, expected]);
        let mut bytes = vec![0; words[0] as usize - 16];
        self.0.read_exact(&mut bytes).await.unwrap();
        String::from_utf8(bytes).unwrap()
    }

    async fn connect(usbmuxd: &Usbmuxd, device: u64, port: u16) -> (Self, String) {
        let mut client = Self::new(usbmuxd).await;
        let port = port.swap_bytes();
        let message = format!(
            "<key>MessageType</key><string>Connect</string><key>DeviceID</key><integer>{device}</integer>\
             <key>PortNumber</key><integer>{port}</integer>"
        );
        let answer = client.ask(&message).await;
        (client, answer)
    }
}

fn message(kind: &str) -> String {
    format!("<key>MessageType</key><string>{kind}</string>")
}

fn number(answer: &str) -> u8 {
    let after = answer.split("<key>Number</key><integer>").nth(1).unwrap();
    after.split('<').next().unwrap().parse().unwrap()
}

async fn two() -> (Vec<Iphone>, Usbmuxd) {
    let mut iphones = Vec::new();
    for number in 0..2 {
        let udid = IphoneOptions::udid_of(number);
        iphones.push(
            Iphone::start(IphoneOptions { udid, mjpeg_port: Some(0), ..IphoneOptions::default() }).await.unwrap(),
        );
    }
    let usbmuxd = Usbmuxd::start("127.0.0.1:0", &iphones).await.unwrap();
    (iphones, usbmuxd)
}

#[tokio::test]
async fn phones_are_listed_come_and_go() {
    let (iphones, usbmuxd) = two().await;
    let mut client = Client::new(&usbmuxd).await;
    let list = client.ask(&message("ListDevices")).await;
    assert!(iphones.iter().all(|iphone| list.contains(iphone.udid())), "{list}");
    assert_eq!(number(&client.ask(&message("ReadPairRecord")).await), 2);
    assert_eq!(number(&client.ask(&message("Nonsense")).await), 1);
    assert_eq!(number(&client.ask_as(0, &message("ListDevices")).await), 6);
    assert_eq!(number(&client.ask(&message("Listen")).await), 0);
    assert!(client.told(0).await.contains("Attached") && client.told(0).await.contains("Attached"));
    let (mut wda, _) = Client::connect(&usbmuxd, 2, 8100).await;
    let (mut lockdown, _) = Client::connect(&usbmuxd, 2, 62078).await;
    usbmuxd.plug(iphones[1].udid(), false);
    for stream in [&mut wda, &mut lockdown] {
        assert!(
            !matches!(timeout(PATIENCE, stream.0.read(&mut [0])).await.unwrap(), Ok(1..)),
            "it goes on without a cable"
        );
    }
    let gone = client.told(0).await;
    assert!(gone.contains("Detached") && gone.contains("<integer>2</integer>"), "{gone}");
    assert_eq!(number(&Client::connect(&usbmuxd, 2, 8100).await.1), 2);
    usbmuxd.plug(iphones[1].udid(), true);
    assert!(client.told(0).await.contains(iphones[1].udid()));
}

#[tokio::test]
async fn streams_lead_to_the_phones_ports() {
    let (iphones, usbmuxd) = two().await;
    let (mut wda, answer) = Client::connect(&usbmuxd, 2, 8100).await;
    assert_eq!(number(&answer), 0);
    wda.0.write_all(b"GET /uixt/acts HTTP/1.1\r\n\r\n").await.unwrap();
    let mut start = [0; 15];
    timeout(PATIENCE, wda.0.read_exact(&mut start)).await.unwrap().unwrap();
    assert_eq!(&start, b"HTTP/1.1 200 OK");
    assert_eq!(number(&Client::connect(&usbmuxd, 1, 8101).await.1), 3);
    iphones[1].set_fault("not_running", true.into()).await.unwrap();
    assert_eq!(number(&Client::connect(&usbmuxd, 2, 8100).await.1), 3);
    assert_eq!(number(&Client::connect(&usbmuxd, 3, 8100).await.1), 2);
    let (mut lockdown, _) = Client::connect(&usbmuxd, 1, 62078).await;
    let ask = "<plist version=\"1.0\"><dict><key>Request</key><string>QueryType</string></dict></plist>";
    lockdown.0.write_u32(u32::try_from(ask.len()).unwrap()).await.unwrap();
    lockdown.0.write_all(ask.as_bytes()).await.unwrap();
    let length = timeout(PATIENCE, lockdown.0.read_u32()).await.unwrap().unwrap();
    let mut answer = vec![0; length as usize];
    lockdown.0.read_exact(&mut answer).await.unwrap();
    assert!(String::from_utf8(answer).unwrap().contains("com.apple.mobile.lockdown"));
    drop(iphones);
}

#[tokio::test]
async fn the_screen_moves_as_jpegs() {
    let (iphones, _) = two().await;
    iphones[0].set_fault("only", "nothing".into()).await.unwrap();
    let mut film = TcpStream::connect(iphones[0].mjpeg_address().unwrap()).await.unwrap();
    film.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut held = Vec::new();
    let wanted = |held: &[u8]| held.windows(16).filter(|window| window == b"--BoundaryString").count();
    // One is the header's.
    while wanted(&held) < 3 {
        assert!(timeout(PATIENCE, film.read_buf(&mut held)).await.unwrap().unwrap() > 0);
    }
    let text = String::from_utf8_lossy(&held);
    assert!(text.starts_with("HTTP/1.0 200 OK\r\n") && text.contains("boundary=--BoundaryString\r\n"));
    let part = text.find("\r\n\r\n--BoundaryString\r\nContent-type: image/jpeg\r\nContent-Length: ").unwrap();
    assert!(part < 400);
    assert!(held.windows(4).any(|window| window == [0xff, 0xd8, 0xff, 0xe0]));
    assert!(held.windows(6).any(|window| window == [0xff, 0xd9, b'\r', b'\n', b'\r', b'\n']));
}
