//! Assertions: what must hold, now or within a time. Each can fail; none passes because it could not look.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_core::compare::difference;
use uixt_driver::Foreground;
use uixt_locate::finder::{self, Purpose};
use uixt_locate::target::composed;
use uixt_locate::wording::{clip, describe, shown_text};
use uixt_locate::{Error, Kind, pattern, screen_power};
use uixt_toolkit::traces::seen_apps::SeenApps;
use uixt_toolkit::wait::{self, Miss, Proof, Waited};
use uixt_toolkit::{ActionTool, Context, Reply, Tool, hidden};

use crate::apps::app::{self, Looks};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<AssertVisible>(),
    ActionTool::of::<AssertNotVisible>(),
    ActionTool::of::<AssertText>(),
    ActionTool::of::<AssertForegroundApp>(),
];

/// The one package of Android whose name has no dot: whose dialogs of apps that hang are.
const SYSTEM: &str = "android";

/// Assert that an element is on the screen.
#[derive(Deserialize, JsonSchema)]
struct AssertVisible {
    #[serde(flatten)]
    waited: Waited,
}

impl Tool for AssertVisible {
    const NAME: &'static str = "assert_visible";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Assert;
    const VERB: Option<&'static str> = Some("see");
    const IN_BROWSER_CORE: bool = true;
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["element"];

    fn check(&self) -> Result<(), String> {
        self.waited.check_presence()
    }

    fn limit(&self) -> Duration {
        self.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let found = wait::visible(cx, &self.waited.target, self.waited.timeout(cx)).await?;
        Ok(Reply::new(format!("Visible: {}", describe(&found))).with("element", describe(&found)))
    }
}

/// Assert that an element is not on the screen: two looks at a screen that stands still lack it.
#[derive(Deserialize, JsonSchema)]
struct AssertNotVisible {
    #[serde(flatten)]
    waited: Waited,
}

impl Tool for AssertNotVisible {
    const NAME: &'static str = "assert_not_visible";
    const SET: Option<Toolset> = Some(Toolset::Checks);
    const KIND: ToolKind = ToolKind::Assert;
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const READ_ONLY: bool = true;

    fn check(&self) -> Result<(), String> {
        self.waited.check_absence()
    }

    fn limit(&self) -> Duration {
        self.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let doubt = wait::gone(cx, &self.waited.target, self.waited.timeout(cx)).await?;
        Ok(Reply::new(format!("Not visible: {}{doubt}", self.waited.target)))
    }
}

/// Assert what an element says.
#[derive(Deserialize, JsonSchema)]
struct AssertText {
    #[serde(flatten)]
    waited: Waited,
    /// The whole text.
    #[serde(default, deserialize_with = "composed")]
    equals: Option<String>,
    /// A part of the text.
    #[serde(default, deserialize_with = "composed")]
    contains: Option<String>,
    /// A regular expression, found anywhere in it.
    #[serde(default, deserialize_with = "composed")]
    matches: Option<String>,
}

impl AssertText {
    fn asked(&self) -> [(&'static str, Option<&str>); 3] {
        [("equal", self.equals.as_deref()), ("contain", self.contains.as_deref()), ("match", self.matches.as_deref())]
    }

    fn holds(&self, text: &str) -> bool {
        self.unmet(text).is_empty()
    }

    /// Adds to the error of an element that is not there what it should say.
    fn expecting(&self, mut error: Error) -> Error {
        if error.kind == Kind::NotFound {
            let wanted =
                self.asked().into_iter().filter_map(|(word, wanted)| Some(format!("{word} \"{}\"", clip(wanted?))));
            error.message.push_str(&format!("; it should {}", wanted.collect::<Vec<_>>().join(", ")));
        }
        error
    }

    /// Says what of it does not hold: `does not contain "a", does not match "b"`.
    fn unmet(&self, text: &str) -> String {
        let seen = finder::seen(text);
        let holds = |word: &str, wanted: &str| {
            let told = finder::seen(wanted);
            match word {
                "equal" => text == wanted || seen == told,
                "contain" => text.contains(wanted) || (!told.is_empty() && seen.contains(&told)),
                _ => pattern::pattern(wanted).is_ok_and(|pattern| pattern.is_match(text) || pattern.is_match(&seen)),
            }
        };
        let asked = self.asked().into_iter().filter_map(|(word, wanted)| Some((word, wanted?)));
        let unmet = asked.filter(|(word, wanted)| !holds(word, wanted));
        let why = |word: &str, wanted: &str| match word {
            "equal" => difference::of(&seen, &finder::seen(wanted)),
            "contain" => difference::of_part(&seen, &finder::seen(wanted)),
            _ => None,
        };
        let told = unmet.map(|(word, wanted)| {
            let why = why(word, wanted).map(|why| format!(" ({why})")).unwrap_or_default();
            format!("does not {word} \"{}\"{why}", spelled(wanted))
        });
        told.collect::<Vec<_>>().join(", ")
    }
}

/// Shortens a text for a message in which the ends of its lines tell it from another.
fn spelled(text: &str) -> String {
    clip(&text.replace('\n', "\\n").replace('\t', "\\t"))
}

impl Tool for AssertText {
    const NAME: &'static str = "assert_text";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Assert;
    const PURPOSE: Option<Purpose> = Some(Purpose::Read);
    const IN_BROWSER_CORE: bool = true;
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["text"];

