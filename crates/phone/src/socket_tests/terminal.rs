//! Somebody types at `adb shell`: Ctrl-C, Ctrl-D, the terminal's size.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{open, phone, sh};
use crate::Phone;
use crate::adb::shell;

const SOON: Duration = Duration::from_secs(10);
const PROMPT: &str = "uixt:/ $ ";

/// Somebody at a terminal of 24 lines.
struct Person {
    stream: TcpStream,
    /// What stands on the screen and was not looked at.
    screen: String,
    exit: Option<u8>,
}

impl Person {
    async fn at(phone: &Phone, command: &str) -> Self {
        let mut stream = open(phone, &format!("shell,v2,TERM=xterm-256color,pty:{command}")).await;
        shell::write_packets(&mut stream, shell::WINDOW_SIZE, b"24x100,0x0").await.unwrap();
        Self { stream, screen: String::new(), exit: None }
    }

    async fn types(&mut self, text: &str) {
        shell::write_packets(&mut self.stream, shell::STDIN, text.as_bytes()).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    /// Returns whether there was more to read.
    async fn look(&mut self) -> bool {
        let read = timeout(SOON, shell::read_packet(&mut self.stream)).await;
        match read.unwrap_or_else(|_| panic!("nothing more comes behind {:?}", self.screen)).unwrap() {
            Some((shell::EXIT, code)) => self.exit = Some(code[0]),
            Some((_, bytes)) => self.screen.push_str(&String::from_utf8(bytes).unwrap()),
            None => return false,
        }
        true
    }

    /// Waits for a text, and returns what stood before it.
    async fn sees(&mut self, text: &str) -> String {
        loop {
            if let Some((before, rest)) = self.screen.split_once(text) {
                let (before, rest) = (before.to_owned(), rest.to_owned());
                self.screen = rest;
                return before;
            }
            assert!(self.look().await, "the session ended before {text:?}: {:?}", self.screen);
        }
    }

    /// Waits for the session's end; returns its exit code and what is left on the screen.
    async fn left(mut self) -> (Option<u8>, String) {
        while self.look().await {}
        (self.exit, self.screen)
    }
}

#[tokio::test]
async fn ctrl_c_ends_what_runs_and_drops_what_was_typed() {
    let (phone, _) = phone().await;
    let mut person = Person::at(&phone, "").await;
    person.sees(PROMPT).await;
    for endless in ["sleep 1000", "logcat", "cat", "cat | cat", "sh -c 'sleep 1000; echo no'"] {
        person.types(&format!("cd /; X=1; {endless}\n")).await;
        person.sees("\r\n").await;
        // Typed ahead of Ctrl-C, and behind it.
        person.types("echo too ea").await;
        person.types("rly\nhalf\x03echo =$?$X\n").await;
        let before = person.sees("=1301\r\n").await;
        assert!(before.contains("^C\r\n") && !before.contains("\ntoo early\r\n"), "{endless}: {before:?}");
        person.sees(PROMPT).await;
    }
    person.types("echo never\x03").await;
    assert_eq!(person.sees(PROMPT).await, "echo never^C\r\n");
    person.types("echo $?\n").await;
    person.sees("\r\n130\r\n").await;
    person.types("echo 'echo piped' | sh\n").await;
    person.sees("\r\npiped\r\n").await;
    person.types("exit 3\n").await;
    assert_eq!(person.left().await.0, Some(3));
}

#[tokio::test]
async fn ctrl_c_ends_a_command_of_its_own() {
    let (phone, _) = phone().await;
    for command in ["sleep 100", "echo a; logcat | grep -c x; echo b", "cat"] {
        let mut person = Person::at(&phone, command).await;
        // It may not have begun yet, which is no matter.
        person.types("\x03").await;
        let (exit, screen) = person.left().await;
        assert_eq!((exit, screen.contains("b\r\n")), (Some(130), false), "{command}: {screen}");
    }
}

#[tokio::test]
async fn ctrl_d_ends_the_input_of_what_reads() {
    let (phone, _) = phone().await;
    let mut person = Person::at(&phone, "").await;
    person.types("cat > /sdcard/typed\na\nb\n\x04cat /sdcard/typed | cat; echo =\n").await;
    person.sees("a\r\nb\r\n=\r\n").await;
    // Not at the beginning of a line: what was typed goes on its way.
    person.types("cat\nab\x04").await;
    person.sees("\nab").await;
    person.sees("ab").await;
    person.types("\x04").await;
    person.sees(PROMPT).await;
    person.types("false\n").await;
    person.sees(PROMPT).await;
    person.types("\x04").await;
    assert_eq!(person.left().await.0, Some(1));
}

#[tokio::test]
async fn a_terminal_has_a_name_and_a_size() {
    let (phone, device) = phone().await;
    let mut person =
        Person::at(&phone, "stty size; echo $TERM $COLUMNS $LINES; tty; [ -t 0 ] && echo t; tty | tty").await;
    assert_eq!(person.sees("\r\n/dev").await, "24 100\r\nxterm-256color 100 24");
    assert_eq!(person.left().await, (Some(1), "/pts/0\r\nt\r\nnot a tty\r\n".to_owned()));
    let mut person = Person::at(&phone, "").await;
    person.sees(PROMPT).await;
    shell::write_packets(&mut person.stream, shell::WINDOW_SIZE, b"50x132,0x0").await.unwrap();
    person.types("read 'a?Name: ' b; stty -a; stty -echo; stty rows 7; echo $LINES $COLUMNS $b.$a\n").await;
    person.sees("\nName: ").await;
    person.types("one two  three\n").await;
    person.sees("rows 50; columns 132;").await;
    person.sees("'-echo' is not supported").await;
    person.sees("7 132 two three.one\r\n").await;
    let (out, err, code) = sh(&device, "echo $TERM=$COLUMNS; echo 'a b' | (read x; echo $x); tty; stty size").await;
    assert_eq!((out.as_str(), code), ("dumb=\na b\nnot a tty\n", 1));
    assert!(err.contains("Inappropriate ioctl"), "{err}");
}
