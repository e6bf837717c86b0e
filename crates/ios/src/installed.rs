//! Apps of a simulator as packages: installed, emptied, permitted, and pictures in its gallery.

use std::path::Path;

use crate::driver::{Error, Install};
use crate::simctl::Simulator;

/// Services that simctl knows, by what Android's permissions and people call them.
const SERVICES: [(&str, &str); 13] = [
    ("camera", "camera"),
    ("calendar", "calendar"),
    ("contacts", "contacts"),
    ("location_always", "location-always"),
    ("location-always", "location-always"),
    ("location", "location"),
    ("media-library", "media-library"),
    ("microphone", "microphone"),
    ("motion", "motion"),
    ("photos-add", "photos-add"),
    ("photos", "photos"),
    ("reminders", "reminders"),
    ("siri", "siri"),
];

/// Installs an app; one that is there is replaced unless that is not wanted.
pub(crate) async fn install(simulator: &Simulator, file: &Path, how: Install) -> Result<(), Error> {
    let Some(path) = file.to_str().filter(|_| file.exists()) else {
        return Err(Error::NotFound { what: format!("the app {}", file.display()) });
    };
    if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ipa")) {
        let message =
            format!("{path} is made for phones: a simulator takes a folder `NAME.app` that was built for simulators");
        return Err(Error::Device { message });
    }
    if !how.replace {
        tracing::debug!("a simulator replaces an app that is there");
    }
    simulator.install(path).await
}

/// Deletes what an app keeps, and what it was permitted.
pub(crate) async fn clear(simulator: &Simulator, bundle: &str) -> Result<(), Error> {
    let folder = simulator.data_folder(bundle).await?;
    let folder = Path::new(&folder);
    let is_container = folder.is_absolute() && folder.components().count() > 3 && folder.is_dir();
    if !is_container {
        let message = format!("simctl told {} as the folder of the app's data, which is none", folder.display());
        return Err(Error::Device { message });
    }
    let failed =
        |error: std::io::Error| Error::Device { message: format!("the app's data cannot be deleted: {error}") };
    let mut entries = tokio::fs::read_dir(folder).await.map_err(failed)?;
    while let Some(entry) = entries.next_entry().await.map_err(failed)? {
        // What the simulator itself keeps there tells whose folder it is.
        if entry.file_name().to_string_lossy().starts_with(".com.apple.") {
            continue;
        }
        let is_folder = entry.file_type().await.map_err(failed)?.is_dir();
        match is_folder {
            true => tokio::fs::remove_dir_all(entry.path()).await.map_err(failed)?,
            false => tokio::fs::remove_file(entry.path()).await.map_err(failed)?,
        }
    }
    // An app expects the folders that every app has.
    for name in ["Documents", "Library/Preferences", "Library/Caches", "tmp"] {
        tokio::fs::create_dir_all(folder.join(name)).await.map_err(failed)?;
    }
    simulator.privacy("reset", "all", bundle).await
}

/// Grants a permission or revokes it.
pub(crate) async fn permit(simulator: &Simulator, bundle: &str, permission: &str, granted: bool) -> Result<(), Error> {
    let wanted = permission.rsplit('.').next().unwrap_or(permission).to_ascii_lowercase();
    let known = SERVICES.iter().find(|(name, _)| *name == wanted);
    let (_, service) = known.ok_or_else(|| {
        let names: Vec<&str> = SERVICES.iter().map(|(_, service)| *service).collect();
        Error::Device {
            message: format!("a simulator knows no permission `{permission}`; it knows {}", names.join(", ")),
        }
    })?;
    simulator.privacy(if granted { "grant" } else { "revoke" }, service, bundle).await
}

/// Copies a picture or a video into the gallery.
pub(crate) async fn add_media(simulator: &Simulator, file: &Path, name: &str) -> Result<String, Error> {
    let Some(path) = file.to_str().filter(|_| file.is_file()) else {
        return Err(Error::NotFound { what: format!("the file {}", file.display()) });
    };
    simulator.add_media(path).await?;
    Ok(name.to_owned())
}
