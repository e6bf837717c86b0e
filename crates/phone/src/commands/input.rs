//! `input`: fingers, keys and text. Source: AOSP `services/core/java/com/android/server/input/InputShellCommand.java`.

use std::io;
use std::time::Duration;

use super::call::Call;
use crate::adb::keycodes;
use crate::stroke::LONG_PRESS;
use crate::touch::Motion;

const SOURCES: [&str; 12] = [
    "touchscreen",
    "touchnavigation",
    "touchpad",
    "keyboard",
    "dpad",
    "gamepad",
    "mouse",
    "trackball",
    "stylus",
    "joystick",
    "rotaryencoder",
    "default",
];
/// Nothing is drawn or held longer.
const MAX_DURATION: Duration = Duration::from_mins(1);
/// How long a swipe takes where nothing is said, in milliseconds.
const SWIPE: u64 = 300;
const KEY_ENTER: u32 = 66;
const KEY_TAB: u32 = 61;
/// Keys that the system takes itself.
const KEY_HOME: u32 = 3;
const KEY_RECENTS: u32 = 187;
const KEY_POWER: u32 = 26;
const KEY_SLEEP: u32 = 223;
const KEY_WAKEUP: u32 = 224;
/// How long an event waits for the app (`INJECT_INPUT_EVENT_TIMEOUT`).
const TIMEOUT: Duration = Duration::from_secs(30);
/// Keys of a trackball: its button, and what rolling it presses.
const KEY_CENTER: u32 = 23;
const KEYS_UP_DOWN: [u32; 2] = [19, 20];
const KEYS_LEFT_RIGHT: [u32; 2] = [21, 22];
/// Keys that one roll presses at most.
const LONGEST_ROLL: f64 = 50.0;
const USAGE: &str = "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]

The sources are: 
      touchnavigation
      touchscreen
      joystick
      stylus
      touchpad
      gamepad
      trackball
      dpad
      mouse
      keyboard
      rotaryencoder

-d: specify the display ID.
      (Default: -1 for key event, 0 for motion event if not specified.)
The commands and default sources are:
      text <string> (Default: keyboard)
      keyevent [--longpress|--doubletap|--async] <key code number or name> ... (Default: keyboard)
      tap <x> <y> (Default: touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      press (Default: trackball)
      roll <dx> <dy> (Default: trackball)
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)
      keycombination [-t duration(ms)] <key code 1> <key code 2> ... (Default: keyboard)
";

