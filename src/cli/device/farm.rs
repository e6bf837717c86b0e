//! A device farm, STF or `DeviceFarmer` → a phone that is leased, and the address at which it listens to adb.
//!
//! Over the farm's REST interface (`/api/v1`, <https://github.com/DeviceFarmer/stf/blob/master/doc/API.md>).

use std::time::Duration;

use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use crate::cli::exit::Failure;
use crate::driver::{Error, tidy};
use uixt_core::http;

/// The environment's variables that say where the farm is, and who asks.
const URL: &str = "STF_URL";
const TOKEN: &str = "STF_TOKEN";
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(30);
/// The most of an answer that is not JSON which is shown.
const SHOWN: usize = 200;

/// A farm, for one who may use it.
#[derive(Clone)]
pub(super) struct Farm {
    client: Client,
    url: String,
    token: String,
}

/// A phone of a farm that nobody else may use until it is given back.
pub(super) struct Lease {
    farm: Farm,
    serial: String,
    /// Where it listens to adb: `HOST:PORT`.
    pub address: String,
    is_held: bool,
}

impl Farm {
    /// Returns the farm that the environment names.
    pub(super) fn of_environment() -> Result<Self, Failure> {
        let of = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let (Some(url), Some(token)) = (of(URL), of(TOKEN)) else {
            let needs = format!(
                "{URL} must be the farm's address, such as https://stf.example.org, and {TOKEN} an access token"
            );
            return Err(Failure::usage(format!(
                "--device stf: {needs}\n  = a token is made in the farm's page, under Settings, Keys"
            )));
        };
        let client = http::client().timeout(ANSWER).build().map_err(Failure::errored)?;
        Ok(Self { client, url: url.trim().trim_end_matches('/').to_owned(), token: token.trim().to_owned() })
    }

    /// Leases the phone of this serial, or else one that is free.
    pub(super) async fn lease(&self, serial: Option<&str>) -> Result<Lease, Error> {
        if let Some(serial) = serial {
            return match self.take(serial).await? {
                Ok(lease) => Ok(lease),
                Err(why) => Err(self.failure(&format!("{serial} is not available: {why}"))),
            };
        }
        let listed = self.ask(Method::GET, "devices", None).await?.map_err(|why| self.failure(&why))?;
        let all = listed["devices"].as_array().cloned().unwrap_or_default();
        let is_free = |device: &&Value| {
            device["present"] == true && device["ready"] == true && device["using"] != true && device["owner"].is_null()
        };
        for device in all.iter().filter(is_free) {
            let Some(serial) = device["serial"].as_str() else { continue };
            // Somebody else may have been faster.
            if let Ok(lease) = self.take(serial).await? {
                return Ok(lease);
            }
        }
        let present = all.iter().filter(|device| device["present"] == true).count();
        Err(self.failure(&format!("none of its {present} devices is free")))
    }

    /// Takes a phone; the inner error says why it cannot be had.
    async fn take(&self, serial: &str) -> Result<Result<Lease, String>, Error> {
        // Whoever gives up while the farm is asked may have it by then.
        let mut lease = Lease { farm: self.clone(), serial: serial.to_owned(), address: String::new(), is_held: true };
        if let Err(why) = self.ask(Method::POST, "user/devices", Some(json!({"serial": serial}))).await? {
            lease.is_held = false;
            return Ok(Err(why));
        }
        let connected = self.ask(Method::POST, &format!("{}/remoteConnect", path_of(serial)), None).await?;
        Ok(connected.and_then(|answer| match answer["remoteConnectUrl"].as_str() {
            Some(address) => {
                address.clone_into(&mut lease.address);
                Ok(lease)
            }
            None => Err("its answer names no address to connect to".to_owned()),
        }))
    }

    /// Sends a request; the inner error is the farm's refusal.
    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Result<Result<Value, String>, Error> {
        let mut request = self.client.request(method, format!("{}/api/v1/{path}", self.url)).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let sent = request.send().await.map_err(|error| self.failure(&error.without_url().to_string()))?;
        let status = sent.status();
        let text = sent.text().await.map_err(|error| self.failure(&error.without_url().to_string()))?;
        if status == StatusCode::UNAUTHORIZED {
            return Err(self.failure(&format!("it does not accept the token of {TOKEN}")));
        }
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        if status.is_success() && answer["success"] == true {
            return Ok(Ok(answer));
        }
        let why = answer["description"].as_str().map(str::to_owned);
        Ok(Err(why.unwrap_or_else(|| format!("{status}: {}", text.chars().take(SHOWN).collect::<String>()))))
    }

    fn failure(&self, why: &str) -> Error {
        Error::Disconnected { message: format!("the device farm at {}: {why}", self.url) }
    }
}

/// Gives the phone back, in the background. A farm that does not answer takes it back by itself after a while.
impl Drop for Lease {
    fn drop(&mut self) {
        if !self.is_held {
            return;
        }
        let (farm, serial) = (self.farm.clone(), self.serial.clone());
        tidy::begin(async move {
            for path in [format!("{}/remoteConnect", path_of(&serial)), path_of(&serial)] {
                match farm.ask(Method::DELETE, &path, None).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(why)) => tracing::warn!(serial, "cannot return the phone: {why}"),
                    Err(failure) => tracing::warn!(serial, "cannot return the phone: {failure}"),
                }
            }
        });
    }
}

/// Returns the path of a phone. A serial may be an address: `10.0.0.7:5555`.
fn path_of(serial: &str) -> String {
    format!("user/devices/{}", serial.replace('/', "%2F"))
}
