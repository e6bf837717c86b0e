//! Phones of a device farm: leased over a stand-in for STF's REST interface, reached at the address that it tells, and given back.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::support::counterparts::{Phone, Running, signal, wait_until};
use crate::support::{Ran, Test, items, text};

const TOKEN: &str = "t0ken";
const CASES: &str = "config: {name: case $n, parameters: {n: [1, 2, 3, 4]}}\nteststeps:\n- home:\n- sleep: 0.2\n";

type Answer = (StatusCode, Json<Value>);

/// The port of a phone, and who has it, by its serial.
type Phones = BTreeMap<String, (u16, Option<&'static str>)>;

/// A farm's phones: where each is, and who has it.
#[derive(Clone, Default)]
struct Farm {
    phones: Arc<Mutex<Phones>>,
    told: Arc<Mutex<Vec<String>>>,
}

impl Farm {
    /// Serves it on a free port, for as long as the test's process lives; returns the address.
    fn serve(&self) -> String {
        let routes = Router::new()
            .route("/api/v1/devices", get(devices))
            .route("/api/v1/user/devices", post(take))
            .route("/api/v1/user/devices/{serial}", delete(give_back))
            .route("/api/v1/user/devices/{serial}/remoteConnect", post(connect).delete(disconnect))
            .with_state(self.clone());
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a socket");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
                axum::serve(listener, routes).await.expect("it serves");
            });
        });
        format!("http://{address}")
    }

    fn set(&self, serial: &str, port: u16, owner: Option<&'static str>) {
        self.phones.lock().expect("no panic").insert(serial.to_owned(), (port, owner));
    }

    fn owners(&self) -> Vec<Option<&'static str>> {
        self.phones.lock().expect("no panic").values().map(|(_, owner)| *owner).collect()
    }

    fn told(&self) -> Vec<String> {
        self.told.lock().expect("no panic").clone()
    }

    /// Notes a request; the error is the answer to one without the token.
    fn note(&self, what: String, headers: &HeaderMap) -> Result<(), Answer> {
        self.told.lock().expect("no panic").push(what);
        let is_known = headers.get("authorization").is_some_and(|value| value == &format!("Bearer {TOKEN}"));
        let refused = json!({"success": false, "description": "Bad Credentials"});
        if is_known { Ok(()) } else { Err((StatusCode::UNAUTHORIZED, Json(refused))) }
    }
}

async fn devices(State(farm): State<Farm>, headers: HeaderMap) -> Result<Answer, Answer> {
    farm.note("list".to_owned(), &headers)?;
    let phones = farm.phones.lock().expect("no panic");
    let told: Vec<Value> = phones
        .iter()
        .map(|(serial, (_, owner))| {
            let owner = owner.map(|name| json!({"email": format!("{name}@example.org"), "name": name}));
            json!({"serial": serial, "present": true, "ready": true, "using": owner.is_some(), "owner": owner})
        })
        .collect();
    Ok((StatusCode::OK, Json(json!({"success": true, "description": "Device Information", "devices": told}))))
}

async fn take(State(farm): State<Farm>, headers: HeaderMap, Json(body): Json<Value>) -> Result<Answer, Answer> {
    let serial = text(&body["serial"]).to_owned();
    farm.note(format!("take {serial}"), &headers)?;
    let refused = |status, why: &str| Ok((status, Json(json!({"success": false, "description": why}))));
    match farm.phones.lock().expect("no panic").get_mut(&serial) {
        Some((_, owner @ None)) => *owner = Some("us"),
        Some(_) => return refused(StatusCode::FORBIDDEN, "Device is being used or not available"),
        None => return refused(StatusCode::NOT_FOUND, "Device not found"),
    }
    Ok((StatusCode::OK, Json(json!({"success": true, "description": "Device successfully added"}))))
}

async fn connect(State(farm): State<Farm>, headers: HeaderMap, Path(serial): Path<String>) -> Result<Answer, Answer> {
    farm.note(format!("connect {serial}"), &headers)?;
    let port = farm.phones.lock().expect("no panic")[&serial].0;
    Ok((StatusCode::OK, Json(json!({"success": true, "remoteConnectUrl": format!("127.0.0.1:{port}")}))))
}

