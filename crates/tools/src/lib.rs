//! The table: every action that a testcase or an agent can take, one row each.
//!
//! A tool's argument struct *is* the tool: its doc comment is the description, its fields are the schema, its
//! [`Tool::call`] is what happens. Groups of rows lie in a file each; `groups` lists them, and [`Local`] runs a request for one of them
//! against device words. Must not know YAML, the runner, the protocol of agents or any particular driver.

use uixt_call::mask::MASK;
use uixt_call::{
    Aim, Bound, CallRecord, EVIDENCE, Exposure, PAGE_ERRORS, PREFIX, Progress, Shape, TRUNCATED, Table, ToolKind,
    ToolRow, Toolset, arguments, mask, schema,
};
use uixt_core::action;
use uixt_core::compare;
use uixt_core::functions;
use uixt_core::host;
use uixt_core::http;
use uixt_driver as driver;
use uixt_locate::{
    absence, close_words, dialog, finder, hit, listed, motion, moving_target, naming, occlusion, pattern,
    pixel_elements, refs, scope, screen_power, screen_texts, selector, snapshot, stability, suggest, target,
    visibility, wording,
};

mod active_options;
mod address_check;
mod addresses;
mod aftermath;
pub mod ai;
mod app;
mod app_trouble;
#[cfg(test)]
mod arguments_tests;
mod assert_screenshot;
mod assertion;
pub mod baseline;
mod batch;
mod browser_use;
mod button;
mod by_ref;
mod call_trace;
mod capture;
mod clipboard;
mod context;
mod controls;
mod device;
mod device_state;
mod download;
mod draw;
mod drawn;
mod drawn_motion;
mod drawn_popups;
mod drawn_text;
mod element;
mod element_state;
mod evidence;
mod examine;
mod fail_on;
mod failure_cause;
mod fetch;
mod file;
mod find_element;
mod function;
mod groups;
mod guard;
mod hidden;
mod image_query;
mod image_tools;
mod images;
mod input;
mod installed;
mod keyboard;
mod last_acts;
mod last_touch;
mod link;
mod listing;
mod local;
mod log;
mod log_clock;
mod look;
mod native_selectors;
mod ocr;
pub mod ocr_engines;
pub mod output;
mod package;
mod page_faults;
mod path;
mod perform;
mod place;
mod popups;
mod press_key;
mod record;
mod relay;
mod reply;
mod request;
mod run;
mod scale;
#[cfg(test)]
mod schema_tests;
mod screen;
mod scroll;
mod scroll_search;
mod seen_apps;
mod servers;
mod session;
mod shell;
mod simulated;
mod swipe;
mod swipe_to_tap;
mod tap_text;
mod tapping;
mod target_place;
mod then;
pub mod token_budget;
mod tool;
mod tools;
mod touch;
mod touch_info;
mod touched;
mod touchpoint;
mod typed_text;
mod ui;
#[cfg(test)]
mod unsupported_tests;
mod utility;
mod value;
mod wait;
mod way;
mod web;
mod websocket;

pub use active_options::ActiveOptions;
pub use addresses::Addresses;
pub use context::{Context, Invoke};
pub use examine::examine;
pub use groups::{all, coded, find, table, tools};
pub use listing::Listing;
pub use local::{Audience, Local};
pub use reply::{Picture, Reply};
pub use servers::OtherServers;
pub use session::{Session, SessionState};
pub use target_place::{TargetPlace, is_target_key, target_place};
pub use tool::{ActionTool, Tool};
pub use tools::Tools;
pub use ui::DataFile;

use call_trace::CallTrace;
use uixt_locate::suggest::SUGGESTIONS;
use uixt_locate::{Error, Kind, Object, stable_text};

use tool::LIMIT;
