//! Files made to hurt: each is refused soon, in little memory, with an error that says why.

use std::fmt::Write as _;

use crate::support::Test;
use crate::support::counterparts::limited;

const MEBIBYTES: u32 = 512;
/// Of processor time, which a busy machine takes no more of.
const SECONDS: u32 = 10;

/// Checks a file with the program, which may use 512 MiB and 10 s of processor time.
#[track_caller]
fn check(text: impl AsRef<[u8]>, code: i32, says: &str) {
    let test = Test::new(&["check", "file.yaml"]).file("file.yaml", text);
    let output = limited(&test.command(), MEBIBYTES, SECONDS).output().expect("sh starts");
    let ran = test.ran(&output).code(code).says(says);
    assert!(ran.stderr.len() < 4000, "{} bytes of errors", ran.stderr.len());
}

/// Ten lists, each of ten of the one before: ten to the tenth texts.
fn bomb() -> String {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(text, "a{level}: &a{level} [{items}]").expect("a string");
    }
    text + "teststeps:\n- log: *a9\n"
}

#[test]
fn deep_lists() {
    check(format!("teststeps: {}{}", "[".repeat(10_000), "]".repeat(10_000)), 2, "nested too deeply");
}

#[test]
fn deep_maps() {
    check(format!("teststeps:\n- log: {}1{}", "{a: ".repeat(10_000), "}".repeat(10_000)), 2, "nested too deeply");
}

#[test]
fn deep_blocks() {
    let lines = (0..10_000).fold("teststeps:\n".to_owned(), |text, depth| text + &" ".repeat(depth % 3000) + "- \n");
    check(lines, 2, "error: ");
}

#[test]
fn alias_bomb() {
    check(bomb(), 2, "aliases repeat too much");
}

#[test]
fn a_hundred_megabytes() {
    check("- log: a line like any other\n".repeat(100_000_000 / 29), 2, "is larger than 4 MiB");
}

#[test]
fn as_large_as_it_may_be() {
    let line = format!("- log: {}\n", "long ".repeat(30));
    check(format!("teststeps:\n{}", line.repeat(20_000)), 0, "");
    check(format!("teststeps:\n{}", "- log: a\n".repeat(400_000)), 2, "too many values in one file");
}

#[test]
fn duplicate_keys() {
    check("teststeps:\n- log: a\nteststeps:\n- log: b\n", 2, "duplicate key `teststeps`");
}

#[test]
fn bytes_that_are_no_text() {
    check(b"teststeps:\n- log: \xff\xfe\n", 2, "not UTF-8: byte 0xff at offset 18");
    check(b"\xff\xfet\0e\0s\0t\0", 2, "is UTF-16; save it as UTF-8");
}

#[test]
fn a_byte_order_mark_is_no_text_of_the_file() {
    check(b"\xef\xbb\xbfteststeps:\n- log: a\n", 0, "");
}

#[test]
fn tabs() {
    check("teststeps:\n\t- log: a\n", 2, "a tab indents this line");
}

#[test]
fn a_thousand_errors_are_not_a_flood() {
    let test =
        Test::new(&["check", "file.yaml"]).file("file.yaml", format!("teststeps:\n{}", "- nope: 1\n".repeat(1000)));
    let ran = test.run().code(2);
    assert!(ran.stderr.lines().count() <= 101 * 7, "{} lines", ran.stderr.lines().count());
}
