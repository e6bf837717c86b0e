//! A device that shows one recorded screen, which never changes, and notes what was asked of it.

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::Value;
use uixt::driver::{DeviceInfo, Display, Driver, Error, Gesture, Look, Registry, Screen};
use uixt::tools::{Audience, Local};
use uixt_call::{Call, CallToolRequest, Caller as _};
use uixt_toolkit::Session;

pub(crate) struct Recorded {
    info: DeviceInfo,
    screen: Screen,
    /// The selectors of each look, and whether it was to be a steady one.
    pub(crate) looks: Mutex<Vec<(Vec<String>, bool)>>,
    pub(crate) done: Mutex<Vec<String>>,
}

#[async_trait]
impl Driver for Recorded {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    async fn display(&self) -> Result<Display, Error> {
        Ok(Display { size: self.screen.size, lit: true })
    }

    async fn screen(&self) -> Result<Screen, Error> {
        Ok(self.screen.clone())
    }

    async fn look(&self, look: &Look<'_>) -> Result<Screen, Error> {
        self.looks.lock().expect("a lock").push((look.selectors.to_vec(), look.steady));
        self.screen().await
    }

    async fn reveal(&self, key: u64) -> Result<bool, Error> {
        self.done.lock().expect("a lock").push(format!("reveal {}", key & u64::from(u32::MAX)));
        Ok(false)
    }

    async fn perform(&self, gesture: Gesture) -> Result<(), Error> {
        self.done.lock().expect("a lock").push(format!("{gesture:?}"));
        Ok(())
    }
}

/// Returns a recording's text, by its path below `tests/`.
pub(crate) fn recording(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path);
    std::fs::read_to_string(path).expect("a recording")
}

/// Returns what calls tools on a device that shows a screen, and the device.
pub(crate) fn device(platform: &'static str, name: &str, screen: Screen) -> (Local, Arc<Recorded>) {
    let info = DeviceInfo { platform, serial: name.to_owned(), ..DeviceInfo::default() };
    let driver = Arc::new(Recorded { info, screen, looks: Mutex::default(), done: Mutex::default() });
    let session = Session::on(driver.clone());
    (Local::new(Arc::new(Registry::default()), Arc::new(session), Audience::Agent), driver)
}

/// Calls a tool; what fails is an error.
pub(crate) async fn call(device: &Local, tool: &'static str, arguments: Value) -> Result<Value, Value> {
    let Value::Object(arguments) = arguments else { panic!("arguments are a map") };
    let request = CallToolRequest::new(tool).with_arguments(arguments);
    let result = device.call(request, Call::default()).await;
    let is_failure = result.is_failure();
    let object = result.structured_content.expect("an object");
    if is_failure { Err(object) } else { Ok(object) }
}
