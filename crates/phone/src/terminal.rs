//! The little of a terminal that a person at `adb shell` needs: echo, backspace, Ctrl-C, Ctrl-D, line ends.

/// Characters of a line that are kept.
const MAX_LEN: usize = 4096;

/// A line while it is typed.
#[derive(Default)]
pub(super) struct Line {
    typed: String,
    /// Bytes of a character that has not come whole.
    partial: Vec<u8>,
}

/// What became of some key presses.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    /// What the screen shows of them.
    pub(super) echo: Vec<u8>,
    /// What whoever reads from the terminal gets of them, in order.
    pub(super) parts: Vec<Part>,
}

/// What a terminal hands on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Whole lines, or the beginning of one behind which Ctrl-D was pressed.
    Text(Vec<u8>),
    /// Ctrl-D on an empty line.
    End,
    /// Ctrl-C.
    Interrupt,
}

impl Typed {
    fn add(&mut self, bytes: Vec<u8>) {
        match self.parts.last_mut() {
            Some(Part::Text(text)) => text.extend(bytes),
            _ => self.parts.push(Part::Text(bytes)),
        }
    }
}

impl Line {
    /// Takes in what was typed.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Typed {
        self.partial.extend_from_slice(bytes);
        let whole = match str::from_utf8(&self.partial) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.partial.len(),
        };
        let rest = self.partial.split_off(whole);
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.partial, rest)).into_owned();
        let mut typed = Typed::default();
        for c in text.chars() {
            self.key(c, &mut typed);
        }
        typed
    }

    fn key(&mut self, c: char, typed: &mut Typed) {
        match c {
            '\r' | '\n' => {
                typed.echo.push(b'\n');
                self.typed.push('\n');
                typed.add(std::mem::take(&mut self.typed).into_bytes());
            }
            '\u{7f}' | '\u{8}' => {
                if self.typed.pop().is_some() {
                    typed.echo.extend(b"\x08 \x08");
                }
            }
            '\u{3}' => {
                self.typed.clear();
                typed.echo.extend(b"^C\n");
                typed.parts.push(Part::Interrupt);
            }
            '\u{4}' if self.typed.is_empty() => typed.parts.push(Part::End),
            '\u{4}' => typed.add(std::mem::take(&mut self.typed).into_bytes()),
            c if c.is_control() || self.typed.len() >= MAX_LEN => {}
            c => {
                self.typed.push(c);
                typed.echo.extend(c.to_string().into_bytes());
            }
        }
    }
}

/// Puts a carriage return before every line end.
pub(super) fn with_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    for byte in bytes {
        if *byte == b'\n' {
            all.push(b'\r');
        }
        all.push(*byte);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_is_echoed_and_comes_as_lines() {
        let mut line = Line::default();
        assert_eq!(line.take(b"lx\x7fs"), Typed { echo: b"lx\x08 \x08s".to_vec(), ..Typed::default() });
        assert_eq!(line.take(b"\r").parts, [Part::Text(b"ls\n".to_vec())]);
        assert_eq!(line.take(&"登".as_bytes()[..2]), Typed::default());
        assert_eq!(line.take(&"登".as_bytes()[2..]).echo, "登".as_bytes());
        assert_eq!(line.take(b"\x04").parts, [Part::Text("登".into())]);
        let parts = line.take(b"a\nb\n\x04dropped\x03c\n").parts;
        let text = |text: &str| Part::Text(text.into());
        assert_eq!(parts, [text("a\nb\n"), Part::End, Part::Interrupt, text("c\n")]);
    }
}
