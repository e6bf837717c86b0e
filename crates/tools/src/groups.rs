//! The tools that there are, and the table of them.

use std::sync::LazyLock;

use uixt_call::{Table, ToolRow};
use uixt_locate::{Error, Object};
use uixt_toolkit::{ActionTool, Engines};
use uixt_tools_device::apps::{app, download, link, log, package};
use uixt_tools_device::elements::{assertion, element, element_state, find_element, popups};
use uixt_tools_device::gestures::{browser_scroll, draw, scroll, simulated, swipe, swipe_to_tap, touch};
use uixt_tools_device::keys::{button, clipboard, input, keyboard, press_key};
use uixt_tools_device::screens::{assert_screenshot, image_tools, ocr, record, screen};
use uixt_tools_device::{by_ref, device, device_state, file, surroundings};
use uixt_tools_host::{function, request, servers, shell, utility, value, websocket};
use uixt_tools_sandbox as sandbox;
use uixt_tools_web as web;
use uixt_tools_web::browser_use;

use crate::tools::Tools;
use crate::{batch, target_place};

static GROUPS: &[&[ActionTool]] = &[
    device::TOOLS,
    element::TOOLS,
    touch::TOOLS,
    swipe::TOOLS,
    draw::TOOLS,
    scroll::TOOLS,
    swipe_to_tap::TOOLS,
    simulated::TOOLS,
    input::TOOLS,
    keyboard::TOOLS,
    clipboard::TOOLS,
    button::TOOLS,
    app::TOOLS,
    link::TOOLS,
    device_state::TOOLS,
    surroundings::TOOLS,
    package::TOOLS,
    file::TOOLS,
    download::TOOLS,
    log::TOOLS,
    record::TOOLS,
    screen::TOOLS,
    find_element::TOOLS,
    ocr::TOOLS,
    image_tools::TOOLS,
    assert_screenshot::TOOLS,
    popups::TOOLS,
    assertion::TOOLS,
    element_state::TOOLS,
    web::navigation::TOOLS,
    web::tabs::TOOLS,
    web::mouse::TOOLS,
    web::form::TOOLS,
    web::dialogs::TOOLS,
    press_key::TOOLS,
    web::script::TOOLS,
    web::cookies::TOOLS,
    web::login::TOOLS,
    web::attribute::TOOLS,
    web::place::TOOLS,
    by_ref::TOOLS,
    browser_use::page::TOOLS,
    browser_use::element::TOOLS,
    browser_scroll::TOOLS,
    browser_use::tabs::TOOLS,
    browser_use::place::TOOLS,
    browser_use::save::TOOLS,
    browser_use::task::TOOLS,
    utility::TOOLS,
    uixt_tools_ui::TOOLS,
    value::TOOLS,
    batch::TOOLS,
    uixt_tools_ai::TOOLS,
    shell::TOOLS,
    request::TOOLS,
    websocket::TOOLS,
    function::TOOLS,
    servers::TOOLS,
    sandbox::TOOLS,
    uixt_tools_code::TOOLS,
];

static TOOLS: LazyLock<Tools> = LazyLock::new(|| Tools::new(GROUPS.iter().flat_map(|group| group.iter())));

/// Returns all tools.
pub fn tools() -> &'static Tools {
    &TOOLS
}

/// Returns the table of all tools.
pub fn table() -> &'static Table {
    TOOLS.table()
}

/// Returns every row, in the table's order.
pub fn all() -> impl Iterator<Item = &'static ToolRow> {
    table().all()
}

/// Finds a row by its name or an alias, with or without `uixt__`, in any case of letters.
pub fn find(name: &str) -> Option<&'static ToolRow> {
    table().find(name)
}

/// Returns what recognizes things on a screen for the tools.
pub fn engines() -> Engines {
    Engines {
        #[cfg(feature = "ocr")]
        text_models: Some(&crate::text_models::InstalledModels),
        #[cfg(not(feature = "ocr"))]
        text_models: None,
        locator: Some(&uixt_tools_ai::ModelLocator),
        chooser: Some(&uixt_tools_ai::ModelChooser),
    }
}

