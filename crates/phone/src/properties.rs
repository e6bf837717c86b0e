//! The system properties that `getprop` shows, named as Android 14 names them.

use std::collections::BTreeMap;

use super::options::Options;

/// What the phone calls itself.
pub(super) const MODEL: &str = "uixt virtual phone";
/// The same as one word, for `ro.product.device` and `adb devices -l`.
pub(super) const DEVICE: &str = "uixt";
pub(super) const PRODUCT: &str = "uixt_phone";

const FIXED: [(&str, &str); 48] = [
    ("dalvik.vm.heapsize", "512m"),
    ("dev.bootcomplete", "1"),
    ("gsm.operator.alpha", ""),
    ("gsm.sim.state", "ABSENT"),
    ("init.svc.adbd", "running"),
    ("init.svc.bootanim", "stopped"),
    ("init.svc.surfaceflinger", "running"),
    ("init.svc.zygote", "running"),
    ("net.bt.name", "Android"),
    ("persist.sys.locale", "en-US"),
    ("persist.sys.timezone", "UTC"),
    ("persist.sys.usb.config", "adb"),
    ("ro.adb.secure", "0"),
    ("ro.boot.qemu", "0"),
    ("ro.boot.verifiedbootstate", "green"),
    ("ro.bootmode", "unknown"),
    ("ro.build.characteristics", "default"),
    ("ro.build.date.utc", "1760000000"),
    ("ro.build.display.id", "UIXT.240101.001"),
    ("ro.build.fingerprint", "uixt/uixt_phone/uixt:14/UIXT.240101.001/1:user/release-keys"),
    ("ro.build.id", "UIXT.240101.001"),
    ("ro.build.product", DEVICE),
    ("ro.build.tags", "release-keys"),
    ("ro.build.type", "user"),
    ("ro.build.version.codename", "REL"),
    ("ro.build.version.incremental", "1"),
    ("ro.build.version.preview_sdk", "0"),
    ("ro.build.version.release", "14"),
    ("ro.build.version.release_or_codename", "14"),
    ("ro.build.version.sdk", "34"),
    ("ro.build.version.security_patch", "2024-01-05"),
    ("ro.crypto.state", "encrypted"),
    ("ro.debuggable", "0"),
    ("ro.hardware", "uixt"),
    ("ro.product.board", "uixt"),
    ("ro.product.brand", "uixt"),
    ("ro.product.cpu.abi", "arm64-v8a"),
    ("ro.product.cpu.abilist", "arm64-v8a"),
    ("ro.product.device", DEVICE),
    ("ro.product.first_api_level", "34"),
    ("ro.product.locale", "en-US"),
    ("ro.product.manufacturer", "uixt"),
    ("ro.product.model", MODEL),
    ("ro.product.name", PRODUCT),
    ("ro.secure", "1"),
    ("service.bootanim.exit", "1"),
    ("sys.boot_completed", "1"),
    ("sys.usb.state", "adb"),
];

/// Returns what a phone that has just started knows of itself.
pub(super) fn defaults(options: &Options) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> =
        FIXED.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    all.insert("ro.serialno".to_owned(), options.serial.clone());
    all.insert("ro.boot.serialno".to_owned(), options.serial.clone());
    all.insert("ro.sf.lcd_density".to_owned(), options.density.to_string());
    all
}
