//! A name and a device → the file of the picture that a screen is compared with, beside the testcase.

use std::path::{Path, PathBuf};

use uixt_driver::Size;
use uixt_locate::{Error, Kind};
use uixt_pictures::Picture;
use uixt_toolkit::Context;

/// What the folder of a testcase's baselines is called, behind the testcase's own name.
pub const FOLDER: &str = ".snapshots";

/// What becomes of pictures that nothing is there to compare with, or that differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Snapshots {
    /// The first picture is kept; one that differs is a failure.
    #[default]
    Missing,
    /// Every picture is kept.
    Update,
    /// None is kept: a baseline that is not there is an error.
    Never,
}

/// Where a baseline lies.
pub(crate) struct Baseline {
    pub(crate) file: PathBuf,
    /// The file, from the project's folder, for people.
    pub(crate) told: String,
}

impl Baseline {
    /// Returns where the baseline of a name lies for a device whose pictures have this size.
    pub(crate) async fn of(cx: &Context, name: &str, picture: Size) -> Result<Self, Error> {
        let device = cx.driver()?;
        let density = match device.info().platform {
            "browser" => ratio(picture, device.screen_size().await?),
            // One that does not tell has one density only.
            _ => device.details().await.ok().and_then(|details| details.density).map(|dpi| format!("@{dpi}dpi")),
        };
        let file = format!(
            "{name}-{}-{}x{}{}.png",
            device.info().platform,
            picture.width,
            picture.height,
            density.unwrap_or_default()
        );
        let root = cx.session.files().root();
        let folder = cx.options.testcase.as_deref().map_or_else(|| root.join("snapshots"), folder_of);
        let file = folder.join(file);
        let told = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().into_owned();
        Ok(Self { file, told })
    }

    /// Reads it; none where there is none.
    pub(crate) fn read(&self) -> Result<Option<Picture>, Error> {
        let bad = |why: String| Error::new(Kind::BadArgument, format!("{}: {why}", self.told));
        match std::fs::read(&self.file) {
            Ok(png) => Picture::decode(&png).map(Some).map_err(|error| bad(error.to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(bad(error.to_string())),
        }
    }

    /// Writes it, as a whole or not at all.
    pub(crate) fn write(&self, cx: &Context, picture: &Picture) -> Result<(), Error> {
        let cannot = |why: String| Error::new(Kind::Device, format!("cannot write {}: {why}", self.told));
        let png = picture.encode().map_err(|error| cannot(error.to_string()))?;
        let path = self.file.to_string_lossy();
        let file = cx.session.files().output(Some(&path), "").map_err(|refused| cannot(refused.to_string()))?;
        let part = file.with_extension("png.part");
        std::fs::write(&part, png)
            .and_then(|()| std::fs::rename(&part, &file))
            .map_err(|error| cannot(error.to_string()))
    }
}

/// Says how many pixels of a picture are one of the page, where that is not one.
fn ratio(picture: Size, page: Size) -> Option<String> {
    let ratio = f64::from(picture.width) / f64::from(page.width.max(1));
    ((ratio - 1.0).abs() > 0.01).then(|| format!("@{}x", (ratio * 100.0).round() / 100.0))
}

/// Checks that a name can be one of a file anywhere.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_' | '.' | ' ');
    let fits = !name.trim().is_empty() && name.chars().count() <= 80 && !name.starts_with('.');
    match fits && name.chars().all(is_plain) {
        true => Ok(()),
        false => Err(format!(
            "`name` is part of a file's name: 1 to 80 letters, digits, spaces, `-`, `_` and `.`, not `{name}`"
        )),
    }
}

/// Returns the folder in which a testcase's baselines lie.
pub fn folder_of(testcase: &Path) -> PathBuf {
    testcase.with_extension(FOLDER.trim_start_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        for name in ["home", "登录 2", "cart_v1.2-dark"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for name in ["", " ", "../x", "a/b", "a\\b", ".x", "a:b"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_page_s_density_is_told_where_it_is_not_one() {
        let of = |width| Size { width, height: 9 };
        assert_eq!(ratio(of(412), of(412)), None);
        assert_eq!(ratio(of(824), of(412)).as_deref(), Some("@2x"));
        assert_eq!(ratio(of(1080), of(411)).as_deref(), Some("@2.63x"));
    }
}
