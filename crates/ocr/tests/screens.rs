//! Screens one after the other: what did not change is not read again, and what did is read as if it were new.
//!
//! The models lie where `.cargo/config.toml` says; `tests/all.sh` puts them there. `--no-capture` shows how long each reading took.

use std::time::{Duration, Instant};

use uixt_canvas::canvas::Canvas;
use uixt_canvas::glyphs::Style;
use uixt_ocr::{Engine, Line, Picture, Reader, models};

const ROWS: [&str; 16] = [
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

fn engine() -> Engine {
    Engine::load(&models::folder().expect("a folder")).expect("run tests/all.sh, which installs the models")
}

/// Draws a screen of 1080×1920 pixels with a label every 110.
fn screen(rows: &[&str]) -> Picture {
    let mut canvas = Canvas::new(1080, 1920, [255; 4]);
    for (row, at) in rows.iter().zip(0..) {
        canvas.text(60.0, 120 + at * 110, row, Style { size: 44.0, bold: false }, [30, 30, 30, 255]);
    }
    Picture::new(1080, 1920, canvas.into_pixels()).expect("a picture")
}

fn texts(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let done = work();
    println!("{what}: {:?}", began.elapsed());
    (done, began.elapsed())
}

#[test]
fn only_what_changed_is_read_again() {
    let (engine, mut reader) = (engine(), Reader::default());
    let (first, cold) = timed("16 lines, cold", || reader.read(&engine, screen(&ROWS)).expect("read"));
    assert_eq!(texts(&first), ROWS);
    let again = screen(&ROWS);
    let (same, unchanged) = timed("unchanged", || reader.read(&engine, again).expect("read"));
    assert_eq!(same, first);
    assert!(unchanged < cold / 10, "{unchanged:?} of {cold:?}");
    let mut rows = ROWS;
    (rows[5], rows[6]) = ("Battery 9%", "声音和振动");
    let picture = screen(&rows);
    let (changed, part) = timed("two lines changed", || reader.read(&engine, picture).expect("read"));
    assert_eq!(texts(&changed), rows);
    assert!(part < cold, "{part:?} of {cold:?}");
    // As if all of it were new, but for what the model sees around a part.
    let new = Reader::default().read(&engine, screen(&rows)).expect("read");
    for (line, new) in changed.iter().zip(&new) {
        assert!(
            line.place.left.abs_diff(new.place.left) < 8 && line.place.top.abs_diff(new.place.top) < 8,
            "{line:?} {new:?}"
        );
    }
    assert_eq!(texts(&changed), texts(&new));
    // What goes is gone, and an empty screen holds nothing.
    rows[6] = "";
    let left = reader.read(&engine, screen(&rows)).expect("read");
    assert_eq!(left.len(), 15, "{left:?}");
    assert_eq!(reader.read(&engine, screen(&[])).expect("read"), []);
    // Another size is another screen.
    let small = Picture::new(64, 64, vec![255; 64 * 64 * 4]).expect("a picture");
    assert_eq!(reader.read(&engine, small).expect("read"), []);
}

#[test]
fn a_line_stands_where_it_is_drawn() {
    let lines = Reader::default().read(&engine(), screen(&ROWS)).expect("read");
    for (line, at) in lines.iter().zip(0..) {
        let baseline = 120 + at * 110;
        assert!(line.confidence > 0.8, "{line:?}");
        assert!(line.place.left.abs_diff(60) <= 20, "{line:?}");
        assert!(
            line.place.top < baseline - 20 && line.place.bottom >= baseline && line.place.height() <= 90,
            "{line:?}"
        );
    }
}

#[test]
fn a_sign_that_changes_in_a_line_takes_no_other_sign_with_it() {
    let (engine, mut reader) = (engine(), Reader::default());
    let rows = |count: u32| {
        let status = format!("Caught {count}, missed 2");
        let price = format!("共 {count} 件商品，合计 ¥{count}.50");
        (status, price)
    };
    for count in 3..9 {
        let (status, price) = rows(count);
        let lines = reader.read(&engine, screen(&["Catch me", &status, &price, "设置"])).expect("read");
        let plain = |text: &str| text.replace(' ', "").replace('，', ",");
        let read: Vec<String> = lines.iter().map(|line| plain(&line.text)).collect();
        assert_eq!(read, ["Catch me", &status, &price, "设置"].map(plain), "{count}");
    }
}