/// Gives a failure of a tool that has codes of its own the code and the details that programs expect of it.
pub fn coded(tool: &'static ToolRow, error: Error, given: &Object) -> Error {
    by_ref::coded(tool, target_place::finish(tool, error, given), given)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use uixt_call::{Aim, Bound, Exposure, Shape};

    #[test]
    fn names_and_aliases_are_unique_and_in_snake_case() {
        let mut seen = std::collections::HashSet::new();
        for name in table().names() {
            assert!(seen.insert(name), "{name} stands twice in the table");
            assert_eq!(name, uixt_call::arguments::snake_case(name), "{name} is not in snake_case");
        }
    }

    #[test]
    fn every_tool_and_every_argument_is_documented() {
        for tool in all() {
            let schema = tool.schema();
            assert!(schema.description.ends_with('.'), "{}: its description is no sentence", tool.name);
            assert_eq!(schema.full.get("type"), Some(&Value::from("object")), "{}", tool.name);
            for (name, property) in schema.properties() {
                let text = property.get("description").and_then(Value::as_str);
                assert!(text.is_some_and(|text| !text.is_empty()), "{}.{name} has no description", tool.name);
            }
        }
    }

    #[test]
    fn what_params_fill_exists() {
        for tool in all() {
            let fields: Vec<&str> = match tool.params {
                Shape::Nothing => Vec::new(),
                Shape::Fields(names) => names.to_vec(),
                Shape::TextOrNumbers(text, names) => names.iter().copied().chain([text]).collect(),
                Shape::Whole(name) | Shape::Text(name) => vec![name],
            };
            for name in fields.into_iter().chain(tool.argument_aliases.iter().map(|(_, name)| *name)) {
                assert!(
                    tool.schema().properties().any(|(known, _)| known == name),
                    "{}: no argument {name}",
                    tool.name
                );
            }
        }
    }

    #[test]
    fn what_a_row_says_of_its_tool_goes_together() {
        for tool in all() {
            let (name, kind) = (tool.name, tool.kind);
            let is_offered = tool.exposure == Exposure::Everyone;
            assert_eq!(
                tool.set.is_some(),
                is_offered,
                "{name}: SET is for what agents are offered, and for nothing else"
            );
            assert!(is_offered || !tool.in_browser_core, "{name}: agents are not offered it");
            assert!(!kind.only_looks() || tool.read_only, "{name}: READ_ONLY, as its kind is");
            assert!(!kind.acts() || tool.needs_device && !tool.read_only, "{name}: does something, as its kind does");
            let takes = |name: &str| tool.schema().property(name).is_some();
            let is_there = match tool.aim {
                Aim::Target => true,
                Aim::Argument(argument) | Aim::Goal(argument) => takes(argument),
                Aim::Point(element) => {
                    let is_for_elements = |tool: &'static ToolRow| tool.schema().property("regex").is_some();
                    (takes("x") || takes("from_x"))
                        && element.ok().is_none_or(|tool| find(tool).is_some_and(is_for_elements))
                }
                Aim::Text => takes("text"),
                Aim::Picture => takes("image") || takes("element_type"),
                Aim::Address => takes("url") || takes("package_name"),
            };
            assert!(is_there, "{name}: no argument for {:?}", tool.aim);
            assert!(tool.secrets.iter().all(|secret| takes(secret)), "{name}: no argument for {:?}", tool.secrets);
            let same = |other| find(other).is_some_and(|it| it.kind == kind && it.alias_of.is_none());
            assert!(tool.alias_of.is_none_or(same), "{name}: ALIAS_OF");
            if let Some(Bound::Field { name: field, .. }) = tool.bound {
                assert!(tool.answer.contains(&field), "{name}: {field} is no field of its answer");
            }
            let others = || all().filter(|other| other.name != name);
            let is_own =
                |verb| find(verb).is_none_or(|tool| tool.name == name) && others().all(|it| it.verb != Some(verb));
            assert!(tool.verb.is_none_or(is_own), "{name}: its VERB means something else");
        }
    }

    #[test]
    fn a_tool_is_found_by_every_spelling() {
        for spelling in ["tap_xy", "uixt__tap_xy", "TapXy", "TAP_XY"] {
            assert_eq!(find(spelling).map(|tool| tool.name), Some("tap_xy"), "{spelling}");
        }
        assert!(find("tap_nothing").is_none());
    }
}
