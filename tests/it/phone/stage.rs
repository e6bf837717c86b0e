//! A virtual phone and its driver, in one process, and the page of a pad that they are tried on.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use uixt::driver::{Driver, Element, Gesture, Point, Registry, Screen, harmony, ios};
use uixt::phone::{HarmonyOptions, HarmonyPhone, Iphone, IphoneOptions};

const APP: &str = "com.uixt.touchlab";

pub(super) enum Phone {
    Ios(Iphone),
    Harmony(HarmonyPhone),
}

pub(super) struct Stage {
    pub(super) phone: Phone,
    pub(super) driver: Arc<dyn Driver>,
}

impl Stage {
    pub(super) async fn iphone() -> Self {
        let iphone = Iphone::start(IphoneOptions::default()).await.expect("an iPhone starts");
        let address = format!("http://{}", iphone.address());
        let registry = Registry::new(vec![Box::new(ios::Platform::new(ios::Options::default()))]);
        let driver = registry.open(Some("ios"), Some(&address)).await.expect("the iPhone is there");
        Self { phone: Phone::Ios(iphone), driver }
    }

    /// Starts a HarmonyOS phone, which is driven as these options say.
    pub(super) async fn harmony(options: harmony::Options) -> Self {
        let phone = HarmonyPhone::start(vec![HarmonyOptions::default()]).await.expect("a phone starts");
        let registry = Registry::new(vec![Box::new(platform(&phone, options))]);
        let driver = registry.open(Some("harmony"), None).await.expect("the phone is there");
        Self { phone: Phone::Harmony(phone), driver }
    }

    pub(super) async fn set_fault(&self, name: &str, value: Value) {
        let set = match &self.phone {
            Phone::Ios(iphone) => iphone.set_fault(name, value).await,
            Phone::Harmony(phone) => phone.set_fault(&HarmonyOptions::default().key, name, value).await,
        };
        set.expect("a fault");
    }

    /// Returns how often something was really done: `touches`, `keys`, `launches`, and on HarmonyOS `texts`.
    pub(super) fn count(&self, name: &str) -> u64 {
        let acts = match &self.phone {
            Phone::Ios(iphone) => iphone.acts(),
            Phone::Harmony(phone) => phone.acts(&HarmonyOptions::default().key),
        };
        acts[name].as_u64().expect("a count")
    }

    /// Opens the pad afresh, with the cursor in its field.
    pub(super) async fn pad(&self) -> Point {
        self.driver.unlock().await.expect("it is unlocked");
        for app in ["com.uixt.shop", APP] {
            self.driver.terminate(app).await.expect("it ends");
        }
        self.driver.launch(APP).await.expect("it starts");
        self.touch("Gesture pad").await;
        self.touch("note").await;
        center(&self.driver.screen().await.expect("a screen"), "note")
    }

    async fn touch(&self, name: &str) {
        let at = center(&self.driver.screen().await.expect("a screen"), name);
        self.driver.perform(Gesture::Tap { at, hold: Duration::ZERO }).await.expect("a touch");
    }
}

/// Returns the way to HarmonyOS phones, whatever server the options name.
pub(super) fn platform(phone: &HarmonyPhone, options: harmony::Options) -> harmony::Platform {
    harmony::Platform::new(&harmony::Options { server: Some(phone.address().to_string()), ..options })
}

/// Returns the first element of a name or an id.
pub(super) fn find<'a>(screen: &'a Screen, name: &str) -> &'a Element {
    let mut found = None;
    for root in &screen.roots {
        root.walk(&mut |one| {
            found = found.or_else(|| (one.name() == name || one.short_id() == name).then_some(one));
        });
    }
    found.unwrap_or_else(|| panic!("no {name} in {screen:?}"))
}

pub(super) fn center(screen: &Screen, name: &str) -> Point {
    find(screen, name).rect.center()
}
