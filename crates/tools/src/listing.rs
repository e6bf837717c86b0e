//! The table → what a model is shown of it: some sets of tools, since each costs it tokens at every turn. Whatever else is offered
//! can be called by its name all the same.

use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;

use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::arguments::nearest;
use super::{ActionTool, Object, PREFIX, find, output};

/// A part of the table that is shown as a whole.
struct Toolset {
    name: &'static str,
    tools: &'static str,
    /// Whether it is shown only where it is named: other names for what stands in other sets.
    is_apart: bool,
}

/// What is shown where nothing else is asked for.
pub const CORE: &str = "core";
/// Stands for every set but those apart.
const ALL: &str = "all";

/// Returns a set that `all` stands for, too.
const fn set(name: &'static str, tools: &'static str) -> Toolset {
    Toolset { name, tools, is_apart: false }
}

/// Returns a set that is shown only where it is named.
const fn apart(name: &'static str, tools: &'static str) -> Toolset {
    Toolset { name, tools, is_apart: true }
}

/// Each tool that agents are offered stands in one of them.
const TOOLSETS: &[Toolset] = &[
    set(
        CORE,
        "list_available_devices select_device snapshot screenshot tap_element tap_xy long_press swipe input press_button \
                app_launch app_terminate list_packages wait_for scroll_to get_text assert_visible assert_text \
                get_foreground_app close_popups",
    ),
    set(
        "gestures",
        "tap_abs_xy double_tap_xy tap_by_selector tap_ocr tap_cv swipe_direction swipe_coordinate drag scroll swipe_to_find \
                swipe_to_tap_app swipe_to_tap_text swipe_to_tap_texts sim_click_at_point sim_swipe_direction sim_swipe_in_area \
                sim_swipe_point_to_point",
    ),
    set(
        "keys",
        "press_key sim_input clear_text backspace keycode home back set_ime get_ime get_pasteboard set_clipboard",
    ),
    set("apps", "cold_launch open_url app_uninstall app_clear app_info app_permissions"),
    set("device", "lock unlock get_orientation set_orientation device_info get_screen_size clear_images logcat"),
    set(
        "checks",
        "find_element find_image get_source get_screen_texts assert_not_visible assert_ocr assert_image \
                 assert_foreground_app assert_state assert_count assert_value",
    ),
    set(
        "web",
        "forward reload list_tabs open_tab switch_tab web_close_tab hover hover_by_selector secondary_click \
                secondary_click_by_selector drag_to select_option upload accept_dialog dismiss_dialog clear_cookies web_login_none_ui \
                get_attribute assert_url assert_title assert_attribute",
    ),
    set(
        "ui",
        "patch_ui_state get_schema list_instances validate_completion access_instance run_action undo_patch wait_for_instance",
    ),
    apart("ai", "start_to_goal ai_action ai_query ai_assert locate finished"),
    set("flow", "sleep sleep_ms sleep_random log batch"),
    apart("browser", "browser_click browser_type browser_wait_for browser_snapshot"),
    apart(
        "browser_use",
        "browser_navigate browser_search_google browser_go_back browser_click_element browser_input_text browser_send_keys \
         browser_scroll_down browser_scroll_up browser_scroll_to_text browser_switch_tab browser_open_tab browser_close_tab \
         browser_get_ax_tree browser_get_dropdown_options browser_select_dropdown_option browser_drag_drop browser_save_pdf \
         browser_screenshot browser_wait browser_done browser_get_page_info browser_get_current_url browser_close_session \
         browser_get_content browser_use_execute_task browser_extract_content",
    ),
];

/// What stands in the place of [`CORE`]'s tools where the device shows pages.
const CORE_OF_PAGES: &str = "list_available_devices select_device snapshot screenshot open_url back list_tabs switch_tab tap_element \
                             tap_xy input press_key select_option upload wait_for scroll_to get_text assert_visible assert_text \
                             accept_dialog";

fn named(tools: &'static str) -> impl Iterator<Item = &'static ActionTool> {
    tools.split_whitespace().filter_map(find)
}

impl Toolset {
    /// Returns the set's rows.
    fn tools(&self) -> impl Iterator<Item = &'static ActionTool> {
        named(self.tools)
    }
}

/// Which sets a model is shown, and how the tools' names are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    sets: Vec<&'static str>,
    /// Whether the device shows pages: another core then.
    of_pages: bool,
    /// Whether names begin with `uixt__`.
    prefixed: bool,
    /// Whether a tool also tells what its answer holds.
    outputs: bool,
}

impl Default for Listing {
    fn default() -> Self {
        Self { sets: vec![CORE], of_pages: false, prefixed: true, outputs: false }
    }
}

/// Reads `core,apps` or `all`.
impl FromStr for Listing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split(',').map(str::trim);
        let sets: Vec<_> = names.map(sets).collect::<Result<Vec<_>, _>>()?.concat();
        Ok(Self { sets, ..Self::default() })
    }
}

/// Returns the sets that a word stands for.
fn sets(word: &str) -> Result<Vec<&'static str>, String> {
    let known = || TOOLSETS.iter().map(|set| set.name);
    if word == ALL {
        return Ok(TOOLSETS.iter().filter(|set| !set.is_apart).map(|set| set.name).collect());
    }
    known().find(|name| *name == word).map(|name| vec![name]).ok_or_else(|| {
        let hint = nearest(word, known()).map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
        format!("unknown toolset `{word}`{hint}; valid: {ALL}, {}", known().collect::<Vec<_>>().join(", "))
    })
}

impl Listing {
    /// Writes the bare names, for a host that puts the server's name before them.
    #[must_use]
    pub fn without_prefix(self) -> Self {
        Self { prefixed: false, ..self }
    }

