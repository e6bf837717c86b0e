//! Android phones over adb.
