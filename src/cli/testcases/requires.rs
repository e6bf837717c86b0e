//! What a testcase requires of the machine: devices and programs.

use std::path::Path;

use uixt_schema::nearest;

use crate::cli::device::spec::Spec;
use crate::driver::{self, browser};

/// What is no program.
const KINDS: [&str; 9] = ["android", "phone", "ios", "iphone", "harmony-phone", "harmony", "stf", "browser", "ocr"];

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
        program => Some(format!("requires {program}, which is not on the PATH{}", meant(program))),
    }
}

/// Says which kind of device a word was meant to be.
fn meant(word: &str) -> String {
    let begun = KINDS.into_iter().find(|kind| word.starts_with(kind));
    let kind = begun.or_else(|| nearest(word, KINDS));
    kind.map(|kind| format!("; did you mean `{kind}`?")).unwrap_or_default()
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
        for (word, meant) in [("harmonyos", "harmony"), ("andriod", "android"), ("browsers", "browser")] {
            assert!(
                unmet(word).is_some_and(|reason| reason.ends_with(&format!("; did you mean `{meant}`?"))),
                "{word}"
            );
        }
    }
}
