//! What a testcase requires of the machine: devices and programs.

use std::path::Path;

/// Returns why a requirement is not met; none where it is.
///
/// `phone` always is; `ios`, `harmony` and `browser` are devices that this version cannot drive; any other word is a
/// program that must be on the PATH. `android` is left to the device's own check.
pub(super) fn unmet(requirement: &str) -> Option<String> {
    match requirement {
        "phone" | "android" => None,
        "ios" | "harmony" | "browser" => Some(format!("requires {requirement}, which is not supported yet")),
        program if on_path(program) => None,
        program => Some(format!("requires {program}, which is not on the PATH")),
    }
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
