//! `stty` and `tty`: the terminal on standard input. Source: toybox `toys/other/stty.c`, `toys/posix/tty.c`.

use std::io;
use std::sync::Arc;

use super::call::Call;
use crate::tty::{Size, Tty};

impl Call<'_> {
    /// Returns the terminal on standard input.
    fn terminal(&self) -> Option<Arc<Tty>> {
        self.shell.tty.clone().filter(|_| self.io.input.is_terminal())
    }

    /// Whether a file descriptor leads to a terminal; both outputs do where there is one and they lead to the client.
    pub(super) fn is_terminal(&self, descriptor: &str) -> bool {
        match descriptor {
            "0" => self.terminal().is_some(),
            "1" => self.shell.tty.is_some() && self.io.out.is_client(),
            "2" => self.shell.tty.is_some() && self.io.err.is_client(),
            _ => false,
        }
    }
}

/// `stty size`, `stty rows N cols N`, `stty -a`; a terminal is sane from the start.
pub(super) async fn stty(call: &mut Call<'_>) -> io::Result<u8> {
    let Some(tty) = call.terminal() else {
        return call.fail(1, "stty: tcgetattr standard input: Inappropriate ioctl for device").await;
    };
    let mut words = call.arguments.iter();
    if call.arguments.is_empty() {
        return call.done("speed 38400 baud; line = 0;\n").await;
    }
    while let Some(word) = words.next() {
        let Size { rows, columns } = tty.size();
        match word.as_str() {
            "size" => call.out(format!("{rows} {columns}\n")).await?,
            "speed" => call.out("38400\n").await?,
            "-a" => call.out(format!("speed 38400 baud; rows {rows}; columns {columns}; line = 0;\n")).await?,
            "sane" => {}
            "rows" | "cols" | "columns" => {
                let Some(number) = words.next() else { return call.fail(1, "stty: missing arg").await };
                let Ok(number) = number.parse() else {
                    return call.fail(1, &format!("stty: not integer: {number}")).await;
                };
                let is_rows = word == "rows";
                tty.set_size(if is_rows { Size { rows: number, columns } } else { Size { rows, columns: number } });
            }
            other => return call.fail(1, &format!("stty: '{other}' is not supported by the virtual phone")).await,
        }
    }
    Ok(0)
}

pub(super) async fn tty(call: &mut Call<'_>) -> io::Result<u8> {
    match call.terminal() {
        Some(_) => call.done("/dev/pts/0\n").await,
        None => call.out("not a tty\n").await.map(|()| 1),
    }
}
