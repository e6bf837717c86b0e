//! How an iPhone is made.

use std::sync::Arc;

use serde_json::Value;

use super::super::clock::Clock;
use super::super::keeper::Keeper;

/// Which WDA the server behaves as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manners {
    /// As 16.12: a slash at the end of a path is none of its routes, and `Transfer-Encoding` is refused.
    #[default]
    Strict,
    /// As 5: a slash at the end is forgiven, a tap is `wda/tap/0`, and what came later is missing.
    Old,
}

/// How an iPhone is made.
#[derive(Clone, Debug)]
pub struct IphoneOptions {
    /// What usbmuxd calls it: 8 and 16 hexadecimal digits with a dash.
    pub udid: String,
    /// What its owner calls it.
    pub name: String,
    /// Port of WDA on 127.0.0.1; 0 stands for any free one.
    pub port: u16,
    /// Port of the moving picture on 127.0.0.1; 0 stands for any free one, none for no such server.
    pub mjpeg_port: Option<u16>,
    pub manners: Manners,
    pub clock: Clock,
    /// Whoever keeps the UI instances that links open as pages; none opens none.
    pub keeper: Option<Arc<dyn Keeper>>,
    /// Faults from the start on, by their names (see `GET /uixt/faults`).
    pub faults: Vec<(String, Value)>,
}

impl Default for IphoneOptions {
    fn default() -> Self {
        Self {
            udid: Self::udid_of(0),
            name: "uixt iPhone".to_owned(),
            port: 0,
            mjpeg_port: None,
            manners: Manners::default(),
            clock: Clock::Wall,
            keeper: None,
            faults: Vec::new(),
        }
    }
}

impl IphoneOptions {
    /// Returns the UDID of the phone of a number, from 0: they differ in one digit up to 16 phones.
    pub fn udid_of(number: u64) -> String {
        format!("00008110-000E{:012X}", 0x0000_000E_001E + (number << 4))
    }
}
