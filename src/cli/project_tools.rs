//! The tools that the project of the working directory made of steps, for commands that call or list tools.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use uixt_call::Caller;

use super::exit::Failure;
use super::testcases::{messages, vocabulary};
use crate::runner::{Options, ProjectTools, ToolSource};
use crate::testcase::{self, OwnTool, TestCase};
use crate::tools;

/// Reads them; the failure says everything that is wrong with their files.
pub(super) fn read() -> Result<Vec<Arc<TestCase>>, Failure> {
    of_folder(Path::new(".")).map_err(|errors| messages::failure(&errors))
}

/// Reads those of the project that a folder belongs to.
pub(super) fn of_folder(folder: &Path) -> Result<Vec<Arc<TestCase>>, Vec<testcase::Error>> {
    testcase::own_tools(folder, &vocabulary())
}

/// Returns what their files say of them.
pub(super) fn tools() -> Result<Vec<Arc<OwnTool>>, Failure> {
    Ok(read()?.iter().filter_map(|case| case.tool.clone()).collect())
}

/// Finds the one of a name that no row of the table has.
pub(super) fn find(name: &str) -> Result<Option<Arc<OwnTool>>, Failure> {
    match tools::find(name) {
        Some(_) => Ok(None),
        None => Ok(tools()?.into_iter().find(|tool| tool.is_named(name))),
    }
}

/// Puts them beside a caller's tools; their files are read anew for each call.
pub(super) fn around(caller: Arc<dyn Caller>) -> ProjectTools {
    let read = || {
        let told = |errors: Vec<testcase::Error>| {
            errors.iter().map(testcase::Error::on_one_line).collect::<Vec<_>>().join("\n")
        };
        of_folder(Path::new(".")).map_err(told)
    };
    with(caller, Arc::new(read))
}

/// Puts those beside a caller's tools that were read before, whatever becomes of their files.
pub(super) fn those(caller: Arc<dyn Caller>, tools: Vec<Arc<TestCase>>) -> ProjectTools {
    with(caller, Arc::new(move || Ok(tools.clone())))
}

fn with(caller: Arc<dyn Caller>, source: ToolSource) -> ProjectTools {
    ProjectTools::around(caller, source, Options::new(tools::table()))
}

/// Returns arguments by their names: values that stand alone are the parameters in their order.
pub(super) fn named(
    tool: &OwnTool,
    values: Vec<Value>,
    mut named: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    if values.len() > tool.parameters.len() {
        return Err(format!("{} takes {} arguments, not {}", tool.name, tool.parameters.len(), values.len()));
    }
    for (name, value) in tool.names().into_iter().zip(values) {
        if named.insert(name.to_owned(), value).is_some() {
            return Err(format!("`{name}` is given twice"));
        }
    }
    Ok(named)
}
