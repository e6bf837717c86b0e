//! The table: every action that a testcase or an agent can take, one row each.
//!
//! A tool's argument struct *is* the tool: its doc comment is the description, its fields are the schema, its
//! [`Tool::call`] is what happens. Groups of rows lie in a file each; `groups` lists them, a [`Table`] finds a row by any accepted
//! spelling and turns [`MobileAction`](crate::action::MobileAction)s into `CallToolRequest`s ([`request`](Table::request)), and a
//! [`Caller`](caller::Caller) runs those against device words. Must not know YAML, the runner or any particular driver.

use uixt_core::action;
use uixt_core::compare;
use uixt_core::functions;
use uixt_core::host;
use uixt_core::http;
use uixt_core::secrets;
use uixt_driver as driver;
use uixt_locate::{
    absence, close_words, dialog, finder, hit, listed, motion, moving_target, naming, occlusion, pattern,
    pixel_elements, refs, scope, screen_power, screen_texts, selector, snapshot, stability, suggest, target,
    visibility, wording,
};

mod address_check;
mod addresses;
mod aftermath;
pub mod ai;
mod app;
mod app_trouble;
pub mod arguments;
pub mod arrival;
mod assert_screenshot;
mod assertion;
pub mod baseline;
mod batch;
mod browser_use;
mod button;
mod by_ref;
mod call_trace;
pub mod caller;
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
mod kind;
mod last_acts;
mod last_touch;
mod link;
mod listing;
mod log;
mod log_clock;
mod look;
mod mask;
mod native_selectors;
mod ocr;
pub mod ocr_engines;
mod options;
pub mod output;
mod package;
mod page_faults;
mod path;
mod perform;
mod place;
mod popups;
mod press_key;
mod progress;
mod record;
mod relay;
mod reply;
mod request;
mod run;
mod scale;
mod schema;
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
mod table;
mod tap_text;
mod tapping;
mod target_place;
mod then;
pub mod token_budget;
mod tool;
mod toolset;
mod touch;
mod touch_info;
mod touched;
mod touchpoint;
mod typed_text;
mod ui;
mod unsupported;
mod utility;
mod value;
mod wait;
mod way;
mod web;
mod websocket;

pub use absence::CONSIDERED;
pub use addresses::Addresses;
pub use call_trace::{CallRecord, CallTrace, Observation};
pub use context::{Context, Invoke};
pub use evidence::EVIDENCE;
pub use examine::examine;
pub use fail_on::fails_by;
pub use failure_cause::CAUSE;
pub use finder::NO_CONTAINER;
pub use groups::{all, coded, find, table};
pub use kind::{Aim, Bound, ToolKind};
pub use last_acts::LastAct;
pub use listing::Listing;
pub use mask::{MASK, hide_typed, masked, secrets, texts, without_user};
pub use naming::short_target;
pub use options::{CallOptions, TOUCH_SERVER, Wanted};
pub use page_faults::{PAGE_ERRORS, page_faults};
pub use progress::{Advance, Progress};
pub use reply::{Picture, Reply, failure_result};
pub use schema::Schema;
pub use screen_texts::ScreenText;
pub use selector::looks_like_selector;
pub use servers::{OtherServers, Servers};
pub use session::{Session, SessionState};
pub use suggest::SUGGESTIONS;
pub use table::{PREFIX, Table};
pub use target_place::{TargetPlace, is_target_key, target_place};
pub use tool::{ActionTool, Exposure, Shape, Tool};
pub use toolset::{CORE, Toolset};
pub use ui::DataFile;
pub use uixt_locate::{Error, Kind, Object, stable_text};
pub use unsupported::known;

/// Asks for what a call does, and takes it out of the answer.
pub mod call_records {
    pub use super::call_trace::{ask, of_other, take, tell, unask};
}

/// The field of an answer that says of which of its fields a part was left out: `{stdout: {printed, kept}}`, in bytes.
pub const TRUNCATED: &str = "truncated";

use tool::LIMIT;
