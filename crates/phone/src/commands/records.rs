//! What `dumpsys` calls the things that it tells of.

use super::packages::short_class;

/// A number that looks like the address of an object and stays the same for the same name.
pub(super) fn identity(name: &str) -> String {
    let sum = name.bytes().fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{:07x}", sum & 0x0fff_ffff)
}

/// `ActivityRecord{1a2b3c4 u0 com.uixt.shop/.MainActivity t10}`.
pub(super) fn record(package: &str, class: &str) -> String {
    let component = format!("{package}/{}", short_class(package, class));
    format!("ActivityRecord{{{} u0 {component} t10}}", identity(&component))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_written_short() {
        let shown = record("com.uixt.shop", "com.uixt.shop.MainActivity");
        assert!(
            shown.starts_with("ActivityRecord{") && shown.ends_with(" u0 com.uixt.shop/.MainActivity t10}"),
            "{shown}"
        );
        assert_eq!(record("a.b", "c.D").split(' ').nth(2), Some("a.b/c.D"));
    }
}