    fn check(&self) -> Result<(), String> {
        self.waited.check()?;
        if self.equals.is_none() && self.contains.is_none() && self.matches.is_none() {
            return Err("nothing to compare with: give equals, contains or matches".to_owned());
        }
        for (name, wanted) in [("contains", &self.contains), ("matches", &self.matches)] {
            if wanted.as_deref() == Some("") {
                return Err(format!("`{name}` is empty, so any text passes"));
            }
        }
        self.matches.as_deref().map_or(Ok(()), |wanted| pattern::telling_pattern(wanted).map(|_| ()))
    }

    fn limit(&self) -> Duration {
        self.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let timeout = self.waited.timeout(cx);
        let refs = cx.refs();
        // What holds no text may be of no size.
        if self.equals.as_deref() == Some("") && hidden::is_empty(cx, &self.waited.target).await {
            return Ok(Reply::new("Text is \"\"").with("text", ""));
        }
        let text = wait::until_drawn(cx, timeout, |screen| {
            let found = finder::pick(&self.waited.target, Purpose::Read, screen, refs.as_ref())?;
            let Some(element) = found else { return Err(Miss::Absent(&self.waited.target)) };
            if element.password && element.told.is_some() {
                let message = format!("{}: a password's field, whose value is not read", self.waited.target);
                return Err(Error::new(Kind::Assertion, message).into());
            }
            let text = shown_text(element);
            cx.session.state::<SeenApps>().answered();
            if self.holds(&text) {
                cx.found(element, screen, Purpose::Read);
                return Ok((text.into_owned(), Proof::Any(vec![element.clone()])));
            }
            let message = format!(
                "{}: \"{}\" {} {}",
                self.waited.target,
                spelled(&text),
                self.unmet(&text),
                wait::span(cx, timeout)
            );
            Err(Error::new(Kind::Assertion, message).with("actual", text.as_ref()).into())
        })
        .await
        .map_err(|error| self.expecting(error))?;
        Ok(Reply::new(format!("Text is \"{}\"", clip(&text))).with("text", text))
    }
}

/// Assert which app is in front.
#[derive(Deserialize, JsonSchema)]
struct AssertForegroundApp {
    /// App's package.
    #[schemars(length(min = 1))]
    package_name: String,
    /// Asserts that it is not in front.
    #[serde(default)]
    not: bool,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl Tool for AssertForegroundApp {
    const NAME: &'static str = "assert_foreground_app";
    const SET: Option<Toolset> = Some(Toolset::Checks);
    const KIND: ToolKind = ToolKind::Assert;
    const PARAMS: Shape = Shape::Fields(&["package_name"]);
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["package_name"];

    fn check(&self) -> Result<(), String> {
        // Of what is no package, it would always hold.
        match self.not && !self.package_name.contains('.') && self.package_name != SYSTEM {
            true => Err(format!("`{}` is not a package name, such as com.android.settings", self.package_name)),
            false => Ok(()),
        }
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let looks = if self.not { Looks::Two } else { Looks::One };
        let holds = |front: &Foreground| !front.package.is_empty() && (front.package == self.package_name) != self.not;
        let (front, passed) = app::foreground_until(cx, wait::timeout(cx, self.timeout), looks, holds).await?;
        if !passed && holds(&front) {
            let message = format!("{} is not in front, but what is changes: {}", self.package_name, front.package);
            return Err(Error::new(Kind::WaitTimeout, message).with("actual", front.package));
        }
        if !passed {
            let word = if self.not { "should not be" } else { "should be" };
            let message = format!("{} {word} in front; in front: {}", self.package_name, front.package);
            return Err(Error::new(Kind::Assertion, message).with("actual", front.package));
        }
        if self.not {
            let what = format!("whether {} is in front", self.package_name);
            screen_power::require_shown(&what, cx.driver()?.display().await?)?;
        }
        Ok(Reply::new(format!("{} is in front", front.package)).with("package_name", front.package))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use uixt_driver as driver;
    use uixt_driver::{DeviceInfo, Driver};
    use uixt_toolkit::ActiveOptions;

    /// A device on which one app after the other comes to the front; the last one stays.
    struct Fronts {
        info: DeviceInfo,
        packages: Mutex<Vec<&'static str>>,
    }

    #[async_trait::async_trait]
    impl Driver for Fronts {
        fn info(&self) -> &DeviceInfo {
            &self.info
        }

        async fn display(&self) -> Result<driver::Display, driver::Error> {
            Ok(driver::Display { size: driver::Size::default(), lit: true })
        }

        async fn foreground(&self) -> Result<Foreground, driver::Error> {
            let mut packages = self.packages.lock().expect("no panic");
            let package = if packages.len() > 1 { packages.remove(0) } else { packages[0] };
            Ok(Foreground { package: package.to_owned(), activity: String::new(), name: String::new() })
        }
    }

    async fn not_in_front(packages: &[&'static str]) -> Result<(), Kind> {
        let fronts = Fronts { info: DeviceInfo::default(), packages: Mutex::new(packages.to_vec()) };
        let cx = Context {
            table: Default::default(),
            session: Arc::default(),
            registry: Arc::default(),
            device: Some(Arc::new(fronts)),
            options: ActiveOptions::default(),
            invoke: None,
            progress: uixt_call::Progress::default(),
            addresses: uixt_toolkit::pages::addresses::Addresses::default(),
            engines: uixt_toolkit::Engines::default(),
        };
        let assertion = AssertForegroundApp { package_name: "shop".to_owned(), not: true, timeout: Some(0.0) };
        assertion.call(&cx).await.map(|_| ()).map_err(|error| error.kind)
    }

    #[tokio::test]
    async fn an_app_that_is_away_for_one_look_is_not_away() {
        assert_eq!(not_in_front(&["home", "shop"]).await, Err(Kind::Assertion));
        assert_eq!(not_in_front(&["home", "settings", "home"]).await, Err(Kind::WaitTimeout));
        assert_eq!(not_in_front(&["home"]).await, Ok(()));
        assert_eq!(not_in_front(&[""]).await, Err(Kind::Assertion));
    }

    #[test]
    fn only_what_does_not_hold_is_named() {
        let assertion: AssertText = serde_json::from_value(
            serde_json::json!({"text": "a", "contains": "zzz", "matches": "^b", "equals": "abc"}),
        )
        .unwrap();
        assert_eq!(assertion.unmet("abc"), "does not contain \"zzz\", does not match \"^b\"");
        let assertion: AssertText =
            serde_json::from_value(serde_json::json!({"text": "a", "equals": "so\nit is"})).unwrap();
        assert_eq!(assertion.unmet("so\n\u{200b}it \u{ad}is"), "");
        let nothing: AssertText =
            serde_json::from_value(serde_json::json!({"text": "a", "contains": "\u{200b}"})).unwrap();
        assert!(!nothing.holds("a"), "what nobody sees is in no text but one that has it");
        let why = "they differ at character 3: a space (U+0020) instead of a line's end (U+000A)";
        assert_eq!(assertion.unmet("so it is"), format!("does not equal \"so\\nit is\" ({why})"));
    }
}
