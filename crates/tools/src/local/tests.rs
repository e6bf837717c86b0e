//! What a [`Local`] does with devices that hang, and with what it does not offer.

use async_trait::async_trait;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use uixt_driver as driver;
use uixt_driver::{DeviceInfo, Platform};

struct Phone(DeviceInfo);

impl Driver for Phone {
    fn info(&self) -> &DeviceInfo {
        &self.0
    }
}

/// Phones A and B, of which B never answers.
struct Shelf;

#[async_trait]
impl Platform for Shelf {
    fn name(&self) -> &'static str {
        "android"
    }

    async fn list(&self) -> Result<Vec<DeviceInfo>, driver::Error> {
        let info = |serial: &str| DeviceInfo {
            platform: "android",
            serial: serial.to_owned(),
            status: "online".to_owned(),
            ..DeviceInfo::default()
        };
        Ok(vec![info("A"), info("B")])
    }

    async fn open(&self, device: &DeviceInfo) -> Result<Arc<dyn Driver>, driver::Error> {
        if device.serial == "B" {
            std::future::pending::<()>().await;
        }
        Ok(Arc::new(Phone(device.clone())))
    }
}

fn local() -> Local {
    Local::new(Arc::new(Registry::new(vec![Box::new(Shelf)])), Arc::default(), Audience::Agent)
}

fn screenshot(serial: &str) -> CallToolRequest {
    let arguments = Object::from_iter([("serial".to_owned(), json!(serial))]);
    CallToolRequest::new("screenshot").with_arguments(arguments)
}

/// Makes a call and cancels it soon; returns the kind of its error.
async fn cancelled(local: &Local, serial: &str) -> serde_json::Value {
    let cancel = CancellationToken::new();
    let call = local.call(screenshot(serial), Call::until(cancel.clone()));
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        cancel.cancel();
        std::future::pending::<()>().await;
    };
    let result = tokio::select! {
        result = tokio::time::timeout(Duration::from_secs(5), call) => result.expect("it ends"),
        () = cancelling => unreachable!("it waits for ever"),
    };
    result.structured_content.expect("an object")["kind"].clone()
}

/// A screen of which every touch fails.
struct Stiff(DeviceInfo);

#[async_trait]
impl Driver for Stiff {
    fn info(&self) -> &DeviceInfo {
        &self.0
    }

    async fn screen_size(&self) -> Result<driver::Size, driver::Error> {
        Ok(driver::Size { width: 100, height: 100 })
    }
}

/// A server that is gone.
struct Gone;

impl uixt_call::Servers for Gone {
    fn call<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: Object,
        _: Option<Duration>,
        _: uixt_call::Progress,
    ) -> Boxed<'a, Result<CallToolResult, Error>> {
        Box::pin(async { Err(Error::new(Kind::Service, "it is gone")) })
    }

    fn check<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: serde_json::Value,
        _: Option<Duration>,
    ) -> Boxed<'a, Result<Object, Error>> {
        Box::pin(async { Ok(Object::new()) })
    }

    fn names(&self, server: &str) -> bool {
        self.has(server)
    }

    fn has(&self, server: &str) -> bool {
        server == uixt_call::TOUCH_SERVER
    }
}

#[tokio::test]
async fn a_touch_that_fails_tells_that_nobody_was_told_of_it() {
    let session =
        Session::on(Arc::new(Stiff(DeviceInfo::default()))).with(uixt_toolkit::OtherServers(Some(Arc::new(Gone))));
    let local = Local::new(Arc::default(), Arc::new(session), Audience::Testcase);
    let mut request = CallToolRequest::new("tap_abs_xy");
    request.arguments = json!({"x": 1, "y": 1}).as_object().cloned();
    request.options.anti_risk = true;
    let result = local.call(request, Call::default()).await;
    let answer = result.structured_content.expect("an object");
    assert_eq!((&answer["success"], &answer["kind"]), (&json!(false), &json!("Unsupported")), "{answer}");
    let warnings = answer["warnings"].as_array().expect("warnings");
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].as_str().unwrap().contains("touches are not reported from here on"), "{answer}");
    let text = result.content[0].as_text().expect("a text");
    assert_eq!(serde_json::from_str::<serde_json::Value>(text).unwrap(), answer, "the same in both forms");
}

#[tokio::test]
async fn opening_a_device_is_cancelled() {
    assert_eq!(cancelled(&local(), "B").await, "Interrupted");
}

#[tokio::test]
async fn a_device_that_hangs_as_it_is_opened_holds_up_no_other() {
    let local = local();
    let hanging = local.call(screenshot("B"), Call::default());
    let other = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        local.call(screenshot("A"), Call::default()).await
    };
    let result = tokio::select! {
        _ = hanging => unreachable!("it waits for ever"),
        result = tokio::time::timeout(Duration::from_secs(5), other) => result.expect("it ends"),
    };
    assert_eq!(result.structured_content.expect("an object")["kind"], "Unsupported");
}

#[tokio::test]
async fn queueing_for_a_device_is_cancelled() {
    let local = local();
    let device = local.registry.open(None, Some("A")).await.expect("A opens");
    let turn = local.registry.turn(device.as_ref());
    let _held = turn.lock().await;
    assert_eq!(cancelled(&local, "A").await, "Interrupted");
}

#[tokio::test]
async fn what_never_ends_is_given_up() {
    let error = within(Duration::from_millis(5), "opening", std::future::pending::<()>()).await;
    assert_eq!(error.map_err(|error| error.kind), Err(Kind::Device));
}

#[tokio::test]
async fn a_tool_that_agents_are_not_offered_is_not_called_misspelt() {
    let result = local().call(CallToolRequest::new("shell"), Call::default()).await;
    let message = result.structured_content.expect("an object")["message"].clone();
    assert_eq!(message, "`shell` is for testcases only, and is not offered here");
}

#[tokio::test]
async fn a_named_device_is_not_selected_and_answers_by_name() {
    let local = local();
    let result = local.call(screenshot("A"), Call::default()).await;
    assert_eq!(result.beside("serial").expect("what stands beside the answer"), "A");
    assert!(local.session.selected().is_none());
}
