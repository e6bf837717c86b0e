//! What a testcase requires of the machine: devices and programs.

use std::path::Path;

use crate::driver::{self, browser};

/// Tells whether there is a driver for devices of a platform, be any there or not.
pub(in crate::cli) fn drives(platform: &str) -> bool {
    matches!(platform, "phone" | "iphone" | "android" | "ios" | "browser")
}

/// Returns why a requirement is not met; none where it is.
///
/// `phone` and `iphone` always are, `browser` where a browser can be started, `ocr` where the models that read texts are installed;
/// `harmony` is a device that this version cannot drive; any other word is a program that must be on the PATH. `android` and `ios` are
/// left to the device's own check.
pub(in crate::cli) fn unmet(requirement: &str) -> Option<String> {
    match requirement {
        "phone" | "iphone" | "android" | "ios" => None,
        "browser" => browser::missing().map(|error| without_browser(&error)),
        "ocr" => crate::cli::ocr::unmet(),
        "harmony" => Some(format!("requires {requirement}, which is not supported yet")),
        program if on_path(program) => None,
        program => Some(format!("requires {program}, which is not on the PATH")),
    }
}

/// Says that a browser is required which cannot be started.
pub(in crate::cli) fn without_browser(error: &driver::Error) -> String {
    format!("requires browser: {}", error.to_string().replace("\n  =", ";"))
}

fn on_path(program: &str) -> bool {
    let plain = Path::new(program).components().count() == 1;
    plain
        && std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(unmet("phone"), None);
        assert_eq!(unmet("sh"), None);
        assert!(unmet("no-such-program").is_some_and(|reason| reason.contains("no-such-program")));
        assert!(unmet("../bin/sh").is_some());
    }
}
