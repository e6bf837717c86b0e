//! Apps: started, ended, looked for. A phone tells nothing of what is installed to `WebDriverAgent`.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::alert;
use crate::driver::{Error, Foreground};
use crate::eyes::{self, SPRINGBOARD};
use crate::fault::Miss;
use crate::wda::{Ask, LONG, Wda};

/// How long an app may take to be in front, or gone.
const START: Duration = Duration::from_mins(1);

/// How long the app that takes a link may take to come to the front, and the pause between two looks at which is.
const COMING: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(100);

/// States of an app, as `XCUIApplicationState` numbers them.
const NOT_RUNNING: u64 = 1;

/// Starts an app with what else is said of its start, or brings it to the front; ends when it is there.
pub(crate) async fn launch(wda: &Wda, bundle: &str, mut body: Value) -> Result<(), Error> {
    body["bundleId"] = bundle.into();
    body["shouldWaitForQuiescence"] = false.into();
    let ask = Ask::act("launch the app", "/wda/apps/launch", &body).within(START);
    match wda.ask(ask).await {
        Ok(_) => Ok(()),
        Err(Miss::Refused(fault)) if is_absent(&fault.message) => {
            Err(Error::NotFound { what: format!("app `{bundle}`") })
        }
        Err(miss) => Err(miss.into()),
    }
}

/// Tells whether it is said of an app that it is not installed.
fn is_absent(message: &str) -> bool {
    let words = [
        "not installed",
        "FBSOpenApplicationServiceErrorDomain error 4",
        "Application info provider",
        "unknown to FrontBoard",
    ];
    words.iter().any(|word| message.contains(word))
}

/// Ends an app; tells whether it was running.
pub(crate) async fn terminate(wda: &Wda, bundle: &str) -> Result<bool, Error> {
    let ask = Ask::act("end the app", "/wda/apps/terminate", &json!({"bundleId": bundle})).within(LONG);
    Ok(wda.ask(ask).await? == true)
}

/// Tells whether an app runs, in front or not.
pub(crate) async fn is_running(wda: &Wda, bundle: &str) -> Result<bool, Error> {
    let body = json!({"bundleId": bundle});
    let told = wda.ask(Ask::act("tell the app's state", "/wda/apps/state", &body).again()).await?;
    let state = told.as_u64().ok_or_else(|| odd(&told))?;
    Ok(state > NOT_RUNNING)
}

fn odd(told: &Value) -> Error {
    Error::Device { message: format!("WebDriverAgent told {told} as the state of an app") }
}

/// Reads which app is in front.
fn foreground(told: &Value) -> Result<Foreground, Error> {
    let text = |key: &str| told[key].as_str().unwrap_or_default().trim().to_owned();
    let package = text("bundleId");
    if package.is_empty() {
        return Err(Error::Device { message: format!("WebDriverAgent told {told} as the app in front") });
    }
    Ok(Foreground { package, activity: String::new(), name: text("name") })
}

/// Returns the first of the active apps that is not the system's own, which a question of the system lies over.
async fn behind(wda: &Wda) -> Option<Foreground> {
    let list = wda.ask(Ask::look("list the active apps", "/wda/apps/list")).await.ok()?;
    let bundles = list.as_array()?.iter().filter_map(|app| app["bundleId"].as_str());
    let package = bundles.map(str::trim).find(|bundle| !matches!(*bundle, "" | "unknown") && *bundle != SPRINGBOARD)?;
    Some(Foreground { package: package.to_owned(), ..Foreground::default() })
}

/// Returns the app in front. A question of the system is asked on behalf of an app, which is what is in front to a person.
pub(crate) async fn front(wda: &Wda) -> Result<Foreground, Error> {
    let front = foreground(&eyes::front(wda).await?)?;
    if front.package == SPRINGBOARD && alert::look(wda).await?.is_some() {
        return Ok(behind(wda).await.unwrap_or(front));
    }
    Ok(front)
}

/// Returns the app that comes to the front in the place of another; none where none does.
pub(crate) async fn another_than(wda: &Wda, before: &str) -> Result<Option<String>, Error> {
    let began = Instant::now();
    loop {
        let front = front(wda).await?.package;
        if front != before {
            return Ok(Some(front));
        }
        if began.elapsed() >= COMING {
            return Ok(None);
        }
        sleep(PAUSE).await;
    }
}

/// Opens a link, with the app that takes it or with the one that is named.
pub(crate) async fn open_url(wda: &Wda, url: &str, bundle: Option<&str>) -> Result<(), Error> {
    let mut body = json!({"url": url});
    if let Some(bundle) = bundle {
        body["bundleId"] = bundle.into();
    }
    Ok(wda.ask(Ask::act("open the link", "/url", &body).within(LONG)).await.map(drop)?)
}
