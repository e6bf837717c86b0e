//! How long is waited, for whom.

use std::time::Duration;

/// For a phone to accept a connection.
pub(super) const CONNECT: Duration = seconds(3);
/// For one answer before the connection stands, except for a person's.
pub(super) const ANSWER: Duration = seconds(5);
/// For a person to allow this computer.
pub(super) const DIALOG: Duration = seconds(600);
/// By somebody who needs a phone, for the phone and its owner together.
pub(super) const CALLER: Duration = seconds(10);
/// By somebody who needs it after somebody else waited for it in vain.
pub(super) const ONCE_MORE: Duration = seconds(1);
/// For a service to be opened.
pub(super) const OPEN: Duration = seconds(10);
/// For one packet to leave.
pub(super) const SEND: Duration = seconds(10);
/// For anything at all, where an adbd that lives must say something.
pub(super) const SIGN_OF_LIFE: Duration = seconds(5);

/// Time runs faster in tests.
const fn seconds(seconds: u64) -> Duration {
    Duration::from_millis(seconds * if cfg!(test) { 60 } else { 1000 })
}
