//! What a testcase requires of the machine: devices and programs.

use std::path::Path;

use crate::cli::device::spec::Spec;
use crate::driver::{self, browser};

/// Returns why a requirement is not met; none where it is.
///
/// `browser` is where a browser can be started, `ocr` where the models that read texts are installed; other kinds of devices are left to
/// the device's own check. Any other word is a program that must be on the PATH.
pub(in crate::cli) fn unmet(requirement: &str) -> Option<String> {
    match requirement {
        "browser" => browser::missing().map(|error| without_browser(&error)),
        "ocr" => crate::cli::ocr::unmet(),
        device if Spec::of_kind(device).is_some() => None,
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