    /// Shows of the core what a device with pages needs.
    #[must_use]
    pub fn of_pages(self) -> Self {
        Self { of_pages: true, ..self }
    }

    /// Also tells of each tool what its answer holds.
    #[must_use]
    pub fn with_outputs(self) -> Self {
        Self { outputs: true, ..self }
    }

    /// Returns the tools of those offered that are shown, set by set, as MCP lists them. What one says of an argument, the next does
    /// not say again.
    pub fn of(&self, is_offered: impl Fn(&ActionTool) -> bool) -> Vec<Tool> {
        let mut said = HashSet::new();
        self.rows().filter(|tool| is_offered(tool)).map(|tool| self.listed(tool, &mut said)).collect()
    }

    /// Names the tools of those offered that are not shown and can be called.
    pub fn rest(&self, is_offered: impl Fn(&ActionTool) -> bool) -> Vec<&'static str> {
        let shown: HashSet<&str> = self.rows().map(|tool| tool.name).collect();
        let all = TOOLSETS.iter().filter(|set| !set.is_apart).flat_map(Toolset::tools);
        all.filter(|tool| is_offered(tool)).map(|tool| tool.name).filter(|name| !shown.contains(name)).collect()
    }

    /// Returns the rows of the sets that are shown.
    fn rows(&self) -> impl Iterator<Item = &'static ActionTool> {
        let shown = TOOLSETS.iter().filter(|set| self.sets.contains(&set.name));
        let is_alone = self.sets.len() == 1;
        let tools = shown.flat_map(move |set| {
            let (of_pages, own) = match set.name == CORE && self.of_pages {
                true => (CORE_OF_PAGES, if is_alone { "" } else { set.tools }),
                false => ("", set.tools),
            };
            named(of_pages).chain(named(own))
        });
        let mut names = HashSet::new();
        tools.filter(move |tool| names.insert(tool.name))
    }

    fn listed(&self, tool: &'static ActionTool, said: &mut HashSet<(String, String)>) -> Tool {
        let schema = tool.schema();
        let mut arguments = Arc::unwrap_or_clone(schema.published());
        say_once(&mut arguments, said);
        let name = if self.prefixed { format!("{PREFIX}{}", tool.name) } else { tool.name.to_owned() };
        let mut listed = Tool::new(name, schema.description.clone(), Arc::new(arguments));
        listed.title = Some(title(tool.name));
        listed.annotations = annotations(tool);
        listed.output_schema = self.outputs.then(|| output::schema(tool));
        listed.meta = tool.view.map(view);
        listed
    }
}

/// Names the resource that shows a tool's results, as MCP Apps do.
fn view(uri: &str) -> MetaObject {
    let ui = json!({"ui": {"resourceUri": uri}});
    MetaObject(ui.as_object().cloned().unwrap_or_default())
}

/// Takes out the descriptions of arguments that were given before, for the same argument.
fn say_once(arguments: &mut Object, said: &mut HashSet<(String, String)>) {
    let properties = arguments.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        let Some(property) = property.as_object_mut() else { continue };
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        if !said.insert((name.clone(), text)) {
            property.shift_remove("description");
        }
    }
}

/// Writes `tap_element` as a person reads it: "Tap element".
fn title(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns what a host should know before it lets a model call a tool; what it takes for granted is left out: that a tool changes
/// things, may destroy some, and does more when it is called again.
fn annotations(tool: &ActionTool) -> Option<ToolAnnotations> {
    let hints = ToolAnnotations::new();
    match (tool.read_only, tool.destructive, tool.idempotent) {
        (true, ..) => Some(hints.read_only(true)),
        (false, true, false) => None,
        (false, true, true) => Some(hints.idempotent(true)),
        (false, false, false) => Some(hints.destructive(false)),
        (false, false, true) => Some(hints.destructive(false).idempotent(true)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Exposure, all};
    use super::*;

    #[test]
    fn each_tool_that_agents_are_offered_stands_in_one_set() {
        let offered: Vec<_> = all().filter(|tool| tool.exposure == Exposure::Everyone).map(|tool| tool.name).collect();
        let listed: Vec<_> = TOOLSETS.iter().flat_map(|set| set.tools.split_whitespace()).collect();
        for name in &listed {
            assert!(offered.contains(name), "{name} is not offered");
        }
        for name in &offered {
            let count = listed.iter().filter(|listed| listed == &name).count();
            assert_eq!(count, 1, "{name} stands in {count} sets of TOOLSETS in listing.rs: put it into one");
        }
    }

    #[test]
    fn sets_are_named_and_wrong_names_say_what_is_valid() {
        let whole: Listing = "all".parse().expect("a word");
        assert!(whole.rest(|_| true).is_empty());
        let two: Listing = "core, flow".parse().expect("two words");
        assert_eq!(two.of(|_| true).len(), 25);
        let wrong = "coer".parse::<Listing>().expect_err("no set");
        assert_eq!(
            wrong,
            "unknown toolset `coer`, did you mean `core`?; valid: all, core, gestures, keys, apps, device, checks, web, ui, ai, flow, browser, browser_use"
        );
    }

    #[test]
    fn an_argument_is_described_once() {
        let listed = Listing::default().of(|_| true);
        let arguments = listed.iter().filter_map(|tool| tool.input_schema.get("properties"));
        let told = arguments.filter(|arguments| arguments["near"].get("description").is_some());
        assert_eq!(told.count(), 1);
        let tap = listed.iter().find(|tool| tool.name == "uixt__tap_element").expect("listed");
        assert_eq!(tap.title.as_deref(), Some("Tap element"));
    }
}
