//! Errors of the adb protocols → device words.

use uixt_adb as adb;

use crate::Error;

impl From<adb::Error> for Error {
    fn from(error: adb::Error) -> Self {
        use adb::Error as Adb;
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
