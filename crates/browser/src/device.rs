//! What a browser has of a device: a viewport that can be turned, a clipboard, a profile that can begin anew.

use std::sync::Arc;

use serde_json::Value;

use super::backend::World;
use super::settings::Viewport;
use super::{Browser, TIMEOUT};
use crate::driver::{AppInfo, Driver as _, Error, Orientation, Size, Turned};

/// What pages and their servers have to be for the clipboard, by the name of its permission.
const CLIPBOARD: [&str; 2] = ["clipboard-read", "clipboard-write"];

const READ: &str = "async () => navigator.clipboard ? [await navigator.clipboard.readText()] : null";

const WRITE: &str = "async (text) => { if (!navigator.clipboard) return null; await navigator.clipboard.writeText(text); return [text]; }";

impl Browser {
    /// Tells how the viewport lies, and whether nobody has turned it since the case began.
    pub(super) async fn turned(&self) -> Result<Turned, Error> {
        let orientation = lie(self.screen_size().await?);
        let held = *self.held.lock();
        Ok(Turned { orientation, auto: held != Some(self.wanted().0) })
    }

    /// Makes the viewport lie in a way, or as the config says. Tabs that are opened later lie as the config says.
    pub(super) async fn turn(&self, wanted: Option<Orientation>) -> Result<(), Error> {
        let (case, settings) = self.wanted();
        let view =
            turned(&settings.viewport, wanted).ok_or_else(|| self.unsupported("turn its viewport upside down"))?;
        let backend = self.backend().await?;
        self.told(backend.resize(&view).await).await?;
        *self.held.lock() = wanted.map(|_| case);
        let now = self.screen_size().await?;
        match (now.width, now.height) == (view.width, view.height) {
            true => Ok(()),
            false => Err(Error::Device {
                message: format!("the viewport is {}×{}, not {}×{}", now.width, now.height, view.width, view.height),
            }),
        }
    }

    pub(super) async fn pasted(&self) -> Result<String, Error> {
        let text = self.by_clipboard(READ, &[]).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    pub(super) async fn copy(&self, text: &str) -> Result<(), Error> {
        self.by_clipboard(WRITE, &[text.into()]).await.map(drop)
    }

    /// Has our own script use the clipboard, which the page's own may not for that: the permission goes again.
    async fn by_clipboard(&self, function: &str, arguments: &[Value]) -> Result<Value, Error> {
        let backend = self.backend().await?;
        for name in CLIPBOARD {
            self.told(backend.permit(name, "granted").await).await?;
        }
        let answer = self.told(backend.call(World::Own, function, arguments, TIMEOUT).await).await;
        let settings = self.settings();
        for name in CLIPBOARD.into_iter().filter(|name| !settings.permissions.iter().any(|given| given == name)) {
            self.told(backend.permit(name, "prompt").await).await?;
        }
        match answer?.get_mut(0) {
            Some(text) => Ok(text.take()),
            None => Err(Error::Device {
                message: "browsers give the clipboard to pages of https: and of this computer (localhost) only: open one first"
                    .to_owned(),
            }),
        }
    }

    /// Has the next call begin with a fresh profile, as the case began.
    pub(super) fn clear(&self, package: &str) -> Result<(), Error> {
        let settings = Arc::unwrap_or_clone(self.known(package)?.settings());
        self.begin(settings);
        Ok(())
    }

    pub(super) async fn told_of(&self, package: &str) -> Result<AppInfo, Error> {
        let version_name = self.known(package)?.details().await?.version;
        Ok(AppInfo { version_name, ..AppInfo::default() })
    }

    fn known(&self, package: &str) -> Result<&Self, Error> {
        match package == self.serial() {
            true => Ok(self),
            false => Err(Error::NotFound { what: format!("the app {package}") }),
        }
    }
}

fn lie(size: Size) -> Orientation {
    if size.width > size.height { Orientation::Landscape } else { Orientation::Portrait }
}

/// Returns a viewport that lies in a way; none where none does.
fn turned(view: &Viewport, wanted: Option<Orientation>) -> Option<Viewport> {
    let (short, long) = (view.width.min(view.height), view.width.max(view.height));
    let (width, height) = match wanted {
        None => (view.width, view.height),
        Some(Orientation::Portrait) => (short, long),
        Some(Orientation::Landscape) => (long, short),
        Some(Orientation::ReversePortrait | Orientation::ReverseLandscape) => return None,
    };
    Some(Viewport { width, height, ..view.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewport_is_turned_by_its_sides() {
        let view = Viewport { width: 412, height: 915, mobile: true, ..Viewport::default() };
        let sides = |wanted| turned(&view, wanted).map(|view| (view.width, view.height, view.mobile));
        assert_eq!(sides(Some(Orientation::Landscape)), Some((915, 412, true)));
        assert_eq!(sides(Some(Orientation::Portrait)), Some((412, 915, true)));
        assert_eq!((sides(None), sides(Some(Orientation::ReversePortrait))), (Some((412, 915, true)), None));
        assert_eq!(lie(Size { width: 915, height: 412 }), Orientation::Landscape);
    }
}
