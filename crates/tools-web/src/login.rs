//! Signing in on a page: a form that is filled by what its fields are called, in English or Chinese.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uixt_call::{Aim, Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_locate::{Error, Kind};
use uixt_toolkit::pages::place::PAUSE;
use uixt_toolkit::pages::{address, pages};
use uixt_toolkit::relay::relay;
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<Login>()];

/// How long a page may take until the form is gone once it was sent.
const GOING: Duration = Duration::from_secs(10);

/// What fields and buttons are called.
const USER: &str = "(?i)phone|mobile|user ?name|account|e-?mail|手机|电话|账号|帐号|用户名|邮箱";
const CAPTCHA: &str = "(?i)captcha|verification|code|验证码|校验码";
const PASSWORD: &str = "(?i)password|passcode|密码";
const SEND: &str = "(?i)^\\s*(log ?in|sign ?in|登录|登陆|登 录)\\s*$";

/// Sign in on a page: fill its form by the fields' labels, send it, and wait until it is gone.
#[derive(Deserialize, JsonSchema)]
struct Login {
    /// Address of the page, opened first; the one in front by default.
    #[serde(default)]
    package_name: Option<String>,
    /// Phone number, user name or e-mail.
    #[schemars(length(min = 1))]
    phone_number: String,
    /// Code that was sent.
    #[serde(default)]
    captcha: Option<String>,
    /// Password.
    #[serde(default)]
    password: Option<String>,
}

impl Tool for Login {
    const NAME: &'static str = "web_login_none_ui";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Gesture;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");
    const AIM: Aim = Aim::Address;
    const SECRETS: &'static [&'static str] = &["password", "captcha"];
    const PARAMS: Shape = Shape::Fields(&["package_name", "phone_number", "captcha", "password"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("url", "package_name"), ("user", "phone_number")];
    const ANSWER: &'static [&'static str] = &["url", "title", "dialog", "type"];

    fn check(&self) -> Result<(), String> {
        if !is_given(self.captcha.as_deref()) && !is_given(self.password.as_deref()) {
            return Err("give `password` or `captcha`".to_owned());
        }
        match self.package_name.as_deref().filter(|url| !url.is_empty()) {
            Some(url) => address::check(url).map_err(|why| format!("`package_name` is the page's address: {why}")),
            None => Ok(()),
        }
    }

    fn limit(&self) -> Duration {
        LIMIT * 3
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let pages = pages(cx, "sign in on a page: it shows none; write the steps that sign in")?;
        if let Some(url) = self.package_name.as_deref().filter(|url| !url.is_empty()) {
            cx.driver()?.open_url(&address::whole(cx, url).await?, None).await?;
        }
        fill(cx, USER, &self.phone_number, false).await?;
        for (label, text) in [(CAPTCHA, &self.captcha), (PASSWORD, &self.password)] {
            if let Some(text) = text.as_deref().filter(|text| !text.is_empty()) {
                fill(cx, label, text, true).await?;
            }
        }
        let before = pages.place().await?;
        relay(cx, "tap", json!({"role": "button", "text": SEND, "regex": true})).await?;
        let (end, mut waiting) = (Instant::now() + GOING, cx.waiting());
        loop {
            let place = pages.place().await?;
            let form =
                json!({"role": "textfield", "text": format!("{PASSWORD}|{CAPTCHA}"), "regex": true, "timeout": 0});
            // A form that is gone for good is gone at two looks.
            if place.url != before.url || relay(cx, "assert_not_visible", form).await.is_ok() {
                return Ok(Reply::new(format!("Signed in: {}", place.url))
                    .with("url", place.url)
                    .with("title", place.title));
            }
            if Instant::now() >= end {
                let message = format!("the form is still there {} s after it was sent: not signed in", GOING.as_secs());
                return Err(Error::new(Kind::Assertion, message));
            }
            waiting.pause(PAUSE).await;
        }
    }
}

fn is_given(text: Option<&str>) -> bool {
    text.is_some_and(|text| !text.is_empty())
}

async fn fill(cx: &Context, label: &str, text: &str, secret: bool) -> Result<(), Error> {
    let into = json!({"role": "textfield", "text": label, "regex": true});
    relay(cx, "input", json!({"text": text, "into": into, "clear": true, "secret": secret})).await.map(drop)
}
