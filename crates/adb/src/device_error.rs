//! Errors of the adb protocols → device words.

use uixt_driver::Error;

use crate::Error as Adb;

impl From<Adb> for Error {
    fn from(error: Adb) -> Self {
        let message = error.to_string();
        match error {
            Adb::Silent { .. } | Adb::Refused { .. } | Adb::TooMuch { .. } | Adb::File { .. } => {
                Error::Device { message }
            }
            Adb::NoServer { .. }
            | Adb::NoDevice { .. }
            | Adb::Offline { .. }
            | Adb::Unauthorized { .. }
            | Adb::Asking { .. }
            | Adb::Unreachable { .. }
            | Adb::Encrypted { .. }
            | Adb::Key { .. }
            | Adb::Closed { .. }
            | Adb::Timeout { .. }
            | Adb::Vanished { .. }
            | Adb::Protocol { .. } => Error::Disconnected { message },
        }
    }
}