/// Why a command did nothing.
#[derive(Debug)]
enum Refusal {
    /// An exception, as the shell of Android's services prints it.
    Exception(&'static str, String),
    /// What is no number.
    Number,
    Unknown,
    Unsupported(&'static str),
}

/// Something that the phone does.
#[derive(Debug)]
enum Act {
    /// A finger that rests and then goes from one point to another.
    Touch {
        from: (f64, f64),
        to: (f64, f64),
        rest: Duration,
        duration: Duration,
    },
    Event(Motion, (f64, f64)),
    Key(u32),
    /// A key, and those that are held down with it.
    Chord(Vec<u32>, u32),
    Text(String),
}

impl Act {
    /// Whether it waits until the app in front has taken it; the system's own keys do not.
    fn is_for_the_app(&self) -> bool {
        !matches!(self, Self::Key(KEY_HOME | KEY_RECENTS | KEY_POWER | KEY_SLEEP | KEY_WAKEUP))
    }
}

pub(super) async fn input(call: &mut Call<'_>) -> io::Result<u8> {
    let mut arguments = call.arguments.as_slice();
    if let Some((_, rest)) = arguments.split_first().filter(|(first, _)| SOURCES.contains(&first.as_str())) {
        arguments = rest;
    }
    let mut here = true;
    if let [first, display, rest @ ..] = arguments
        && first == "-d"
    {
        match is_here(display) {
            Some(is_here) => here = is_here,
            None => {
                return refuse(call, display, "IllegalArgumentException", "Error: Invalid arguments for display ID.")
                    .await;
            }
        }
        arguments = rest;
    }
    let Some((command, arguments)) = arguments.split_first() else {
        return call.err(USAGE).await.map(|()| 255);
    };
    match acts(command, arguments) {
        Ok(acts) if here => perform(call, command, acts).await,
        // On a display that is not there, events are lost; only the log tells.
        Ok(_) => {
            let display = call.arguments.iter().skip_while(|word| *word != "-d").nth(1).map_or("", String::as_str);
            let lost =
                format!("Dropping event because there is no touchable window or gesture monitor in display {display}.");
            call.handset().note("InputDispatcher", lost).await;
            Ok(0)
        }
        Err(Refusal::Number) => {
            let message = format!("Error: Invalid arguments for command: {command}");
            refuse(call, command, "IllegalArgumentException", &message).await
        }
        Err(Refusal::Exception(class, message)) => refuse(call, command, class, &message).await,
        Err(Refusal::Unknown) => call.err(format!("Error: Unknown command: {command}\n{USAGE}")).await.map(|()| 255),
        Err(Refusal::Unsupported(what)) => {
            call.fail(255, &format!("Error: {what} is not supported by the virtual phone")).await
        }
    }
}

/// Tells whether a display is the phone's own screen; nothing where it is no display.
fn is_here(display: &str) -> Option<bool> {
    match display.to_ascii_uppercase().as_str() {
        "DEFAULT_DISPLAY" | "INVALID_DISPLAY" => Some(true),
        number => number.parse::<i32>().ok().map(|number| number <= 0),
    }
}

async fn refuse(call: &Call<'_>, command: &str, class: &str, message: &str) -> io::Result<u8> {
    let text = format!("\nException occurred while executing '{command}':\njava.lang.{class}: {message}");
    call.fail(255, &format!("{text}\n\tat com.android.server.input.InputShellCommand.onCommand")).await
}

async fn perform(call: &Call<'_>, command: &str, acts: Vec<Act>) -> io::Result<u8> {
    let noted = if command == "text" { String::new() } else { call.arguments.join(" ") };
    call.handset().note("InputDispatcher", format!("input {command}: {noted}")).await;
    let is_taken = !acts.iter().any(Act::is_for_the_app) || call.handset().until_it_answers(TIMEOUT).await;
    if !is_taken {
        // As on Android, where the injection times out, or the touch is taken back once another window lies over the app's.
        return Ok(0);
    }
    let moment = call.shell.moment();
    let performed = call.handset().act(async move |mut system| {
        for act in acts {
            match act {
                Act::Touch { from, to, rest, duration } => system.draw(from, to, (rest, duration), moment).await,
                Act::Event(motion, at) => system.motion(motion, at, moment).await,
                Act::Key(code) => system.key(code).await,
                Act::Chord(held, code) if system.press_with(&held, code) => {}
                Act::Chord(..) => return false,
                Act::Text(text) => system.type_text(&text).await,
            }
        }
        true
    });
    match performed.await? {
        true => Ok(0),
        false => call.fail(255, "Error: this key combination is not supported by the virtual phone").await,
    }
}

fn acts(command: &str, arguments: &[String]) -> Result<Vec<Act>, Refusal> {
    match command {
        "text" => text(required(arguments, 0, command)?),
        "keyevent" => keys(arguments),
        "keycombination" => combination(arguments),
        "tap" => {
            let at = point(arguments, 0)?;
            Ok(vec![Act::Touch { from: at, to: at, rest: Duration::ZERO, duration: Duration::ZERO }])
        }
        "swipe" | "draganddrop" => {
            let milliseconds = arguments.get(4).map_or(Ok(SWIPE), |text| integer(text))?;
            let duration = Duration::from_millis(milliseconds).min(MAX_DURATION);
            let rest = Duration::from_millis(if command == "swipe" { 0 } else { LONG_PRESS });
            Ok(vec![Act::Touch { from: point(arguments, 0)?, to: point(arguments, 2)?, rest, duration }])
        }
        "motionevent" => Ok(vec![Act::Event(motion(required(arguments, 0, command)?)?, point(arguments, 1)?)]),
        "press" => Ok(vec![Act::Key(KEY_CENTER)]),
        "roll" => Ok(roll(point(arguments, 0)?)),
        "scroll" => Err(Refusal::Unsupported("a rotary encoder")),
        _ => Err(Refusal::Unknown),
    }
}

fn motion(name: &str) -> Result<Motion, Refusal> {
    match name.to_ascii_uppercase().as_str() {
        "DOWN" => Ok(Motion::Down),
        "UP" => Ok(Motion::Up),
        "MOVE" => Ok(Motion::Move),
        "CANCEL" => Ok(Motion::Cancel),
        _ => Err(Refusal::Exception("IllegalArgumentException", format!("Unknown action: {name}"))),
    }
}

/// A trackball that no view asks for presses the arrow keys, once per unit.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a bounded count")]
fn roll((x, y): (f64, f64)) -> Vec<Act> {
    let keys = |way: f64, [back, forth]: [u32; 2]| {
        let times = way.abs().min(LONGEST_ROLL) as usize;
        std::iter::repeat_n(if way < 0.0 { back } else { forth }, times)
    };
    keys(x, KEYS_LEFT_RIGHT).chain(keys(y, KEYS_UP_DOWN)).map(Act::Key).collect()
}

fn required<'a>(arguments: &'a [String], index: usize, before: &str) -> Result<&'a str, Refusal> {
    arguments.get(index).map(String::as_str).ok_or_else(|| {
        let last = index.checked_sub(1).and_then(|index| arguments.get(index)).map_or(before, String::as_str);
        Refusal::Exception("IllegalArgumentException", format!("Argument expected after \"{last}\""))
    })
}

fn point(arguments: &[String], index: usize) -> Result<(f64, f64), Refusal> {
    Ok((float(required(arguments, index, "tap")?)?, float(required(arguments, index + 1, "tap")?)?))
}

