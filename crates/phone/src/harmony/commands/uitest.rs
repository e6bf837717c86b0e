//! `uitest`: dumps, screenshots, touches, keys and texts. Source: `uitest/server/server_main.cpp` and
//! `uitest/input/ui_input.cpp` of OpenHarmony's `testfwk_arkxtest` 7.0. What fails is said on standard output, and the exit code is 0.

use std::io;
use std::time::Duration;

use super::super::acts::{self, Act, SPEED, SPEEDS};
use super::super::tree::Wish;
use super::words::{has, value};
use crate::commands::Call;

const VERSION: &str = "7.0.0.1";
/// An older one, without `uiInput text`.
const OLD_VERSION: &str = "5.1.1.2";
const HELP: &str = "usage: uitest <command> [options]\n\
    help                                  print help messages\n\
    screenCap [-p savePath] [-d displayId]\n\
    dumpLayout [-p savePath] [-i] [-a] [-b bundleName] [-w windowId] [-m true/false] [-d displayId]\n\
    start-daemon <token>                  start the test process\n\
    uiInput                               inject Ui simulation operations\n\
    --version                             print current tool version\n";
const USAGE: &str = "USAGE : \n\
    help                                                     print uiInput usage\n\
    dircFling <direction> [velocity] [stepLength] [displayId] direction ranges from 0,1,2,3 (left, right, up, down)\n\
    click/doubleClick/longClick <x> <y> [displayId]          click on the target coordinates\n\
    swipe/drag <from_x> <from_y> <to_x> <to_y> [velocity] [displayId] velocity ranges from 200 to 40000, default 600\n\
    fling <from_x> <from_y> <to_x> <to_y> [velocity] [stepLength] [displayId]\n\
    keyEvent <keyID/Back/Home/Power> [displayId]             inject keyEvent\n\
    keyEvent <keyID_0> <keyID_1> [keyID_2] [displayId]       keyID_2 defaults to None\n\
    inputText <x> <y> <text> [displayId]                     inputText at the target coordinate point\n";
const USAGE_OF_TEXT: &str = "text <text> [displayId]      input text at the location where is already focused\n";
const AGENT: &str = "/data/local/tmp/agent.so";
/// How long an app is waited for that does not tell what is in its window.
const PATIENCE: Duration = Duration::from_secs(5);
const BUSY: &str = "Disallow concurrent use";

pub(crate) async fn uitest(call: &mut Call<'_>) -> io::Result<String> {
    let words = std::mem::take(&mut call.arguments);
    let command = words.first().map_or("", String::as_str);
    let is_old = call.handset().harmony.faults.is("no_text");
    match command {
        "--version" => return Ok(format!("{}\n", if is_old { OLD_VERSION } else { VERSION })),
        "" => return Ok(format!("Missing argument\n{HELP}\n")),
        "help" => return Ok(format!("{HELP}\n")),
        "start-daemon" => {
            start_daemon(call, &words);
            return Ok(String::new());
        }
        "dumpLayout" | "screenCap" | "uiInput" => {}
        other => return Ok(format!("Illegal argument: {other}\n{HELP}\n")),
    }
    let shell = call.shell.handset.clone();
    let (faults, own) = (&shell.harmony.faults, shell.harmony.turn.try_lock());
    if own.is_err() || faults.take("uitest_busy") {
        return Ok(format!("{BUSY}\n"));
    }
    pause(call, "uitest_ms").await;
    match command {
        "dumpLayout" => dump(call, &words).await,
        "screenCap" => super::screen::screen_cap(call, &words).await,
        _ => input(call, &words[1..], is_old).await,
    }
}

/// Takes as long as a fault says.
async fn pause(call: &Call<'_>, fault: &str) {
    let ms = call.handset().harmony.faults.number(fault).unwrap_or(0.0);
    if ms > 0.0 {
        tokio::time::sleep(Duration::from_secs_f64((ms / 1000.0).clamp(0.0, 600.0))).await;
    }
}

/// `start-daemon singleness`: loads the agent, where there is one.
fn start_daemon(call: &Call<'_>, words: &[String]) {
    let is_there = call.handset().files.lock().read(AGENT).is_ok();
    if words.get(1).is_some_and(|token| token == "singleness") && is_there {
        call.handset().harmony.start_daemon();
    }
}

