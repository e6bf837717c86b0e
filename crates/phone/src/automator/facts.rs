//! Routes that only tell what the phone is, and those that turn it.

use serde_json::{Value, json};

use super::super::bars;
use super::super::handset::Handset;
use super::super::properties;
use super::refusal::{Outcome, Refusal};
use uixt_canvas::geometry::Scale;

/// Pixels per inch at which a density-independent pixel is a pixel.
const NORMAL_DENSITY: f64 = 160.0;
const ROTATIONS: [u64; 4] = [0, 90, 180, 270];

pub(super) async fn answer(handset: &Handset, method: &str, segments: &[&str], body: &Value) -> Outcome {
    let mut system = handset.system.lock().await;
    let (width, height) = system.size();
    let density = system.density_override().unwrap_or(system.options().density);
    match (method, segments) {
        ("GET", ["window", _, "size"]) => Ok(json!({"width": width, "height": height})),
        ("GET", ["orientation"]) => Ok(json!(if width > height { "LANDSCAPE" } else { "PORTRAIT" })),
        ("POST", ["orientation"]) => {
            let turns = match body["orientation"].as_str() {
                Some("LANDSCAPE") => 1,
                Some("PORTRAIT") => 0,
                _ => return Err(Refusal::argument("'orientation' must be LANDSCAPE or PORTRAIT")),
            };
            system.set_rotation(turns);
            Ok(body["orientation"].clone())
        }
        ("GET", ["rotation"]) => Ok(json!({"x": 0, "y": 0, "z": ROTATIONS[usize::from(system.rotation() % 4)]})),
        ("GET", ["appium", "device", "pixel_ratio"]) => Ok(json!(f64::from(density) / NORMAL_DENSITY)),
        ("GET", ["appium", "device", "display_density"]) => Ok(json!(density)),
        ("GET", ["appium", "device", "system_bars"]) => {
            Ok(json!({"statusBar": Scale::of_density(density).dp(bars::STATUS)}))
        }
        ("GET", ["appium", "device", "battery_info"]) => Ok(json!({"level": 1.0, "status": 5})),
        ("GET", ["appium", "device", "info"]) => Ok(json!({
            "androidId": "0123456789abcdef", "manufacturer": "uixt", "model": properties::MODEL,
            "brand": "uixt", "apiVersion": "34", "platformVersion": "14",
            "realDisplaySize": format!("{width}x{height}"), "displayDensity": density, "locale": "en_US",
            "timeZone": "UTC", "networks": [], "bluetooth": null, "carrierName": null,
        })),
        _ => Err(Refusal::unknown_command()),
    }
}
