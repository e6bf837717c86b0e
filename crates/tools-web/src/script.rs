//! Scripts of a testcase's own in the page.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use uixt_call::{Exposure, Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_driver as driver;
use uixt_driver::Driver;
use uixt_locate::wording::clip;
use uixt_locate::{Error, Kind};
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<Evaluate>()];

/// How long a script may take where nothing else is said.
const USUAL: f64 = 10.0;

/// Evaluate JavaScript in the page, and return what it gives or promises, as JSON.
#[derive(Deserialize, JsonSchema)]
struct Evaluate {
    /// An expression, or a function that is called with `args`.
    #[schemars(length(min = 1))]
    script: String,
    /// Arguments of the function.
    #[serde(default)]
    args: Vec<Value>,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl Tool for Evaluate {
    const NAME: &'static str = "evaluate";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Other;
    const LACKING: &'static [Lacking] = &for_pages("it runs no scripts in pages");
    const VALUES: &'static [&'static str] = &["args"];
    const PARAMS: Shape = Shape::Fields(&["script", "args"]);
    const EXPOSURE: Exposure = Exposure::Testcase;
    const MAIN: Option<&'static str> = Some("result");

    fn limit(&self) -> Duration {
        LIMIT + self.patience()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (driver, function) = (cx.driver()?, function(&self.script));
        let result = match driver.evaluate(&function, &self.args, self.patience()).await {
            Err(error) if has_thrown(&error) => return Err(blamed(driver, &function, error).await),
            result => result?,
        };
        Ok(Reply::new(format!("Gave {}", clip(&result.to_string()))).with("result", result))
    }
}

impl Evaluate {
    fn patience(&self) -> Duration {
        Duration::from_secs_f64(self.timeout.unwrap_or(USUAL).clamp(0.1, 3600.0))
    }
}

/// How long it may take to read a script that is not run.
const READING: Duration = Duration::from_secs(2);

fn has_thrown(error: &driver::Error) -> bool {
    matches!(error, driver::Error::Rejected { code, .. } if code == driver::THREW)
}

/// Says whose fault it is that a script threw: its own where it is no JavaScript or gives what JSON cannot hold, or else the page's, which is not as the script expects.
async fn blamed(driver: &dyn Driver, function: &str, error: driver::Error) -> Error {
    let only_read = driver.evaluate(&format!("() => {{ void ({function}); return true; }}"), &[], READING).await;
    let is_of_script = only_read.is_err_and(|error| has_thrown(&error)) || error.to_string().contains(UNSAYABLE);
    Error { kind: if is_of_script { Kind::BadArgument } else { Kind::Assertion }, ..error.into() }
}

/// Ends a script: numbers that JSON has no word for would come as null.
const SAYABLE: &str = "if (typeof gave === \"bigint\" || (typeof gave === \"number\" && !Number.isFinite(gave))) \
                       throw new TypeError(`it gives ${gave}, for which JSON has no word: give String(…)`); return gave;";

/// What is said of them.
const UNSAYABLE: &str = ", for which JSON has no word: ";

/// Makes a function of an expression or a function. A line of its own ends a comment at the script's end.
fn function(script: &str) -> String {
    let script = script.trim().trim_end_matches(';');
    format!(
        "async (...args) => {{ const it = (\n{script}\n); const gave = await (typeof it === \"function\" ? it(...args) : it); {SAYABLE} }}"
    )
}

#[cfg(test)]
mod tests {
    use super::function;

    #[test]
    fn a_script_is_an_expression_whatever_ends_it() {
        assert!(function("document.title; ").contains("(\ndocument.title\n)"));
        assert!(function("1 // one").contains("(\n1 // one\n)"));
    }
}
