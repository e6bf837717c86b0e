//! How much a stream may send before its peer has acknowledged it: packets one by one, or bytes where acks are delayed.

use tokio::sync::watch;

/// What the peer of a stream allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allowance {
    /// The peer's id; 0 while it has not answered.
    pub(super) peer: u32,
    /// Packets (0 or 1), or bytes; below 0 where the last packet was larger than what was allowed.
    left: i64,
}

/// The sending side of a stream: what the peer allows, told to whoever sends.
pub(super) struct Meter {
    delayed: bool,
    allowance: watch::Sender<Allowance>,
}

impl Meter {
    /// Begins with nothing that the peer allows; `peer` is 0 where it is not known yet.
    pub(super) fn new(delayed: bool, peer: u32) -> Self {
        Self { delayed, allowance: watch::Sender::new(Allowance { peer, left: 0 }) }
    }

    pub(super) fn peer(&self) -> u32 {
        self.allowance.borrow().peer
    }

    pub(super) fn watch(&self) -> watch::Receiver<Allowance> {
        self.allowance.subscribe()
    }

    /// Takes an `OKAY` in; one that is not this stream's, or malformed, changes nothing.
    pub(super) fn okay(&self, peer: u32, payload: &[u8]) {
        let acknowledged = match (self.delayed, payload) {
            (true, &[a, b, c, d]) => i64::from(i32::from_le_bytes([a, b, c, d])).max(0),
            (true, _) => 0,
            (false, _) => 1,
        };
        self.allowance.send_if_modified(|allowance| {
            if allowance.peer != 0 && allowance.peer != peer {
                return false;
            }
            allowance.peer = peer;
            allowance.left = if self.delayed { allowance.left.saturating_add(acknowledged) } else { 1 };
            true
        });
    }

    /// Notes that a packet of so many bytes goes out.
    pub(super) fn spend(&self, bytes: usize) {
        let spent = if self.delayed { i64::try_from(bytes).unwrap_or(i64::MAX) } else { 1 };
        self.allowance.send_modify(|allowance| allowance.left = allowance.left.saturating_sub(spent));
    }
}

/// Waits until something may be sent; fails once the stream is closed.
pub(super) async fn allowed(allowance: &mut watch::Receiver<Allowance>) -> Result<u32, watch::error::RecvError> {
    allowance.wait_for(|allowance| allowance.left > 0).await.map(|allowance| allowance.peer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(meter: &Meter) -> i64 {
        meter.allowance.borrow().left
    }

    #[test]
    fn packets_go_one_by_one() {
        let meter = Meter::new(false, 5);
        meter.okay(5, &[]);
        meter.spend(4000);
        assert_eq!(left(&meter), 0);
        meter.okay(6, &[]);
        assert_eq!(left(&meter), 0);
        meter.okay(5, &[]);
        meter.okay(5, &[]);
        assert_eq!(left(&meter), 1);
    }

    #[test]
    fn delayed_acks_are_bytes() {
        let meter = Meter::new(true, 0);
        meter.okay(9, &100_i32.to_le_bytes());
        assert_eq!((meter.peer(), left(&meter)), (9, 100));
        meter.spend(130);
        assert_eq!(left(&meter), -30);
        for malformed in [&b""[..], b"123", &(-5_i32).to_le_bytes()] {
            meter.okay(9, malformed);
        }
        assert_eq!(left(&meter), -30);
        meter.okay(9, &130_i32.to_le_bytes());
        assert_eq!(left(&meter), 100);
    }
}
