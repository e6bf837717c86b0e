//! What a person does on a phone with their own fingers, which only the kernel tells: it reads as if it had been typed, passes whenever it is run, and fails
//! where the app is another. The fingers are `sendevent`, by Debian's adb.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{ChildStdin, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::Test;
use crate::support::counterparts::{Phone, Running, signal};
use crate::support::goals::{phone, with_texts};

/// How long a step may take to be printed on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);
/// The screen's size, and the largest number of the touchscreen's axes.
const SIZE: (f64, f64) = (1080.0, 2400.0);
const LARGEST: f64 = 16_384.0;
const SCREEN: &str = "/dev/input/event1";

/// Somebody with a phone that is recorded.
struct Hand<'a> {
    phone: &'a Phone,
    lines: Arc<Mutex<Vec<String>>>,
    recording: Running,
    /// Kept open: at its end the recording ends.
    said: ChildStdin,
    /// The number of the last finger.
    number: std::cell::Cell<u32>,
}

impl<'a> Hand<'a> {
    /// Begins to record into a file of the test's folder.
    fn begin(phone: &'a Phone, test: &Test, file: &str) -> Self {
        let mut command = test.command();
        command.args(["record", file, "--headed", "--device", "android", "--adb-server", &phone.address()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut recording = Running(command.spawn().expect("the program starts"));
        let said = recording.0.stdin.take().expect("piped");
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        for pipe in [
            Box::new(recording.0.stdout.take().expect("piped")) as Box<dyn std::io::Read + Send>,
            Box::new(recording.0.stderr.take().expect("piped")),
        ] {
            let lines = Arc::clone(&lines);
            std::thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    Mutex::lock(&lines).expect("a list").push(line);
                }
            });
        }
        let hand = Self { phone, lines, recording, said, number: std::cell::Cell::new(0) };
        hand.sees("follows");
        hand
    }

    /// Waits until a line holds a text.
    #[track_caller]
    fn sees(&self, text: &str) {
        let said = || self.lines.lock().expect("a list").join("\n");
        let end = Instant::now() + PATIENCE;
        while !said().contains(text) {
            assert!(Instant::now() < end, "no `{text}` came: {}", said());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn down(&self, (x, y): (f64, f64)) -> String {
        self.number.set(self.number.get() + 1);
        format!("sendevent {SCREEN} 3 57 {}; {}", self.number.get(), Self::there((x, y)))
    }

    fn there((x, y): (f64, f64)) -> String {
        let (x, y) = ((x + 0.5) * LARGEST / SIZE.0, (y + 0.5) * LARGEST / SIZE.1);
        format!("sendevent {SCREEN} 3 53 {x:.0}; sendevent {SCREEN} 3 54 {y:.0}; sendevent {SCREEN} 0 0 0")
    }

    fn up() -> String {
        format!("sendevent {SCREEN} 3 57 -1; sendevent {SCREEN} 0 0 0")
    }

    /// Touches a point for so many seconds.
    fn held(&self, at: (f64, f64), seconds: f64) -> String {
        format!("{}; sleep {seconds}; {}", self.down(at), Self::up())
    }

    /// Types a line where it is recorded.
    fn says(&mut self, line: &str) {
        writeln!(self.said, "{line}").expect("it reads");
    }

    fn tap(&self, name: &str) {
        self.phone.shell(&self.held(self.middle(name), 0.05));
    }

    /// Goes from a point to another, after a rest of so many seconds.
    fn go(&self, from: (f64, f64), to: (f64, f64), rest: f64) {
        let part = |number: f64| {
            let at = (from.0 + (to.0 - from.0) * number / 4.0, from.1 + (to.1 - from.1) * number / 4.0);
            format!("sleep 0.05; {}", Self::there(at))
        };
        let way: Vec<String> = [1.0, 2.0, 3.0, 4.0].map(part).into();
        self.phone.shell(&format!("{}; sleep {rest}; {}; {}", self.down(from), way.join("; "), Self::up()));
    }

    /// Returns the middle of what has a name.
    #[track_caller]
    fn middle(&self, name: &str) -> (f64, f64) {
        let tree = self.phone.shell("uiautomator dump /dev/tty");
        let named = [format!("text=\"{name}\""), format!("content-desc=\"{name}\"")];
        let node = tree.split("<node ").find(|node| named.iter().any(|named| node.contains(named)));
        let node = node.unwrap_or_else(|| panic!("no {name} in {tree}"));
        middle(node.split_once("bounds=\"").expect("bounds").1)
    }

    /// Types letters and then digits on the keyboard of the screen, key by key.
    fn types(&self, letters: &str, digits: &str) {
        const ROWS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
        for letter in letters.chars() {
            let row = ROWS.iter().position(|row| row.contains(letter)).expect("a letter of the keyboard");
            // The rows are centred, and the third begins with a wider key.
            self.presses(row, ROWS[row].find(letter).expect("a key"), [0.5, 1.0, 2.0][row]);
        }
        for (number, digit) in digits.chars().enumerate() {
            if number == 0 {
                self.presses(3, 0, 0.75);
            }
            self.presses(0, "1234567890".find(digit).expect("a digit"), 0.5);
        }
    }

    /// Presses a key of a row, so many keys' widths behind the middle of its first.
    fn presses(&self, row: usize, number: usize, first: f64) {
        self.phone.shell(&self.held(self.key(row, number, first), 0.04));
    }

    /// Returns where a key lies.
    fn key(&self, row: usize, number: usize, first: f64) -> (f64, f64) {
        let (rim, height, top) = self.keyboard();
        let width = (SIZE.0 - 2.0 * rim) / 10.0;
        let [row, number] = [row, number].map(|count| f64::from(u32::try_from(count).expect("a few")));
        (rim + width * (number + first), top + height * (row + 0.5))
    }

    /// The key that leads on.
    fn enters(&self) {
        self.presses(3, 0, 9.0);
    }

    /// Returns the rim of the keyboard, the height of a row, and where the first begins.
    fn keyboard(&self) -> (f64, f64, f64) {
        let told = self.phone.shell("dumpsys window displays");
        let frame = told.split_once("type=ime frame=").expect("a keyboard").1;
        let (_, top) = corner(frame);
        let (_, bottom) = corner(frame.split_once(']').expect("two corners").1);
        let rim = (6.0 * 420.0_f64 / 160.0).round();
        (rim / 2.0, (bottom - top - rim) / 4.0, top + rim / 2.0)
    }

    /// Ends the recording, and returns the testcase and what was said.
    fn ends(mut self, file: &Path) -> (String, String) {
        signal(&self.recording.0, "INT");
        self.recording.ended(PATIENCE.as_secs());
        let said = self.lines.lock().expect("a list").join("\n");
        (std::fs::read_to_string(file).unwrap_or_default(), said)
    }
}

/// Reads `[0,63]`.
fn corner(text: &str) -> (f64, f64) {
    let (x, y) =
        text.trim_start_matches('[').split(']').next().and_then(|text| text.split_once(',')).expect("a corner");
    (x.parse().expect("a number"), y.parse().expect("a number"))
}

/// Reads `[0,63][1080,2400]`.
fn middle(bounds: &str) -> (f64, f64) {
    let (one, other) = (corner(bounds), corner(bounds.split_once(']').expect("two corners").1));
    (one.0.midpoint(other.0), one.1.midpoint(other.1))
}

/// Runs a testcase on a phone whose app is another; it must fail.
async fn tells_mutant(test: &Test, file: &str, mutant: [&str; 3]) {
    let other = phone(&with_texts(&[mutant])).await;
    let server = other.address().to_string();
    let arguments = ["run", file, "--no-history", "--device", "android:uixt-phone", "--adb-server", &server];
    let output = tokio::task::block_in_place(|| ran(test, &arguments));
    assert_eq!(output.status.code(), Some(1), "a mutant passes: {output:?}");
}

fn ran(test: &Test, arguments: &[&str]) -> std::process::Output {
    let mut command = Test::new(arguments).command();
    command.current_dir(test.path("")).env("PASSWORD", "secret123");
    command.output().expect("the program starts")
}

#[track_caller]
fn passes(test: &Test, file: &str) {
    let output = ran(test, &["run", file, "--no-history", "--device", "phone"]);
    let testcase = std::fs::read_to_string(test.path(file)).expect("a testcase");
    assert!(output.status.success(), "{output:?}\n{testcase}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fingers_do_and_type_on_a_phone_is_a_testcase() {
    let (phone, test) = (Phone::start(), Test::new(&[]));
    let file = test.path("buy.yaml");
    let testcase = tokio::task::block_in_place(|| {
        let mut hand = Hand::begin(&phone, &test, "buy.yaml");
        hand.tap("Shop");
        hand.sees("- tap: Shop");
        hand.tap("User name");
        hand.sees("- tap: {id: user}");
        hand.types("alice", "");
        hand.sees("- input: {into: {id: user}, text: alice}");
        hand.tap("Password");
        hand.sees("- tap: {id: password}");
        hand.types("secret", "123");
        hand.enters();
        hand.sees("- press_button: enter");
        hand.tap("Coffee beans");
        hand.sees("- tap: Coffee beans");
        hand.tap("+");
        hand.sees("- tap: {id: more}");
        hand.tap("Add to cart");
        hand.sees("- tap: {id: add_to_cart}");
        hand.says("see 2 items in cart");
        hand.sees("Visible: text \"2 items in cart\"");
        let (testcase, said) = hand.ends(&file);
        assert!(!said.contains("wait until") && !testcase.contains("{x:"), "{said}\n{testcase}");
        passes(&test, "buy.yaml");
        testcase
    });
    let typed = "- input: {into: {id: user}, text: alice}\n- input: {into: {id: password}, text: $password, secret: true}\n- press_button: enter\n";
    assert!(testcase.contains(typed) && testcase.contains("variables: {password: \"${ENV(PASSWORD)}\"}"), "{testcase}");
    let mutant = ["shop_product", "\"handler_type\": \"increment\"", "\"handler_type\": \"decrement\""];
    tells_mutant(&test, "buy.yaml", mutant).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn drags_and_keys_of_a_phone_are_told_apart() {
    let (phone, test) = (Phone::start(), Test::new(&[]));
    let file = test.path("drag.yaml");
    let testcase = tokio::task::block_in_place(|| {
        let mut hand = Hand::begin(&phone, &test, "drag.yaml");
        hand.go((900.0, 1200.0), (200.0, 1200.0), 0.0);
        hand.sees("- swipe: left");
        hand.tap("Touch Lab");
        hand.sees("- tap: Touch Lab");
        hand.tap("Drag and drop");
        hand.sees("- tap: Drag and drop");
        hand.go(hand.middle("Ball"), hand.middle("Box"), 0.6);
        hand.sees("- drag_to: [Ball, Box]");
        hand.says("see The ball is in the box");
        hand.sees("Visible: text \"The ball is in the box\"");
        // The first of the three keys below the page, and one at the phone's side.
        phone.shell(&hand.held((180.0, 2370.0), 0.05));
        hand.sees("- back:");
        phone.shell("sendevent /dev/input/event0 1 172 1; sendevent /dev/input/event0 1 172 0");
        hand.sees("- home:");
        let (testcase, said) = hand.ends(&file);
        assert!(!said.contains("wait until") && !testcase.contains("{x:"), "{said}\n{testcase}");
        passes(&test, "drag.yaml");
        testcase
    });
    assert!(testcase.contains("- back:\n") && testcase.ends_with("- home:\n"), "{testcase}");
    tells_mutant(&test, "drag.yaml", ["touchlab_board", "The ball is in the box", "Nothing is in the box"]).await;
}

#[test]
fn a_phone_that_is_acted_on_too_soon_says_so_and_names_nothing_wrong() {
    let (phone, test) = (Phone::start(), Test::new(&[]));
    let file = test.path("soon.yaml");
    let hand = Hand::begin(&phone, &test, "soon.yaml");
    let (shop, double) = (hand.middle("Shop"), hand.held((540.0, 1300.0), 0.0));
    // What lies under the second finger is known to nobody: the first has opened another page.
    phone.shell(&format!("{}; {double}", hand.held(shop, 0.0)));
    hand.sees("wait until it is printed");
    let (testcase, said) = hand.ends(&file);
    assert!(
        testcase.contains("- tap: Shop\n") && testcase.contains("the screen had not been read again before"),
        "{said}\n{testcase}"
    );
}

#[test]
fn letters_that_come_faster_than_any_look_are_all_there() {
    let (phone, test) = (Phone::start(), Test::new(&[]));
    let file = test.path("fast.yaml");
    let hand = Hand::begin(&phone, &test, "fast.yaml");
    hand.tap("Shop");
    hand.sees("- tap: Shop");
    hand.tap("User name");
    hand.sees("- tap: {id: user}");
    // Letters, and the key that leads on, faster than any look.
    let keys = [(0, 0.5), (0, 1.5), (3, 9.0)].map(|(row, first)| hand.key(row, 0, first));
    phone.shell(&keys.map(|key| hand.held(key, 0.0)).join("; "));
    hand.sees("- press_button: enter");
    let (testcase, _) = hand.ends(&file);
    let typed = "- input: {into: {id: user}, text: qw}\n- press_button: enter\n";
    assert!(testcase.contains(typed), "{testcase}");
}

#[test]
fn devices_that_tell_nothing_of_fingers_are_refused() {
    let arguments = ["record", "a.yaml", "--headed", "--device", "harmony"];
    Test::new(&arguments).run().code(2).says("only Android phones tell what a person does on them");
}
