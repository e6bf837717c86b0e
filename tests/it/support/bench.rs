//! A phone in this process and the table over it: actions as a testcase writes them, called one by one.

use std::sync::Arc;

use base64::Engine as _;
use serde_json::{Map, Value};
use uixt::action::MobileAction;
use uixt::driver::{Registry, android};
use uixt::phone::apps::AppDefinition;
use uixt::phone::system::{Options, System};
use uixt::tools::{Audience, Local};
use uixt::{adb, phone};
use uixt_call::{Call, CallToolRequest, Caller as _, Content};
use uixt_toolkit::Session;

/// A phone and a caller for it.
pub(crate) struct Bench {
    pub(crate) phone: phone::Phone,
    local: Local,
}

/// What came of a call.
pub(crate) struct Answer {
    pub(crate) object: Value,
    pub(crate) pictures: Vec<Vec<u8>>,
}

impl Bench {
    pub(crate) async fn start() -> Self {
        let phone = phone::Phone::start(Options::default(), 0).await.expect("a phone starts");
        let platform = android::Platform::new(adb::Server::new(phone.address().to_string()), None);
        let registry = Arc::new(Registry::new(vec![Box::new(platform)]));
        let driver = registry.open(Some("android"), None).await.expect("the phone is there");
        Self { phone, local: Local::new(registry, Arc::new(Session::on(driver)), Audience::Testcase) }
    }

    /// Starts a phone on which only this app is installed, and starts the app.
    pub(crate) async fn with_app(app: AppDefinition) -> Self {
        let bench = Self::start().await;
        let mut system = System::with_apps(Options::default(), &[app]).await.expect("an app");
        let package = system.apps().iter().find(|app| app.third_party).expect("the app").package.clone();
        system.launch(&package).await.expect("it starts");
        *bench.phone.system().lock().await = system;
        bench
    }

    /// Calls an action; `options` is a map.
    pub(crate) async fn call(&self, method: &str, params: Value, options: Value) -> Answer {
        let options = options.as_object().cloned().unwrap_or_default();
        let action = MobileAction { method: method.to_owned(), params, options, ..MobileAction::default() };
        self.answer(uixt::tools::table().request(&action).unwrap_or_else(|error| panic!("{method}: {error}"))).await
    }

    /// Calls a tool by its name as an agent does.
    pub(crate) async fn named(&self, tool: &str, arguments: Value) -> Answer {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        self.answer(CallToolRequest::new(tool.to_owned()).with_arguments(arguments)).await
    }

    async fn answer(&self, request: CallToolRequest) -> Answer {
        let result = self.local.call(request, Call::default()).await;
        let pictures = result.content.iter().filter_map(|content| match content {
            Content::Image { data, .. } => base64::engine::general_purpose::STANDARD.decode(data).ok(),
            _ => None,
        });
        let pictures = pictures.collect();
        Answer { object: result.structured_content.unwrap_or_default(), pictures }
    }

    /// The same for an action that must succeed.
    pub(crate) async fn done(&self, method: &str, params: Value, options: Value) -> Answer {
        let answer = self.call(method, params, options).await;
        assert_eq!(answer.object["success"], true, "{method}: {}", answer.object);
        answer
    }

    /// Starts an app anew.
    pub(crate) async fn restart(&self, package: &str) {
        self.done("app_terminate", package.into(), Map::new().into()).await;
        self.done("app_launch", package.into(), Map::new().into()).await;
    }
}

impl Answer {
    pub(crate) fn number(&self, key: &str) -> f64 {
        self.object[key].as_f64().unwrap_or_else(|| panic!("no number {key}: {}", self.object))
    }

    /// Returns the kind of its error.
    pub(crate) fn kind(&self) -> &str {
        self.object["kind"].as_str().unwrap_or_default()
    }

    pub(crate) fn message(&self) -> &str {
        self.object["message"].as_str().unwrap_or_default()
    }
}