async fn dump(call: &Call<'_>, words: &[String]) -> io::Result<String> {
    let (handset, faults) = (call.handset(), &call.handset().harmony.faults);
    let wish = Wish {
        is_whole: has(words, "-i"),
        has_extra: has(words, "-a"),
        is_apart: value(words, "-m") == Some("false"),
        bundle: value(words, "-b").map(str::to_owned),
        window: value(words, "-w").map(|number| number.parse().unwrap_or(0)),
        has_extension: faults.is("uiextension"),
    };
    if wish.is_whole && wish.has_extra {
        return Ok("The -a and -i options cannot be used together.\n".to_owned());
    }
    if value(words, "-m").is_some_and(|merges| !["true", "false"].contains(&merges)) {
        return Ok(format!("Invalid params\n{HELP}\n"));
    }
    let now = handset.now_ms().await;
    let name = value(words, "-p").map_or_else(|| format!("/data/local/tmp/layout_{now}.json"), str::to_owned);
    let path = call.shell.path(&name);
    let created = handset.files.lock().create(&path, 0o666);
    if let Err(errno) = created {
        return Ok(format!("DumpLayout failed:Error path:{name}{errno}\n"));
    }
    pause(call, "dump_ms").await;
    let is_told = handset.until_it_answers(PATIENCE).await || handset.system.lock().await.has_alert();
    let why = faults.text("dump_fails").filter(|_| faults.is("dump_fails"));
    if faults.take("dump_fails") || !is_told || value(words, "-d").is_some_and(|display| display != "0") {
        let why = why.unwrap_or_else(|| "Get window nodes failed".to_owned());
        return Ok(format!("DumpLayout failed:{why}\n"));
    }
    let mut text = handset.system.lock().await.harmony_dump(&wish);
    bend(call, &mut text);
    handset.harmony.counts.add("dumps", 1);
    // What does not fit is only in the log of a real one, too: its file is cut, and it says that it was saved.
    let _ = handset.files.lock().append(&path, text.as_bytes());
    Ok(format!("DumpLayout saved to:{name}\n"))
}

/// Makes a dump larger, or cuts it, where a fault says so.
fn bend(call: &Call<'_>, text: &mut String) {
    let faults = &call.handset().harmony.faults;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of bytes")]
    let more = faults.number("dump_bytes").unwrap_or(0.0).clamp(0.0, 64e6) as usize;
    if more > 0
        && let Some(end) = text.rfind("]}")
    {
        let mut nodes = String::new();
        let long = "x".repeat(500);
        while nodes.len() < more {
            let number = nodes.len();
            nodes.push_str(&format!(
                ",{{\"attributes\":{{\"type\":\"Text\",\"text\":\"{number} {long}\",\"bounds\":\"[0,0][9,9]\"}},\"children\":[]}}"
            ));
        }
        text.insert_str(end, if text[..end].ends_with('[') { &nodes[1..] } else { &nodes });
    }
    if faults.is("no_bullets") {
        text.retain(|sign| sign != '•');
    }
    if faults.take("dump_cut") {
        let half = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(half);
    }
}

/// `uiInput`: reads what is wanted, does it, and says how that went.
async fn input(call: &Call<'_>, words: &[String], is_old: bool) -> io::Result<String> {
    let usage = format!("{USAGE}{}", if is_old { "" } else { USAGE_OF_TEXT });
    if words.first().is_some_and(|word| word == "help") {
        return Ok(format!("{usage}\n"));
    }
    let size = call.handset().system.lock().await.size();
    let mut said = String::new();
    let wanted = if is_old && words.first().is_some_and(|word| word == "text") {
        Err("Invalid parameters. \n")
    } else {
        acts(words, size, &mut said)
    };
    match wanted {
        Ok(acts) => match acts::perform(call.handset(), acts).await {
            Ok(_) => Ok(format!("{said}No Error\n")),
            Err(why) => Ok(format!("{said}{}\n", why.0)),
        },
        Err(why) => Ok(format!("{why}\n{usage}\n")),
    }
}

const MISSING: &str = "Missing parameter. \n";
const COUNT: &str = "The number of parameters is incorrect. \n";
const PLACE: &str = "Please confirm that the coordinate values are correct. \n";
const MANY: &str = " Too many parameters. \n";
const INVALID: &str = "Invalid parameters. \n";

/// Reads a number as `atoi` does: 0 where there is none.
fn number(word: &str) -> i64 {
    let digits: String = word
        .trim_start()
        .char_indices()
        .take_while(|(at, sign)| sign.is_ascii_digit() || (*at == 0 && "+-".contains(*sign)))
        .map(|(_, sign)| sign)
        .take(12)
        .collect();
    digits.parse().unwrap_or(0)
}

#[expect(clippy::cast_precision_loss, reason = "a place on a screen")]
fn place(x: &str, y: &str) -> Result<(f64, f64), &'static str> {
    match (number(x), number(y)) {
        (x, y) if x > 0 && y > 0 => Ok((x as f64, y as f64)),
        _ => Err(PLACE),
    }
}

/// Reads a speed; one that is out of range is said so, and is the usual one.
fn speed(word: Option<&String>, said: &mut String) -> u32 {
    let Some(word) = word else { return SPEED };
    let speed = u32::try_from(number(word)).unwrap_or(0);
    if SPEEDS.contains(&speed) {
        return speed;
    }
    said.push_str("The swipe velocity out of range, the default value will be used. \n\n");
    SPEED
}

