//! Looking again and again: until a device is in the state that it was asked for, or the time is over.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::driver::Error;

/// The pause between two looks; a look by itself takes a phone as long.
const PAUSE: Duration = Duration::from_millis(50);

/// The last look.
pub(super) struct Seen<T> {
    pub(super) look: T,
    /// Whether the state was reached.
    pub(super) reached: bool,
}

/// Looks at once, and then until `holds` or for longer than `patience`. Fails where a look does.
pub(super) async fn until<T, F>(
    timeout: Duration,
    mut look: impl FnMut() -> F,
    holds: impl Fn(&T) -> bool,
) -> Result<Seen<T>, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let before = Instant::now();
    loop {
        let now = look().await?;
        let reached = holds(&now);
        if reached || before.elapsed() > timeout {
            return Ok(Seen { look: now, reached });
        }
        sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test]
    async fn the_last_look_is_told_whether_or_not_it_holds() {
        let looks = Cell::new(0);
        let count = || {
            looks.set(looks.get() + 1);
            std::future::ready(Ok(looks.get()))
        };
        let seen = until(Duration::from_secs(1), count, |look| *look == 3).await.unwrap();
        assert!(seen.reached && seen.look == 3);
        let seen = until(Duration::ZERO, count, |_| false).await.unwrap();
        assert!(!seen.reached && seen.look <= 5);
    }
}
