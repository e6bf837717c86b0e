//! Where the two packages of the server lie on this computer.

use std::path::{Path, PathBuf};

/// The npm package that carries them, and the driver that brings it along.
const CARRIER: &str = "appium-uiautomator2-server";
const DRIVER: &str = "appium-uiautomator2-driver";
/// How their names begin and what is in them, in every release.
const SERVER: &str = "appium-uiautomator2-server-v";
const TEST: &str = "androidTest";

/// The server's packages as files.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Apks {
    pub(super) server: PathBuf,
    pub(super) test: PathBuf,
    /// `10.6.6`, where the name tells it.
    pub(super) version: Option<String>,
    /// Whether the user named them, so that they replace newer ones.
    pub(super) is_named: bool,
}

impl Apks {
    /// Takes the packages from a folder that the user names: the one with the files, or that of the npm package.
    ///
    /// Fails where it does not hold both; the message says what is missing and where to get it.
    pub fn in_folder(folder: &Path) -> Result<Self, String> {
        let nested = [folder.to_path_buf(), folder.join("apks"), folder.join(CARRIER).join("apks")];
        let found = nested.iter().find_map(|folder| of_folder(folder));
        found.map(|apks| Self { is_named: true, ..apks }).ok_or_else(|| {
            format!(
                "{} does not hold the two packages of Appium's UiAutomator2 server ({SERVER}….apk and …{TEST}.apk): \
                 `npm install {CARRIER}` puts them into node_modules/{CARRIER}/apks",
                folder.display()
            )
        })
    }

    /// Looks for the npm package: in `node_modules` of a folder and of those above it, in Appium's own folder, and among
    /// what npm installed for all.
    pub fn near(folder: &Path) -> Option<Self> {
        let folder = std::path::absolute(folder).ok()?;
        let own = folder.ancestors().map(|folder| folder.join("node_modules"));
        own.chain(appium_home()).chain(global()).find_map(|modules| of_modules(&modules))
    }
}

fn of_modules(modules: &Path) -> Option<Apks> {
    let within = modules.join(DRIVER).join("node_modules");
    [modules, &within].into_iter().find_map(|modules| of_folder(&modules.join(CARRIER).join("apks")))
}

fn of_folder(folder: &Path) -> Option<Apks> {
    let names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "apk"))
        .collect();
    let test = names.iter().find(|name| name.contains(TEST))?;
    let server = names.iter().filter(|name| name.starts_with(SERVER) && !name.contains(TEST)).max()?;
    let version = server.strip_prefix(SERVER).and_then(|rest| rest.strip_suffix(".apk")).map(str::to_owned);
    Some(Apks { server: folder.join(server), test: folder.join(test), version, is_named: false })
}

fn appium_home() -> Option<PathBuf> {
    let own = std::env::var_os("APPIUM_HOME").map(PathBuf::from);
    own.or_else(|| Some(std::env::home_dir()?.join(".appium"))).map(|home| home.join("node_modules"))
}

/// Where npm keeps what is installed for all: beside the folder that its program lies in.
fn global() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::env::split_paths(&path).filter(|folder| ["npm", "npm.cmd"].iter().any(|npm| folder.join(npm).exists()));
    folders.flat_map(|folder| [folder.join("../lib/node_modules"), folder.join("node_modules")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packages_are_found_where_npm_puts_them() {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().join("tests/deep");
        let apks = root.path().join("node_modules").join(CARRIER).join("apks");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::create_dir_all(&apks).unwrap();
        let server = apks.join("appium-uiautomator2-server-v10.6.6.apk");
        std::fs::write(&server, "").unwrap();
        assert!(Apks::in_folder(&apks).is_err_and(|message| message.contains("npm install")));
        std::fs::write(apks.join("appium-uiautomator2-server-debug-androidTest.apk"), "").unwrap();
        std::fs::write(apks.join("appium-uiautomator2-server-v10.6.6.apk.idsig"), "").unwrap();
        let found = Apks::near(&project).unwrap();
        assert_eq!((found.server, found.version.as_deref(), found.is_named), (server, Some("10.6.6"), false));
        for folder in [&apks, apks.parent().unwrap(), &root.path().join("node_modules")] {
            assert!(Apks::in_folder(folder).unwrap().is_named, "{}", folder.display());
        }
    }
}