async fn disconnect(
    State(farm): State<Farm>,
    headers: HeaderMap,
    Path(serial): Path<String>,
) -> Result<Answer, Answer> {
    farm.note(format!("disconnect {serial}"), &headers)?;
    Ok((StatusCode::OK, Json(json!({"success": true}))))
}

async fn give_back(State(farm): State<Farm>, headers: HeaderMap, Path(serial): Path<String>) -> Result<Answer, Answer> {
    farm.note(format!("give back {serial}"), &headers)?;
    farm.phones.lock().expect("no panic").get_mut(&serial).expect("a phone").1 = None;
    Ok((StatusCode::OK, Json(json!({"success": true, "description": "Device successfully removed"}))))
}

fn run(options: &[&str], url: &str, token: &str) -> Ran {
    let test = Test::new(&[&["run", "a.yaml", "--report-dir", "r"], options].concat()).file("a.yaml", CASES);
    let output = test.command().env("STF_URL", url).env("STF_TOKEN", token).output().expect("it starts");
    test.ran(&output)
}

#[test]
fn phones_of_a_farm_are_leased_used_and_given_back() {
    let phones = Phone::start_with(&["--count", "3", "--serial", "rack", "--adbd-port", "0"], 3);
    let farm = Farm::default();
    for (number, port) in (1..).zip(&phones.adbds) {
        farm.set(&format!("rack-{number}"), *port, (number == 2).then_some("somebody"));
    }
    let url = farm.serve();
    let ran = run(&["--device", "stf", "-j", "2"], &url, TOKEN).code(0).says("4 passed");
    let summary = ran.json("r/summary.json");
    let mut used: Vec<&str> = items(&summary["cases"]).iter().map(|case| text(&case["device"]["serial"])).collect();
    used.sort_unstable();
    used.dedup();
    let addresses = [0, 2].map(|at| format!("127.0.0.1:{}", phones.adbds[at]));
    assert!(used.len() == 2 && addresses.iter().all(|address| used.contains(&address.as_str())), "{used:?}");
    assert_eq!(farm.owners(), [None, Some("somebody"), None], "{:?}", farm.told());
    assert!(farm.told().contains(&"disconnect rack-1".to_owned()), "{:?}", farm.told());
    // One by name, which ends in the middle.
    let test = Test::new(&["run", "a.yaml", "--device", "stf:rack-3", "--report-dir", "r"])
        .file("a.yaml", CASES.replace("0.2", "20"));
    let mut command = test.command();
    command.env("STF_URL", &url).env("STF_TOKEN", TOKEN).stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = Running(command.spawn().expect("it starts"));
    wait_until("the phone is taken", 20, || farm.owners()[2] == Some("us"));
    signal(&process.0, "TERM");
    assert_eq!(process.ended(20), Some(130));
    assert_eq!(farm.owners()[2], None, "{:?}", farm.told());
}

#[test]
fn what_a_farm_refuses_is_told() {
    let farm = Farm::default();
    farm.set("rack-1", 1, Some("somebody"));
    let url = farm.serve();
    run(&["--device", "stf:rack-1"], &url, TOKEN).code(3).says("rack-1 is not available: Device is being used");
    run(&["--device", "stf:rack-9"], &url, TOKEN).code(3).says("rack-9 is not available: Device not found");
    run(&["--device", "stf"], &url, TOKEN).code(3).says("none of its 1 devices is free");
    run(&["--device", "stf"], &url, "wr0ng").code(3).says("it does not accept the token of STF_TOKEN");
    run(&["--device", "stf"], &format!("http://{}", crate::support::nobody()), TOKEN)
        .code(3)
        .says("the device farm at");
    run(&["--device", "stf"], "", TOKEN).code(2).says("STF_URL must be the farm's address");
    run(&["--device", "stf:"], &url, TOKEN).code(2).says("`stf:` needs the serial");
    // As many as there are.
    let phone = Phone::start_with(&["--adbd-port", "0"], 1);
    farm.set("rack-3", phone.adbds[0], None);
    run(&["--device", "stf", "-j", "2"], &url, TOKEN).code(0).says("4 passed").says("left out: the device farm at");
    farm.set("rack-3", 1, Some("somebody"));
    // A phone whose address nobody listens at is given back.
    farm.set("rack-2", 1, None);
    run(&["--device", "stf"], &url, TOKEN).code(3);
    assert_eq!(farm.owners(), [Some("somebody"), None, Some("somebody")], "{:?}", farm.told());
}
