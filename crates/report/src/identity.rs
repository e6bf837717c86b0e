//! What stays the same however often it is reported → an identifier for programs that others wrote.

use md5::{Digest, Md5};

use crate::result::CaseResult;

/// Returns what a case is called in every run: 32 hexadecimal digits.
pub(super) fn of_case(case: &CaseResult) -> String {
    hex(&[&case.id])
}

/// Returns a UUID for this one run of the case, so that a report that is written again replaces itself.
pub(super) fn of_run_of(case: &CaseResult) -> String {
    uuid(&[&case.id, &case.at.to_rfc3339()])
}

/// Returns a UUID for a picture that the case left.
pub(super) fn of_picture(case: &CaseResult, path: &str) -> String {
    uuid(&[&case.id, &case.at.to_rfc3339(), path])
}

fn uuid(parts: &[&str]) -> String {
    let mut digits = hex(parts);
    // RFC 9562: version 8, made by a way of one's own; variant 10.
    digits.replace_range(12..13, "8");
    digits.replace_range(16..17, "a");
    for at in [20, 16, 12, 8] {
        digits.insert(at, '-');
    }
    digits
}

fn hex(parts: &[&str]) -> String {
    let mut digest = Md5::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    format!("{:032x}", u128::from_be_bytes(digest.finalize().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(uuid(&["ab", "c"]), uuid(&["a", "bc"]));
        let made = uuid(&["login.yaml#0"]);
        let lengths: Vec<_> = made.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert!(made[14..].starts_with('8') && made[19..].starts_with('a'), "{made}");
    }
}
