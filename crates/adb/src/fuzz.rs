//! The framings and lists of adb on inputs that nobody sends: an error or a value that was there, never a panic or a hang.

use super::error::refusal;
use super::listing;
use super::mutation::try_on;
use super::packet::{self, Command, HEADER, MAX_PAYLOAD, Packet, VERSION, VERSION_WITH_SUMS};
use super::{shell, sync, wire};
use uixt_driver::exit_mark;

const LISTS: [&str; 4] = [
    "R58M123ABC             device usb:1-1 product:tokay model:Pixel_9 device:tokay transport_id:2\n127.0.0.1:5555\tdevice\n",
    " GS101200400611        device usb:17825792X product:rk3288 model:rk3288 device:rk3288 transport_id:15\n",
    "adb-39121FD-QfJ1Ff (2)._adb-tls-connect._tcp device product:bixi model:2505APX7BC device:bixi transport_id:11\n",
    "????????????           no permissions (user in plugdev group); see [http://developer.android.com/x] usb:3-1 transport_id:4\n1A unauthorized\n",
];

fn seeds(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn lists_of_devices() {
    try_on("devices", &seeds(&LISTS), |input| {
        let text = String::from_utf8_lossy(input);
        for listed in listing::parse(&text) {
            assert!(!listed.serial.trim().is_empty() && !listed.state.is_empty(), "{listed:?}");
            assert!(text.contains(&listed.serial) && text.contains(&listed.model), "{listed:?}");
        }
        assert!(!refusal("X", &text).to_string().is_empty());
    });
}

#[test]
fn exit_codes_of_old_shells() {
    let texts =
        ["hi\nuixt-exit-code:0\n", "hi\r\nthere\r\nuixt-exit-code:12\r\n", "uixt-exit-code:0\nuixt-exit-code:255\n"];
    try_on("exit-code", &seeds(&texts), |input| {
        if let Some((stdout, exit)) = exit_mark::take(input.to_vec()) {
            assert!(String::from_utf8_lossy(input).contains(&exit.to_string()) && stdout.len() < input.len());
        }
    });
}

/// Reads a stream to its end by one kind of reader.
async fn drain(input: &[u8]) {
    let mut stream = input;
    while let Ok(Some(_)) = shell::read_packet(&mut stream).await {}
    let (mut stream, mut file) = (input, Vec::new());
    while sync::read_frame(&mut stream, &mut file).await.is_ok() {}
    assert!(file.len() <= input.len() + sync::MAX_CHUNK);
    let mut stream = input;
    while let Ok(Some((name, _))) = sync::read_entry(&mut stream).await {
        assert!(name.len() <= 3 * sync::MAX_PATH);
    }
    let mut stream = input;
    while let Ok(Some(request)) = sync::read_request(&mut stream).await {
        sync::split_send(&request.path);
    }
    let mut stream = input;
    while sync::read_stat(&mut stream).await.is_ok() {}
    let mut stream = input;
    while sync::read_stat2(&mut stream).await.is_ok() {}
    let mut stream = input;
    while let Ok(Some(request)) = wire::read_request(&mut stream, 1000).await {
        assert!(request.len() <= 1000);
    }
    let mut stream = input;
    while wire::read_status(&mut stream).await.is_ok() {}
}

async fn frames() -> Vec<Vec<u8>> {
    let (mut packets, mut transfer, mut records, mut messages) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    shell::write_packets(&mut packets, shell::STDOUT, b"out\n").await.unwrap();
    shell::write_packets(&mut packets, shell::STDERR, b"err\n").await.unwrap();
    shell::write_exit(&mut packets, 3).await.unwrap();
    sync::write_data(&mut transfer, &mut b"some bytes of a file".as_slice()).await.unwrap();
    sync::write_done(&mut transfer, 7).await.unwrap();
    sync::write_fail(&mut transfer, "Read-only file system").await.unwrap();
    let stat = sync::Stat { mode: 0o100_644, size: 30, mtime: 1_700_000_000 };
    sync::write_stat(&mut records, &stat).await.unwrap();
    let mut list = Vec::new();
    sync::write_entry(&mut list, "a.png", &stat).await.unwrap();
    sync::write_entries_end(&mut list).await.unwrap();
    let mut stats = Vec::new();
    sync::write_stat2(&mut stats, sync::STAT2, Ok(&stat)).await.unwrap();
    let mut requests = Vec::new();
    sync::write_request(&mut requests, sync::SEND, "/sdcard/a,b.txt,33188").await.unwrap();
    wire::write_message(&mut messages, b"host:version").await.unwrap();
    let mut statuses = Vec::new();
    wire::write_okay(&mut statuses).await.unwrap();
    wire::write_fail(&mut statuses, "device offline").await.unwrap();
    vec![packets, transfer, records, list, stats, requests, messages, statuses]
}

#[test]
fn frames_of_every_protocol() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let seeds = runtime.block_on(frames());
    try_on("adb-frames", &seeds, |input| runtime.block_on(drain(input)));
}

/// Reads packets to the end; what was taken is, written again, what stood there.
async fn framed(input: &[u8], sums: bool) {
    let mut rest = input;
    let mut at = 0;
    loop {
        match packet::read(&mut rest, sums).await {
            Ok(Some(packet)) => {
                assert!(packet.payload.len() <= MAX_PAYLOAD);
                let length = HEADER + packet.payload.len();
                let (bytes, again) = (&input[at..at + length], packet.encode(true));
                let unsummed = |bytes: &[u8]| [&bytes[..16], &bytes[20..]].concat();
                assert_eq!(unsummed(bytes), unsummed(&again));
                let greets = packet.command == Command::Connect && packet.first >= VERSION;
                assert!(!sums || greets || bytes[16..20] == again[16..20], "a wrong sum was taken");
                at += length;
            }
            Ok(None) => return assert_eq!(at, input.len()),
            Err(error) => return assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn packets_of_an_adbd() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let banner = b"host::features=shell_v2,cmd,stat_v2,ls_v2,delayed_ack\0";
    let stream = |version, sums| {
        let packets = [
            Packet::new(Command::Connect, version, 1 << 20, *banner),
            Packet::new(Command::Authorize, 1, 0, [9; 20]),
            Packet::new(Command::Encrypt, version, 0, []),
            Packet::new(Command::Open, 1, 0, *b"shell:ls\0"),
            Packet::new(Command::Okay, 1, 2, 7_u32.to_le_bytes()),
            Packet::new(Command::Write, 1, 2, vec![255; 5000]),
            Packet::new(Command::Close, 0, 1, []),
        ];
        packets.iter().flat_map(|packet| packet.encode(sums)).collect::<Vec<u8>>()
    };
    let seeds = [stream(VERSION, false), stream(VERSION_WITH_SUMS, true)];
    try_on("packets", &seeds, |input| {
        runtime.block_on(framed(input, true));
        runtime.block_on(framed(input, false));
    });
}
