//! An installed app as others see it, and which build of it is installed.

/// An installed app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// `com.uixt.shop`.
    pub package: String,
    /// `.MainActivity`, as `am start -n` takes it.
    pub activity: String,
    /// What the launcher shows.
    pub label: String,
    /// Whether `pm list packages -3` shows it.
    pub third_party: bool,
    pub release: Release,
}

/// Which build of an app is installed, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    pub version_code: u64,
    pub version_name: String,
    pub min_sdk: u32,
    pub target_sdk: u32,
    /// Milliseconds since 1970.
    pub installed_ms: u64,
    pub updated_ms: u64,
    /// Whether it came as a package, rather than with the phone.
    pub from_package: bool,
}

impl Release {
    /// Returns that of an app that came with the phone.
    pub(super) fn built_in() -> Self {
        /// The first of January 2026.
        const MADE: u64 = 1_767_225_600_000;
        Self {
            version_code: 1,
            version_name: "1.0.0".to_owned(),
            min_sdk: 24,
            target_sdk: 34,
            installed_ms: MADE,
            updated_ms: MADE,
            from_package: false,
        }
    }
}
