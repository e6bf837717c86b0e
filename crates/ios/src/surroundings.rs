//! What is around an app: light or dark, the place, Siri; and the way back, for which iPhones have no key.

use std::time::Duration;

use serde_json::{Value, json};

use crate::driver::{AppStart, Appearance, Driver as _, Error, Gesture, Location, Point};
use crate::fault::Miss;
use crate::phone::Phone;
use crate::wda::{Ask, LONG, Wda};

/// How far from the left edge the swipe back begins, and where it ends, as parts of the screen's width; how long it takes.
const FROM: f64 = 0.002;
const TO: f64 = 0.7;
const SWIPE: Duration = Duration::from_millis(250);

/// Puts the keyboard away where one is open, or else swipes from the left edge.
pub(crate) async fn back(phone: &Phone) -> Result<(), Error> {
    let screen = phone.screen().await?;
    if screen.keyboard.is_some() {
        let ask = Ask::act("put the keyboard away", "/wda/keyboard/dismiss", &json!({}));
        let done = phone.wda().ask(ask).await;
        phone.eyes().acted(None);
        return match done {
            Ok(_) => Ok(()),
            Err(Miss::Refused(fault)) => Err(Error::Device {
                message: format!(
                    "the keyboard could not be put away ({}): press `enter`, or tap outside the field",
                    fault.message
                ),
            }),
            Err(miss) => Err(miss.into()),
        };
    }
    let (width, height) = (f64::from(screen.size.width), f64::from(screen.size.height));
    let at = |part: f64| Point { x: width * part, y: height / 2.0 };
    phone.perform(Gesture::Swipe { from: at(FROM), to: at(TO), duration: SWIPE }).await
}

/// Starts an app with arguments, after it was ended: one that runs takes none.
pub(crate) async fn launch_with(phone: &Phone, bundle: &str, start: &AppStart) -> Result<(), Error> {
    phone.terminate(bundle).await?;
    let environment: serde_json::Map<String, Value> =
        start.environment.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    let body = json!({"arguments": start.arguments, "environment": environment});
    crate::apps::launch(phone.wda(), bundle, body).await
}

pub(crate) async fn set_appearance(wda: &Wda, appearance: Appearance) -> Result<(), Error> {
    let body = json!({"name": appearance_name(appearance)});
    Ok(wda.ask(Ask::act("set the appearance", "/wda/device/appearance", &body).again().bare()).await.map(drop)?)
}

/// Returns what both `WebDriverAgent` and simctl call it.
pub(crate) fn appearance_name(appearance: Appearance) -> &'static str {
    match appearance {
        Appearance::Light => "light",
        Appearance::Dark => "dark",
    }
}

pub(crate) async fn set_location(wda: &Wda, location: Option<Location>) -> Result<(), Error> {
    const WHAT: &str = "set the location";
    const PATH: &str = "/wda/simulatedLocation";
    let ask = match location {
        Some(Location { latitude, longitude }) => {
            Ask::act(WHAT, PATH, &json!({"latitude": latitude, "longitude": longitude}))
        }
        None => Ask::delete(WHAT, PATH),
    };
    Ok(wda.ask(ask.again()).await.map(drop)?)
}

pub(crate) async fn ask_siri(wda: &Wda, text: &str) -> Result<(), Error> {
    let body = json!({"text": text});
    Ok(wda.ask(Ask::act("ask Siri", "/wda/siri/activate", &body).within(LONG)).await.map(drop)?)
}
