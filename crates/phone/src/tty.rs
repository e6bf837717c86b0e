//! The terminal of a session, as its shell sees it: its size, and how often Ctrl-C was pressed. Knows neither keys nor streams.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

/// What a shell takes for the size of a terminal that has told none.
const USUAL: Size = Size { rows: 24, columns: 80 };
/// Exit code of a command that Ctrl-C ended (SIGINT).
pub(super) const INTERRUPTED: u8 = 130;

/// Characters down and across; 0 where nothing was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) rows: u16,
    pub(super) columns: u16,
}

/// A terminal.
#[derive(Default)]
pub(super) struct Tty {
    size: watch::Sender<Size>,
    interrupts: watch::Sender<u64>,
}

impl Size {
    /// Reads what `shell_v2` sends: `24x80,0x0`, characters and then pixels.
    fn read(text: &[u8]) -> Option<Self> {
        let text = str::from_utf8(text).ok()?.trim_end_matches('\0');
        let (rows, columns) = text.split(',').next()?.split_once('x')?;
        Some(Self { rows: rows.parse().ok()?, columns: columns.parse().ok()? })
    }
}

impl Tty {
    pub(super) fn size(&self) -> Size {
        *self.size.borrow()
    }

    pub(super) fn set_size(&self, size: Size) {
        self.size.send_replace(size);
    }

    /// Takes in the size that a client tells; what is none is ignored.
    pub(super) fn resize(&self, text: &[u8]) {
        if let Some(size) = Size::read(text) {
            self.set_size(size);
        }
    }

    /// Waits until a client has told the size, but not long: some never do.
    pub(super) async fn until_sized(&self, patience: Duration) {
        let mut sizes = self.size.subscribe();
        let told = sizes.wait_for(|size| *size != Size::default());
        // The sender is this terminal's own.
        let _ = timeout(patience, told).await;
    }

    /// Returns `COLUMNS` and `LINES`, as a shell sets them.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let size = self.size();
        let value = match name {
            "COLUMNS" => [size.columns, USUAL.columns],
            "LINES" => [size.rows, USUAL.rows],
            _ => return None,
        };
        value.into_iter().find(|value| *value > 0).map(|value| value.to_string())
    }

    /// Ctrl-C.
    pub(super) fn interrupt(&self) {
        self.interrupts.send_modify(|count| *count += 1);
    }

    /// Returns how often Ctrl-C was pressed.
    pub(super) fn interrupts(&self) -> u64 {
        *self.interrupts.borrow()
    }

    /// Returns once Ctrl-C was pressed more often than this.
    pub(super) async fn interrupted(&self, handled: u64) {
        // The sender is this terminal's own.
        let _ = self.interrupts.subscribe().wait_for(|count| *count > handled).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_have_usual_values() {
        let tty = Tty::default();
        assert_eq!([tty.variable("COLUMNS"), tty.variable("LINES")], ["80", "24"].map(|text| Some(text.to_owned())));
        tty.resize(b"50x132,0x0");
        assert_eq!((tty.size(), tty.variable("COLUMNS").as_deref()), (Size { rows: 50, columns: 132 }, Some("132")));
        tty.resize(b"x,");
        assert_eq!((tty.size().rows, tty.variable("TERM")), (50, None));
    }
}
