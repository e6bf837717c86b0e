//! Simulators by a program that prints what `xcrun simctl` prints.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::{Simctl, bundles, runtime_name};
use crate::driver::{Error, Install, Platform as _};
use crate::testing::{Answer, serve};
use crate::{Address, Options, Platform};

const APPS: &str = "{\n    \"com.apple.mobilesafari\" =     {\n        ApplicationType = System;\n        CFBundleIdentifier = \"com.apple.mobilesafari\";\n    };\n    \"com.uixt.shop\" =     {\n        GroupContainers =         {\n        };\n    };\n    foo =     {\n    };\n}\n";
const DEVICES: &str = r#"{"devices":{"com.apple.CoreSimulator.SimRuntime.iOS-18-5":[
 {"udid":"AAAAAAAA-0000-0000-0000-000000000001","isAvailable":true,"state":"Shutdown","name":"iPhone 16","deviceTypeIdentifier":"x"},
 {"udid":"AAAAAAAA-0000-0000-0000-000000000002","isAvailable":true,"state":"Booted","name":"iPhone 16 Pro"},
 {"udid":"AAAAAAAA-0000-0000-0000-000000000003","isAvailable":false,"state":"Shutdown","name":"Old"}],
 "com.apple.CoreSimulator.SimRuntime.watchOS-11-0":[{"udid":"B","isAvailable":true,"state":"Booted","name":"Watch"}]}}"#;

/// Makes a program in a folder that prints what each command of simctl prints, and writes down what it is asked.
fn xcrun(folder: &Path) -> String {
    let data = folder.join("data/Containers/app");
    std::fs::create_dir_all(data.join("Documents")).unwrap();
    std::fs::write(data.join("Documents/cart.db"), "x").unwrap();
    std::fs::write(data.join(".com.apple.mobile_container_manager.metadata.plist"), "x").unwrap();
    std::fs::write(folder.join("devices"), DEVICES).unwrap();
    std::fs::write(folder.join("apps"), APPS).unwrap();
    let here = folder.display();
    let script = format!(
        "#!/bin/sh\necho \"$*\" >> {here}/log\nshift\ncase \"$1\" in\nlist) cat {here}/devices;;\nlistapps) cat {here}/apps;;\n\
         get_app_container) echo {};;\npbpaste) cat {here}/clip;;\npbcopy) cat > {here}/clip;;\n\
         io) trap 'echo movie > \"$6\"; exit 0' INT; while :; do sleep 0.05; done;;\n\
         openurl) echo 'An error was encountered processing the command' >&2; exit 115;;\n*) ;;\nesac\n",
        data.display()
    );
    let program = folder.join("xcrun");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program.to_str().unwrap().to_owned()
}

fn asked(folder: &TempDir) -> Vec<String> {
    std::fs::read_to_string(folder.path().join("log")).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_simulator_is_named_booted_and_driven_beyond_webdriveragent() {
    let folder = tempfile::tempdir().unwrap();
    let (port, _) = serve(|_, _| Answer::Usual).await;
    let options =
        Options { xcrun: xcrun(folder.path()), port, usbmux: Address::parse("/nowhere"), ..Options::default() };
    let platform = Platform::new(options);
    let listed = platform.list().await.unwrap();
    let [booted] = &listed[..] else { panic!("{listed:?}") };
    assert_eq!((booted.serial.as_str(), booted.name.as_str()), ("sim:iPhone 16 Pro", "iPhone 16 Pro, iOS 18.5"));
    assert_eq!(booted.status, "online");
    platform.seek("sim:iPhone 16");
    let listed = platform.list().await.unwrap();
    assert_eq!((listed[0].serial.as_str(), listed[0].status.as_str()), ("sim:iPhone 16", "not booted"));
    drop(platform.open(&listed[0]).await.unwrap());
    let first = "AAAAAAAA-0000-0000-0000-000000000001";
    assert!(asked(&folder).ends_with(&[format!("simctl boot {first}"), format!("simctl bootstatus {first} -b")]));

    let phone = platform.open(&listed[1]).await.unwrap();
    assert_eq!(phone.packages().await.unwrap(), ["com.apple.mobilesafari", "com.uixt.shop", "foo"]);
    let how = Install { replace: true, downgrade: false, grant: false };
    let app = folder.path().join("Shop.app");
    assert!(matches!(phone.install(&app, how).await, Err(Error::NotFound { .. })));
    std::fs::create_dir(&app).unwrap();
    phone.install(&app, how).await.unwrap();
    phone.uninstall("com.uixt.shop").await.unwrap();
    assert!(matches!(phone.uninstall("com.none").await, Err(Error::NotFound { .. })));
    phone.set_permission("com.uixt.shop", "android.permission.CAMERA", true).await.unwrap();
    phone.set_permission("com.uixt.shop", "photos", false).await.unwrap();
    assert!(
        phone.set_permission("com.uixt.shop", "SMS", true).await.unwrap_err().to_string().contains("it knows camera")
    );
    phone.set_clipboard("a\nb").await.unwrap();
    assert_eq!(phone.clipboard().await.unwrap(), "a\nb");
    assert!(phone.open_url("shop://x", None).await.unwrap_err().to_string().contains("An error was encountered"));
    let picture = folder.path().join("cat.png");
    std::fs::write(&picture, "x").unwrap();
    phone.add_media(&picture, "cat.png").await.unwrap();
    let film = folder.path().join("film.mp4");
    phone.record(Duration::from_millis(300), &film).await.unwrap();
    assert_eq!(std::fs::read_to_string(&film).unwrap(), "movie\n");
    phone.clear_app("com.uixt.shop").await.unwrap();
    let data = folder.path().join("data/Containers/app");
    assert!(!data.join("Documents/cart.db").exists() && data.join("Documents").is_dir());
    assert!(data.join(".com.apple.mobile_container_manager.metadata.plist").exists());
    let second = "AAAAAAAA-0000-0000-0000-000000000002";
    let asked = asked(&folder);
    for line in [
        format!("simctl install {second} {}", app.display()),
        format!("simctl uninstall {second} com.uixt.shop"),
        format!("simctl privacy {second} grant camera com.uixt.shop"),
        format!("simctl privacy {second} revoke photos com.uixt.shop"),
        format!("simctl privacy {second} reset all com.uixt.shop"),
        format!("simctl addmedia {second} {}", picture.display()),
    ] {
        assert!(asked.contains(&line), "{line}: {asked:?}");
    }
}

#[tokio::test]
async fn without_the_program_there_are_no_simulators() {
    let options =
        Options { xcrun: "/nowhere/xcrun".to_owned(), usbmux: Address::parse("/nowhere"), ..Options::default() };
    let platform = Platform::new(options);
    platform.seek("sim:iPhone 16");
    assert!(platform.list().await.unwrap().is_empty());
    let error = platform.absent().unwrap().to_string();
    assert!(error.contains("simulators need a Mac with Xcode"), "{error}");
    assert!(!Simctl::new("no-such-program-of-uixt").is_there());
}

#[test]
fn names_are_read_out_of_what_is_printed() {
    assert_eq!(runtime_name("com.apple.CoreSimulator.SimRuntime.iOS-18-5"), "iOS 18.5");
    assert_eq!(bundles(APPS).collect::<Vec<_>>(), ["com.apple.mobilesafari", "com.uixt.shop", "foo"]);
}