fn float(text: &str) -> Result<f64, Refusal> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or(Refusal::Number)
}

fn integer(text: &str) -> Result<u64, Refusal> {
    let number = text.parse::<i64>().map_err(|_| Refusal::Number)?;
    // Android takes a negative duration for its default.
    Ok(u64::try_from(number).unwrap_or(SWIPE))
}

fn keys(arguments: &[String]) -> Result<Vec<Act>, Refusal> {
    let mut times = 1;
    let mut names = Vec::new();
    for argument in arguments {
        match argument.as_str() {
            "--longpress" | "--async" => {}
            "--doubletap" => times = 2,
            "--duration" | "--delay" => return Err(Refusal::Unsupported("keyevent --duration")),
            name => names.push(name),
        }
    }
    if names.is_empty() {
        required(&[], 0, "keyevent")?;
    }
    let codes = names.into_iter().map(keycodes::number).filter(|code| *code != 0);
    Ok(codes.flat_map(|code| (0..times).map(move |_| Act::Key(code))).collect())
}

/// Keys held together; without a modifier among them, each does what it does alone.
fn combination(arguments: &[String]) -> Result<Vec<Act>, Refusal> {
    let names = match arguments {
        [first, _, rest @ ..] if first == "-t" => rest,
        all => all,
    };
    required(names, 1, "keycombination")?;
    let codes: Vec<u32> = names.iter().map(|name| keycodes::number(name)).collect();
    let (held, others): (Vec<u32>, Vec<u32>) = codes.iter().partition(|code| keycodes::is_modifier(**code));
    match others.as_slice() {
        _ if held.is_empty() => {}
        [code] => return Ok(vec![Act::Chord(held, *code)]),
        _ => return Err(Refusal::Unsupported("a key combination of more than one key with shift, ctrl, alt or meta")),
    }
    Ok(codes.into_iter().filter(|code| *code != 0).map(Act::Key).collect())
}

/// Text that the virtual keyboard's map can type: line feeds and tabs are keys, other characters must be ASCII.
fn text(argument: &str) -> Result<Vec<Act>, Refusal> {
    let text = decoded(argument);
    let typed = |c: char| matches!(c, ' '..='~' | '\n' | '\t');
    if !text.chars().all(typed) {
        let message = "Attempt to get length of null array".to_owned();
        return Err(Refusal::Exception("NullPointerException", message));
    }
    let mut acts = Vec::new();
    for part in text.split_inclusive(['\n', '\t']) {
        let plain = part.trim_end_matches(['\n', '\t']);
        if !plain.is_empty() {
            acts.push(Act::Text(plain.to_owned()));
        }
        match part.chars().last() {
            Some('\n') => acts.push(Act::Key(KEY_ENTER)),
            Some('\t') => acts.push(Act::Key(KEY_TAB)),
            _ => {}
        }
    }
    Ok(acts)
}

/// Replaces `%s` by a blank; there is no way to write `%s` itself.
fn decoded(argument: &str) -> String {
    argument.replace("%s", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(argument: &str) -> String {
        let acts = text(argument).unwrap_or_else(|_| vec![Act::Text("refused".to_owned())]);
        let show = |act| match act {
            Act::Text(text) => text,
            Act::Key(code) => format!("<{code}>"),
            Act::Touch { .. } | Act::Event(..) | Act::Chord(..) => String::new(),
        };
        acts.into_iter().map(show).collect()
    }

    #[test]
    fn text_is_decoded_as_android_does() {
        assert_eq!(shown("a%sb%%sc%"), "a b% c%");
        assert_eq!(shown("%%s%s"), "%  ");
        assert_eq!(shown("100%S \\ \" ' $x"), "100%S \\ \" ' $x");
        assert_eq!(shown("a\nb\t"), "a<66>b<61>");
        assert_eq!(shown("登录"), "refused");
    }

    #[test]
    fn rolling_presses_arrows() {
        let codes: Vec<u32> = roll((-2.0, 1.0))
            .into_iter()
            .filter_map(|act| match act {
                Act::Key(code) => Some(code),
                _ => None,
            })
            .collect();
        assert_eq!(codes, [21, 21, 20]);
        assert_eq!(
            [is_here("0"), is_here("DEFAULT_DISPLAY"), is_here("2"), is_here("x")],
            [Some(true), Some(true), Some(false), None]
        );
    }

    #[test]
    fn wrong_numbers_are_refused() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (command, arguments) in [
            ("tap", "1"),
            ("tap", "a 2"),
            ("swipe", "1 2 3"),
            ("swipe", "1 2 3 4 x"),
            ("tap", "NaN 1"),
            ("motionevent", "LIFT 1 2"),
            ("motionevent", "UP 1"),
        ] {
            assert!(acts(command, &words(arguments)).is_err(), "{command} {arguments}");
        }
        assert!(matches!(acts("tap", &words("0 0.5")).unwrap()[0], Act::Touch { from: (0.0, 0.5), .. }));
    }
}
