//! Calls of the testcase's own Python functions.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use uixt_call::{Exposure, Shape, ToolKind, Toolset};
use uixt_core::functions::{self, Call};
use uixt_locate::{Error, Kind, Object};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<CallFunction>()];

/// Call a Python function of the project's debugtalk.py.
#[derive(Deserialize, JsonSchema)]
struct CallFunction {
    /// Function to call.
    #[schemars(length(min = 1))]
    name: String,
    /// A list of arguments, or a map of arguments by name.
    #[serde(default)]
    arguments: Value,
    /// Seconds; 30 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl CallFunction {
    fn patience(&self) -> Duration {
        self.timeout.map_or(functions::TIMEOUT, |seconds| Duration::from_secs_f64(seconds.clamp(0.0, 3600.0)))
    }
}

impl Tool for CallFunction {
    const NAME: &'static str = "call_function";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Other;
    const VALUES: &'static [&'static str] = &["arguments"];
    const PARAMS: Shape = Shape::Fields(&["name", "arguments"]);
    const EXPOSURE: Exposure = Exposure::Testcase;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("result");

    fn limit(&self) -> Duration {
        // Another call may have to end first.
        self.patience() + functions::TIMEOUT + Duration::from_secs(5)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let Some(functions) = cx.session.functions(cx.options.functions.as_deref()) else {
            let message =
                format!("call_function: there are no functions: no {} in the project's folder", functions::FILE);
            return Err(Error::new(Kind::BadArgument, message));
        };
        let timeout = self.patience();
        let (args, kwargs) = match self.arguments {
            Value::Null => (Vec::new(), Object::new()),
            Value::Array(args) => (args, Object::new()),
            Value::Object(kwargs) => (Vec::new(), kwargs),
            scalar => (vec![scalar], Object::new()),
        };
        let call = Call::new(&self.name, args).with_kwargs(kwargs).within(timeout);
        let result = functions.call(call).await.map_err(|error| failed(&error))?;
        Ok(Reply::new(format!("Called {}", self.name)).with("result", result))
    }
}

fn failed(error: &functions::Error) -> Error {
    use functions::Error as E;
    let kind = match error {
        E::Unknown { .. } | E::Unfit { .. } => Kind::BadArgument,
        E::Ended { .. } => Kind::Interrupted,
        _ => Kind::Service,
    };
    Error::new(kind, error.to_string())
}
