//! The settings that a fresh phone has, and its input methods: both stand in the system's own map, as `NAMESPACE/KEY`.

use std::collections::BTreeMap;

/// The keyboard that a fresh phone types with.
pub(super) const LATIN_IME: &str = "com.android.inputmethod.latin/.LatinIME";
/// A keyboard that types what a broadcast tells it to.
pub(super) const ADB_IME: &str = "com.android.adbkeyboard/.AdbIME";
/// A keyboard whose app may see the clipboard while it is the one in use.
pub(super) const APPIUM_IME: &str = "io.appium.settings/.AppiumIME";
/// Whether a keyboard is plugged in, which hides that on the screen.
pub(super) const HARD_KEYBOARD: &str = "system/hardware_keyboard";
/// The input methods that are installed.
pub(super) const INPUT_METHODS: [&str; 3] = [LATIN_IME, ADB_IME, APPIUM_IME];
pub(super) const CURRENT_IME: &str = "secure/default_input_method";
pub(super) const ENABLED_IMES: &str = "secure/enabled_input_methods";

const DEFAULTS: [(&str, &str); 24] = [
    ("global/adb_enabled", "1"),
    ("global/airplane_mode_on", "0"),
    ("global/animator_duration_scale", "1"),
    ("global/auto_time", "1"),
    ("global/bluetooth_on", "0"),
    ("global/development_settings_enabled", "1"),
    ("global/device_name", "uixt virtual phone"),
    ("global/device_provisioned", "1"),
    ("global/stay_on_while_plugged_in", "7"),
    ("global/transition_animation_scale", "1"),
    ("global/wifi_on", "1"),
    ("global/window_animation_scale", "1"),
    ("secure/accessibility_enabled", "0"),
    ("secure/android_id", "75697874766f6e65"),
    (CURRENT_IME, LATIN_IME),
    (ENABLED_IMES, "com.android.inputmethod.latin/.LatinIME:com.android.adbkeyboard/.AdbIME"),
    ("secure/location_mode", "0"),
    ("secure/show_ime_with_hard_keyboard", "1"),
    ("secure/user_setup_complete", "1"),
    ("system/accelerometer_rotation", "0"),
    ("system/font_scale", "1.0"),
    ("system/screen_brightness", "128"),
    ("system/screen_off_timeout", "2147483647"),
    ("system/user_rotation", "0"),
];

/// Adds the settings that are missing.
pub(super) fn add_defaults(settings: &mut BTreeMap<String, String>) {
    for (key, value) in DEFAULTS {
        settings.entry(key.to_owned()).or_insert_with(|| value.to_owned());
    }
}

/// Returns the input method that is typed with.
pub(super) fn current_ime(settings: &BTreeMap<String, String>) -> &str {
    settings.get(CURRENT_IME).map_or("", String::as_str)
}

/// Returns what the input method in use shows in place of keys, where it has none.
pub(super) fn keyless(settings: &BTreeMap<String, String>) -> Option<&'static str> {
    match current_ime(settings) {
        ADB_IME => Some("ADB Keyboard {ON}"),
        APPIUM_IME => Some("Appium IME"),
        _ => None,
    }
}

/// Returns the input methods that may be chosen.
pub(super) fn enabled_imes(settings: &BTreeMap<String, String>) -> Vec<&str> {
    let enabled = settings.get(ENABLED_IMES).map_or("", String::as_str);
    enabled.split(':').filter(|id| INPUT_METHODS.contains(id)).collect()
}
