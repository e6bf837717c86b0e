//! The parts of a page as they are after reading: plain data. What may stand where is checked in `validation`.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::path;

/// A page: what it holds, what it shows, what can be done on it.
///
/// Its parts are read through methods and changed by patches only.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the format")]
pub struct Instance {
    pub(super) instance_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) on_open: Option<String>,
    pub(super) state: State,
    pub(super) blocks: Vec<Block>,
    pub(super) actions: Vec<ActionConfig>,
}

/// What a page holds: what the user can change, and what the page says by itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct State {
    pub params: Map<String, Value>,
    /// `message`, `error` (a page shows both of them by itself), `status`, `navigate` (the instance to open next), `row` (the table
    /// row that was tapped), `timestamp` (set whenever an action refers to it), …
    pub runtime: Map<String, Value>,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Block {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: BlockType,
    /// Where its fields' values lie: `state.params`.
    pub bind: String,
    pub props: BlockProps,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockType {
    Form,
}

/// What a block shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BlockProps {
    pub fields: Vec<FieldConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_progress: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_status: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_images: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_table: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_count_input: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_task_id: Option<bool>,
}

/// One thing in a block. Its value lies in the state, at the block's `bind` and its `key`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldConfig {
    pub label: String,
    /// A name without dots, unique in its block.
    pub key: String,
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// Android's resource id: `com.uixt.shop:id/user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rid: Option<String>,
    /// The value while the state has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// At least one for select, radio and multiselect; none for others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editable: Option<bool>,
    /// `password` hides a text; `switch` draws a checkbox as a switch; `json`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    #[serde(flatten)]
    pub image: ImageProps,
    /// At least one for a table; none for others. Where no column has a label, the table has no head: it is a list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<Column>,
    /// Table: the action that a tapped row runs, after `state.runtime.row` was set to the row ([`Instance::act_on_row`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_action: Option<String>,
    /// Component: the instance that is shown in this place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_instance: Option<String>,
    /// What an empty text field shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// How an image is shown; all empty for other fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageProps {
    /// True where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_fullscreen: Option<bool>,
    /// True where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_download: Option<bool>,
    /// `auto` where nothing is said; else `200px`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_height: Option<String>,
    /// [`ImageFit::Contain`] where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_fit: Option<ImageFit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lazy: Option<bool>,
    /// What stands there when the picture cannot be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtitle: Option<String>,
}

/// How an image fills its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageFit {
    Contain,
    Cover,
    Fill,
}

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldType {
    Text,
    Number,
    Textarea,
    Checkbox,
    Select,
    Radio,
    Multiselect,
    Json,
    Image,
    Table,
    Component,
    Date,
    Datetime,
    File,
    Html,
    Tag,
    Progress,
    Badge,
    Modal,
}

/// One of a select's, radio's or multiselect's options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    pub label: String,
    pub value: String,
}

/// A column of a table: where its values lie in a row, and what stands above it. Written as a bare string, both are that string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    pub key: String,
    pub label: String,
}

/// Something that can be done on a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActionConfig {
    pub id: String,
    pub label: String,
    pub style: Style,
    pub action_type: ActionType,
    /// The instance that a navigate action opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_instance: Option<String>,
    /// `set` where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handler_type: Option<HandlerType>,
    /// Path → value for most handlers; the request for `external`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub patches: Map<String, Value>,
}

/// How an action's button looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    Primary,
    Secondary,
    Danger,
}

/// Whether an action stays on its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionType {
    Api,
    Navigate,
}

/// What an action does with its patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum HandlerType {
    #[serde(rename = "set")]
    Set,
    #[serde(rename = "increment")]
    Increment,
    #[serde(rename = "decrement")]
    Decrement,
    #[serde(rename = "toggle")]
    Toggle,
    #[serde(rename = "template")]
    Template,
    #[serde(rename = "template:all")]
    TemplateAll,
    #[serde(rename = "template:state")]
    TemplateState,
    #[serde(rename = "external")]
    External,
}

impl Instance {
    pub fn id(&self) -> &str {
        &self.instance_id
    }

    /// Returns what stands at the top of the page; empty where it has no title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the action to run whenever the page opens, before it is shown.
    pub fn on_open(&self) -> Option<&str> {
        self.on_open.as_deref()
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns every action, those that have no button included.
    pub fn actions(&self) -> &[ActionConfig] {
        &self.actions
    }

    /// Returns the actions that have a button: all but those that run when the page opens or a row is tapped.
    pub fn buttons(&self) -> impl Iterator<Item = &ActionConfig> {
        self.actions.iter().filter(|action| {
            let id = Some(action.id.as_str());
            self.on_open() != id && !self.fields().any(|(_, field)| field.row_action.as_deref() == id)
        })
    }

    /// Returns every field with its block.
    pub fn fields(&self) -> impl Iterator<Item = (&Block, &FieldConfig)> {
        self.blocks.iter().flat_map(|block| block.props.fields.iter().map(move |field| (block, field)))
    }

    /// Returns `state.runtime.KEY` as text; empty where there is none.
    pub fn runtime_text(&self, key: &str) -> String {
        self.state.runtime.get(key).map(text_of).unwrap_or_default()
    }

    /// Returns what a field shows: its value in the state, else its default, else what is empty for its type.
    pub fn value_of(&self, block: &Block, field: &FieldConfig) -> Value {
        let given = self.given(block, field);
        if given.is_null() { field.kind.empty() } else { given }
    }

    /// Returns the value that somebody gave a field; null where nobody did.
    pub(super) fn given(&self, block: &Block, field: &FieldConfig) -> Value {
        let mut segments = block.bind.split('.').skip(1);
        let root = match segments.next() {
            Some("runtime") => &self.state.runtime,
            _ => &self.state.params,
        };
        let mut keys = segments.chain([field.key.as_str()]);
        let first = keys.next().and_then(|key| root.get(key));
        let found = keys.fold(first, |value, key| value.and_then(|value| path::get(value, key)));
        found.or(field.value.as_ref()).cloned().unwrap_or_default()
    }

    /// Returns the whole instance as the JSON that it could be read from again.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Block {
    /// Returns where a field's value lies: the path to patch when the user changes it.
    pub fn path_of(&self, field: &FieldConfig) -> String {
        format!("{}.{}", self.bind, field.key)
    }
}

impl FieldConfig {
    /// Tells whether the user may change it.
    pub fn is_editable(&self) -> bool {
        self.kind.takes_input() && self.editable.unwrap_or(true)
    }
}

impl FieldType {
    /// Tells whether a field of this type can be changed by the user at all.
    pub fn takes_input(self) -> bool {
        !matches!(
            self,
            Self::Image
                | Self::Table
                | Self::Component
                | Self::Html
                | Self::Tag
                | Self::Progress
                | Self::Badge
                | Self::Modal
        )
    }

    /// Returns the value of a field of this type that holds nothing.
    pub fn empty(self) -> Value {
        match self {
            Self::Number | Self::Progress => json!(0),
            Self::Checkbox => json!(false),
            Self::Multiselect | Self::Table => json!([]),
            Self::Json => json!({}),
            _ => json!(""),
        }
    }
}

/// Returns a value as a person reads it: text as it is, null as nothing, everything else as JSON.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
