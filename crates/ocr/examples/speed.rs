//! How long readings take and how much memory they need, a figure a line: its name, a tab, its value. `benches/ocr.py` holds them to
//! their budgets.

use std::time::Instant;

use uixt_canvas::canvas::Canvas;
use uixt_canvas::glyphs::Style;
use uixt_ocr::{Engine, Picture, Reader, models};

const WORDS: [&str; 16] = [
    "设置",
    "网络和互联网",
    "Bluetooth",
    "已连接的设备",
    "应用和通知",
    "Battery 86%",
    "显示",
    "Sound",
    "存储空间",
    "Privacy",
    "位置信息",
    "安全",
    "Accounts",
    "无障碍",
    "Google",
    "系统17",
];
const WIDTH: u32 = 1080;
const HEIGHT: u32 = 1920;

/// Draws labels, each at its left edge and its baseline.
fn screen(labels: impl Iterator<Item = (String, f32, i32)>, size: f32) -> Picture {
    let mut canvas = Canvas::new(WIDTH, HEIGHT, [255; 4]);
    for (text, left, baseline) in labels {
        canvas.text(left, baseline, &text, Style { size, bold: false }, [30, 30, 30, 255]);
    }
    Picture::new(WIDTH, HEIGHT, canvas.into_pixels()).expect("a picture")
}

/// 16 lines, of which the first so many are others.
fn sparse(others: usize) -> Picture {
    let text = |at: usize| if at < others { format!("{} {at}", WORDS[15 - at]) } else { WORDS[at].to_owned() };
    screen((0..16).zip((120..).step_by(110)).map(|(at, baseline)| (text(at), 60.0, baseline)), 44.0)
}

/// 200 lines, in 4 columns of 50, all of which are others for each turn.
fn dense(turn: usize) -> Picture {
    let places = [20.0, 285.0, 550.0, 815.0].into_iter().flat_map(|left| (0..50).map(move |row| (left, 36 + row * 38)));
    let label = |(at, (left, baseline))| (format!("{} {}", WORDS[at % 16], at + turn * 200), left, baseline);
    screen(places.enumerate().map(label), 24.0)
}

/// The milliseconds of the fastest of several tries: what others do on the machine only ever adds.
fn fastest(mut work: impl FnMut(usize) -> usize, wanted: usize) -> f64 {
    let one = |turn| {
        let began = Instant::now();
        assert_eq!(work(turn), wanted, "lines");
        began.elapsed().as_secs_f64() * 1e3
    };
    (0..5).map(one).fold(f64::MAX, f64::min)
}

fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or_default() / 1024.0
}

fn main() {
    let folder = models::folder().expect("a folder");
    let began = Instant::now();
    let engine = Engine::load(&folder).expect("models");
    println!("models loaded, ms\t{:.1}", began.elapsed().as_secs_f64() * 1e3);
    let read = |reader: &mut Reader, picture| reader.read(&engine, picture).expect("read").len();
    println!("16 lines, cold, ms\t{:.1}", fastest(|_| read(&mut Reader::default(), sparse(0)), 16));
    let mut reader = Reader::default();
    let mut known = |others| {
        read(&mut reader, sparse(0));
        let picture = sparse(others);
        let began = Instant::now();
        assert_eq!(read(&mut reader, picture), 16, "lines");
        reader = Reader::default();
        began.elapsed().as_secs_f64() * 1e3
    };
    let mut calm = |others| (0..5).map(|_| known(others)).fold(f64::MAX, f64::min);
    println!("16 lines, unchanged, ms\t{:.2}", calm(0));
    println!("16 lines, 2 changed, ms\t{:.1}", calm(2));
    println!("16 lines, 4 changed, ms\t{:.1}", calm(4));
    println!("16 lines, peak memory, MiB\t{:.1}", peak());
    println!("200 lines, cold, ms\t{:.1}", fastest(|turn| read(&mut Reader::default(), dense(turn)), 200));
    println!("200 lines, peak memory, MiB\t{:.1}", peak());
}
