//! Apps as packages: how one is installed, what a device knows of it.

/// What is done to apps before a case, so that it begins as the one before began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reset {
    /// Nothing: they stay as the case before left them.
    #[default]
    None,
    /// Those that were started are ended.
    App,
    /// Those that were started are ended, and their data and permissions deleted.
    Data,
}

/// How an app is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Install {
    /// Whether one that is there already is replaced; its data stay.
    pub replace: bool,
    /// Whether a newer version may be replaced by an older one.
    pub downgrade: bool,
    /// Whether it gets every permission that it asks for.
    pub grant: bool,
}

/// What a device knows of an app. Texts are empty where it does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppInfo {
    pub version_name: String,
    pub version_code: Option<u64>,
    pub min_sdk: Option<u32>,
    pub target_sdk: Option<u32>,
    /// In the device's own words: `2026-01-01 00:00:00`.
    pub first_install_time: String,
    pub last_update_time: String,
    /// Where it lies on the device.
    pub path: String,
    /// Whether it came with the device.
    pub system: bool,
    /// What may be granted and revoked.
    pub permissions: Vec<Permission>,
}

/// A permission of an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// `android.permission.CAMERA`.
    pub name: String,
    pub granted: bool,
}