/// Reads what `uiInput` is to do; what is said before it goes to `said`.
fn acts(words: &[String], size: (u32, u32), said: &mut String) -> Result<Vec<Act>, &'static str> {
    let (command, rest) = words.split_first().ok_or(MISSING)?;
    let word = |at: usize| rest.get(at).map_or("", String::as_str);
    if rest.is_empty() {
        return Err(MISSING);
    }
    let act = match command.as_str() {
        "click" | "doubleClick" | "longClick" => {
            if !(2..=3).contains(&rest.len()) {
                return Err(COUNT);
            }
            let at = place(word(0), word(1))?;
            match command.as_str() {
                "click" => Act::Click(at),
                "doubleClick" => Act::DoubleClick(at),
                _ => Act::LongClick(at),
            }
        }
        "swipe" | "drag" | "fling" => {
            let most = if command == "fling" { 7 } else { 6 };
            if rest.len() < 4 {
                return Err(MISSING);
            }
            let (from, to) = (place(word(0), word(1))?, place(word(2), word(3))?);
            if rest.len() > most {
                return Err(MANY);
            }
            let speed = speed(rest.get(4), said);
            if command == "fling" && rest.len() > 5 {
                #[expect(clippy::cast_precision_loss, reason = "a way over a screen")]
                let step = number(word(5)) as f64;
                if step <= 0.0 || step > (to.0 - from.0).hypot(to.1 - from.1) {
                    return Err("The stepLen is out of range");
                }
            }
            Act::Swipe { from, to, speed, drags: command == "drag" }
        }
        "dircFling" => {
            if rest.len() > 4 {
                return Err(MANY);
            }
            let (wide, high) = (f64::from(size.0), f64::from(size.1));
            let to = ((wide / 2.0).floor(), (high / 2.0).floor());
            let from = match number(word(0)) {
                0 => (to.0 - wide / 4.0, to.1),
                1 => (to.0 + wide / 4.0, to.1),
                2 => (to.0, to.1 - high / 4.0),
                3 => (to.0, to.1 + high / 4.0),
                _ => return Err("Illegal argument"),
            };
            Act::Swipe { from, to, speed: speed(rest.get(1), said), drags: false }
        }
        "keyEvent" => {
            let named = match word(0) {
                "Home" => Some(1),
                "Back" => Some(2),
                "Power" => Some(18),
                _ => None,
            };
            match (named, number(word(0))) {
                (Some(_), _) if rest.len() > 2 => return Err(MANY),
                (Some(key), _) => Act::Keys(vec![key]),
                (None, 0) => return Err(INVALID),
                (None, _) if rest.len() > 4 => return Err(MANY),
                (None, _) => Act::Keys(rest.iter().take(3).map(|word| number(word)).collect()),
            }
        }
        "inputText" => {
            if !(3..=4).contains(&rest.len()) {
                return Err(COUNT);
            }
            return Ok(vec![Act::Click(place(word(0), word(1))?), Act::Text(word(2).to_owned())]);
        }
        "text" if (1..=2).contains(&rest.len()) => Act::Text(word(0).to_owned()),
        "text" => return Err(COUNT),
        _ => return Err(INVALID),
    };
    Ok(vec![act])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Vec<Act>, &'static str> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        acts(&words, (1260, 2720), &mut String::new())
    }

    #[test]
    fn what_is_wanted_is_read_as_uitest_does() {
        assert_eq!(read("click 100 200"), Ok(vec![Act::Click((100.0, 200.0))]));
        assert_eq!(read("keyEvent 2072 2017"), Ok(vec![Act::Keys(vec![2072, 2017])]));
        assert_eq!(read("keyEvent Back"), Ok(vec![Act::Keys(vec![2])]));
        assert_eq!(read("text 登录"), Ok(vec![Act::Text("登录".to_owned())]));
        let typed = vec![Act::Click((5.0, 6.0)), Act::Text("a".to_owned())];
        assert_eq!(read("inputText 5 6 a"), Ok(typed));
        for (line, why) in [
            ("click 0 5", PLACE),
            ("click a 5", PLACE),
            ("click 1", COUNT),
            ("click 1 2 0 3", COUNT),
            ("swipe 1 2 3", MISSING),
            ("swipe 1 2 3 4 600 0 9", MANY),
            ("fling 1 1 1 100 600 5000", "The stepLen is out of range"),
            ("keyEvent x", INVALID),
            ("keyEvent Home 0 0", MANY),
            ("text a b c", COUNT),
            ("inputText 1 2", COUNT),
            ("tap 1 2", INVALID),
            ("click", MISSING),
        ] {
            assert_eq!(read(line), Err(why), "{line}");
        }
    }

    #[test]
    fn a_speed_out_of_range_is_the_usual_one() {
        let mut said = String::new();
        assert_eq!(speed(Some(&"100".to_owned()), &mut said), SPEED);
        assert!(said.contains("out of range"));
        assert_eq!(speed(Some(&"40000".to_owned()), &mut String::new()), 40_000);
        assert_eq!((number("12x"), number("-3"), number(""), number("x")), (12, -3, 0, 0));
    }
}
