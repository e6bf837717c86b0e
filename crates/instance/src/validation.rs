//! JSON text → a checked [`Instance`]: every key known, every type right, every name unique, every reference answered.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::model::{BlockType, ImageProps};
use super::reader::{Object, join, unknown, wrong};
use super::{
    ActionConfig, ActionType, Block, BlockProps, Choice, Column, Error, FieldConfig, FieldType, HandlerType, ImageFit,
    Instance, State, Style, handlers, limits,
};

const ROOT: &[&str] = &["instance_id", "title", "on_open", "state", "blocks", "actions"];
const BLOCK: &[&str] = &["id", "type", "bind", "props"];
const PROPS: &[&str] =
    &["fields", "showProgress", "showStatus", "showImages", "showTable", "showCountInput", "showTaskId"];
const FIELD: &[&str] = &[
    "label",
    "key",
    "type",
    "rid",
    "value",
    "description",
    "options",
    "editable",
    "content_type",
    "showFullscreen",
    "showDownload",
    "imageHeight",
    "imageFit",
    "lazy",
    "fallback",
    "subtitle",
    "columns",
    "row_action",
    "target_instance",
    "hint",
];
const IMAGE_ONLY: &[&str] =
    &["showFullscreen", "showDownload", "imageHeight", "imageFit", "lazy", "fallback", "subtitle"];
const ACTION: &[&str] = &["id", "label", "style", "action_type", "target_instance", "handler_type", "patches"];

const FIELD_TYPES: &[(&str, FieldType)] = &[
    ("text", FieldType::Text),
    ("number", FieldType::Number),
    ("textarea", FieldType::Textarea),
    ("checkbox", FieldType::Checkbox),
    ("select", FieldType::Select),
    ("radio", FieldType::Radio),
    ("multiselect", FieldType::Multiselect),
    ("json", FieldType::Json),
    ("image", FieldType::Image),
    ("table", FieldType::Table),
    ("component", FieldType::Component),
    ("date", FieldType::Date),
    ("datetime", FieldType::Datetime),
    ("file", FieldType::File),
    ("html", FieldType::Html),
    ("tag", FieldType::Tag),
    ("progress", FieldType::Progress),
    ("badge", FieldType::Badge),
    ("modal", FieldType::Modal),
];
const STYLES: &[(&str, Style)] =
    &[("primary", Style::Primary), ("secondary", Style::Secondary), ("danger", Style::Danger)];
const ACTION_TYPES: &[(&str, ActionType)] = &[("api", ActionType::Api), ("navigate", ActionType::Navigate)];
const HANDLERS: &[(&str, HandlerType)] = &[
    ("set", HandlerType::Set),
    ("increment", HandlerType::Increment),
    ("decrement", HandlerType::Decrement),
    ("toggle", HandlerType::Toggle),
    ("template", HandlerType::Template),
    ("template:all", HandlerType::TemplateAll),
    ("template:state", HandlerType::TemplateState),
    ("external", HandlerType::External),
];
const IMAGE_FITS: &[(&str, ImageFit)] =
    &[("contain", ImageFit::Contain), ("cover", ImageFit::Cover), ("fill", ImageFit::Fill)];

impl Instance {
    /// Reads an instance from JSON text of at most 1 MiB.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        if text.len() > limits::BYTES {
            return Err(Error::structure("", format!("larger than {} bytes", limits::BYTES)));
        }
        let value: Value =
            serde_json::from_str(text).map_err(|error| Error::structure("", format!("not JSON: {error}")))?;
        Self::from_value(&value)
    }

    /// Reads an instance from JSON.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        limits::check(value, "")?;
        let root = Object::read(value, "", ROOT)?;
        let instance = Self {
            instance_id: id(&root)?,
            title: root.text("title")?.unwrap_or_default(),
            on_open: root.text("on_open")?,
            state: state(&root)?,
            blocks: each(&root, "blocks", block)?,
            actions: each(&root, "actions", action)?,
        };
        unique("blocks", instance.blocks.iter().map(|block| block.id.as_str()))?;
        unique("actions", instance.actions.iter().map(|action| action.id.as_str()))?;
        check_references(&instance)?;
        Ok(instance)
    }
}

/// Reads the elements of a list, each with its path.
fn each<T>(object: &Object, key: &str, read: fn(&str, &Value) -> Result<T, Error>) -> Result<Vec<T>, Error> {
    object.list(key)?.into_iter().map(|(path, value)| read(&path, value)).collect()
}

fn state(root: &Object) -> Result<State, Error> {
    let Some(value) = root.get("state") else { return Ok(State::default()) };
    let state = Object::read(value, "state", &["params", "runtime"])?;
    let part = |key| state.object(key).map(|part| part.cloned().unwrap_or_default());
    Ok(State { params: part("params")?, runtime: part("runtime")? })
}

fn block(path: &str, value: &Value) -> Result<Block, Error> {
    let block = Object::read(value, path, BLOCK)?;
    Ok(Block {
        id: block.name("id")?,
        kind: block.word("type", &[("form", BlockType::Form)])?.ok_or_else(|| block.missing("type"))?,
        bind: bind(&block)?,
        props: block
            .get("props")
            .map_or_else(|| Ok(BlockProps::default()), |value| props(&block.path_to("props"), value))?,
    })
}

fn bind(block: &Object) -> Result<String, Error> {
    let bind = block.text("bind")?.unwrap_or_else(|| "state.params".to_owned());
    let mut segments = bind.split('.');
    let rooted = segments.next() == Some("state") && matches!(segments.next(), Some("params" | "runtime"));
    if rooted && bind.split('.').count() < limits::SEGMENTS && segments.all(|segment| !segment.is_empty()) {
        return Ok(bind);
    }
    let message = format!("`{}` must be state.params, state.runtime, or a path below one of them", bind.escape_debug());
    Err(Error::structure(&block.path_to("bind"), message))
}

fn props(path: &str, value: &Value) -> Result<BlockProps, Error> {
    let props = Object::read(value, path, PROPS)?;
    let fields = each(&props, "fields", field)?;
    unique(&props.path_to("fields"), fields.iter().map(|field| field.key.as_str()))?;
    Ok(BlockProps {
        fields,
        show_progress: props.flag("showProgress")?,
        show_status: props.flag("showStatus")?,
        show_images: props.flag("showImages")?,
        show_table: props.flag("showTable")?,
        show_count_input: props.flag("showCountInput")?,
        show_task_id: props.flag("showTaskId")?,
    })
}

fn field(path: &str, value: &Value) -> Result<FieldConfig, Error> {
    let field = Object::read(value, path, FIELD)?;
    let kind = field.word("type", FIELD_TYPES)?.ok_or_else(|| field.missing("type"))?;
    check_attributes(&field, kind)?;
    Ok(FieldConfig {
        label: field.required_text("label")?,
        key: field.name("key")?,
        kind,
        rid: field.text("rid")?,
        value: field.get("value").cloned(),
        description: field.text("description")?,
        options: each(&field, "options", choice)?,
        editable: field.flag("editable")?,
        content_type: field.text("content_type")?,
        image: image(&field)?,
        columns: each(&field, "columns", column)?,
        row_action: field.text("row_action")?,
        target_instance: field.text("target_instance")?,
        hint: field.text("hint")?,
    })
}

/// Refuses attributes that belong to other types, and a type without what it needs.
fn check_attributes(field: &Object, kind: FieldType) -> Result<(), Error> {
    const CHOICES: &[FieldType] = &[FieldType::Select, FieldType::Radio, FieldType::Multiselect];
    let rules: [(&[&str], &[FieldType], &str); 5] = [
        (IMAGE_ONLY, &[FieldType::Image], "image"),
        (&["options"], CHOICES, "select, radio and multiselect"),
        (&["columns", "row_action"], &[FieldType::Table], "table"),
        (&["target_instance"], &[FieldType::Component], "component"),
        (
            &["hint"],
            &[FieldType::Text, FieldType::Number, FieldType::Textarea, FieldType::Json],
            "text, number, textarea and json",
        ),
    ];
    for (keys, kinds, names) in rules {
        if let Some(key) = keys.iter().find(|key| !kinds.contains(&kind) && field.get(key).is_some()) {
            return Err(Error::structure(&field.path_to(key), format!("is only for fields of type {names}")));
        }
    }
    let needed = match kind {
        FieldType::Select | FieldType::Radio | FieldType::Multiselect => "options",
        FieldType::Table => "columns",
        FieldType::Component => return field.name("target_instance").map(drop),
        _ => return Ok(()),
    };
    if field.list(needed)?.is_empty() {
        return Err(Error::structure(field.path(), format!("needs `{needed}` with at least one element")));
    }
    Ok(())
}

fn image(field: &Object) -> Result<ImageProps, Error> {
    Ok(ImageProps {
        show_fullscreen: field.flag("showFullscreen")?,
        show_download: field.flag("showDownload")?,
        image_height: field.text("imageHeight")?,
        image_fit: field.word("imageFit", IMAGE_FITS)?,
        lazy: field.flag("lazy")?,
        fallback: field.text("fallback")?,
        subtitle: field.text("subtitle")?,
    })
}

fn choice(path: &str, value: &Value) -> Result<Choice, Error> {
    let choice = Object::read(value, path, &["label", "value"])?;
    Ok(Choice { label: choice.required_text("label")?, value: choice.required_text("value")? })
}

fn column(path: &str, value: &Value) -> Result<Column, Error> {
    if let Some(name) = value.as_str() {
        return Ok(Column { key: name.to_owned(), label: name.to_owned() });
    }
    if !value.is_object() {
        return Err(wrong(path, "a string or an object", value));
    }
    let column = Object::read(value, path, &["key", "label"])?;
    Ok(Column { key: column.name("key")?, label: column.text("label")?.unwrap_or_default() })
}

fn action(path: &str, value: &Value) -> Result<ActionConfig, Error> {
    let action = Object::read(value, path, ACTION)?;
    let action_type = action.word("action_type", ACTION_TYPES)?.unwrap_or(ActionType::Api);
    let target_instance = action.text("target_instance")?;
    if action_type == ActionType::Navigate && target_instance.is_none() {
        return Err(Error::structure(path, "`target_instance` is missing: a navigate action needs it"));
    }
    let read = ActionConfig {
        id: action.name("id")?,
        label: action.required_text("label")?,
        style: action.word("style", STYLES)?.ok_or_else(|| action.missing("style"))?,
        action_type,
        target_instance,
        handler_type: action.word("handler_type", HANDLERS)?,
        patches: action.object("patches")?.cloned().unwrap_or_else(Map::new),
    };
    handlers::check(&read, path)?;
    Ok(read)
}

fn unique<'a>(path: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(Error::DuplicateId { path: path.to_owned(), id: name.to_owned() });
        }
    }
    Ok(())
}

/// Checks that the actions that a page names are there.
fn check_references(instance: &Instance) -> Result<(), Error> {
    let ids: Vec<&str> = instance.actions.iter().map(|action| action.id.as_str()).collect();
    let check = |path: &str, id: &str| {
        if ids.contains(&id) { Ok(()) } else { Err(Error::structure(path, unknown("action", id, &ids))) }
    };
    if let Some(id) = instance.on_open() {
        check("on_open", id)?;
    }
    for (number, block) in instance.blocks.iter().enumerate() {
        for (index, field) in block.props.fields.iter().enumerate() {
            if let Some(id) = &field.row_action {
                check(&join(&format!("blocks.{number}.props.fields.{index}"), "row_action"), id)?;
            }
        }
    }
    Ok(())
}

/// Reads the instance's id; those that calls give a meaning of their own are none.
fn id(root: &Object) -> Result<String, Error> {
    let id = root.name("instance_id")?;
    match id.as_str() {
        "__CREATE__" | "__DELETE__" => Err(Error::structure("instance_id", format!("`{id}` cannot be an id"))),
        _ => Ok(id),
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "a call with json!(…) reads better")]
mod tests {
    use serde_json::json;

    use super::*;

    const LOGIN: &str = r#"{"instance_id":"shop_login","title":"Log in",
        "state":{"params":{"user":"","password":"","remember":false},"runtime":{"message":""}},
        "blocks":[{"id":"form","type":"form","bind":"state.params","props":{"fields":[
            {"key":"user","label":"User name","type":"text","rid":"com.uixt.shop:id/user"},
            {"key":"password","label":"Password","type":"text","content_type":"password"},
            {"key":"remember","label":"记住我","type":"checkbox"}]}}],
        "actions":[{"id":"sign_in","label":"Sign in","style":"primary","handler_type":"external","patches":{
            "url":"http://shop.phone/login","method":"POST","body_template":{"user":"${state.params.user}"},
            "response_mappings":{"state.runtime.navigate":"next"},"error_mapping":{"state.runtime.message":"error.message"}}}]}"#;

    fn error(field: Value) -> String {
        let page = json!({"instance_id": "p", "blocks": [{"id": "b", "type": "form", "props": {"fields": [field]}}]});
        Instance::from_value(&page).unwrap_err().to_string()
    }

    #[test]
    fn what_is_read_can_be_written_and_read_again() {
        let page = Instance::from_json(LOGIN).unwrap();
        assert_eq!(Instance::from_value(&page.to_json()).unwrap(), page);
        assert_eq!(page.blocks()[0].path_of(&page.blocks()[0].props.fields[0]), "state.params.user");
        assert_eq!(page.blocks()[0].props.fields[2].kind, FieldType::Checkbox);
    }

    #[test]
    fn every_type_is_read_and_needs_what_it_needs() {
        assert_eq!(FIELD_TYPES.len(), 19);
        for (name, kind) in FIELD_TYPES {
            let mut field = json!({"key": "k", "label": "L", "type": name});
            match kind {
                FieldType::Select | FieldType::Radio | FieldType::Multiselect => {
                    assert!(error(field.clone()).contains("needs `options`"), "{name}");
                    field["options"] = json!([{"label": "A", "value": "a"}]);
                }
                FieldType::Table => {
                    assert!(error(field.clone()).contains("needs `columns`"));
                    field["columns"] = json!(["a", {"key": "b", "label": "B"}]);
                }
                FieldType::Component => {
                    assert!(error(field.clone()).contains("`target_instance` is missing"));
                    field["target_instance"] = json!("other");
                }
                _ => {}
            }
            let page =
                json!({"instance_id": "p", "blocks": [{"id": "b", "type": "form", "props": {"fields": [field]}}]});
            let page = Instance::from_value(&page).unwrap();
            assert_eq!(page.to_json()["blocks"][0]["props"]["fields"][0]["type"], **name);
        }
    }

    #[test]
    fn errors_name_the_place_and_what_is_valid() {
        let place = "blocks.0.props.fields.0";
        let message = error(json!({"key": "k", "label": "L", "type": "txt"}));
        assert!(
            message
                .starts_with(&format!("{place}.type: unknown value `txt` (did you mean `text`?); valid: text, number")),
            "{message}"
        );
        let message = error(json!({"key": "k", "label": "L", "type": "text", "colour": 1}));
        assert!(message.starts_with(&format!("{place}: unknown key `colour`")), "{message}");
        let message = error(json!({"key": "k", "label": 5, "type": "text"}));
        assert_eq!(message, format!("{place}.label: must be a string, not a number"));
        let message = error(json!({"key": "k", "label": "L", "type": "text", "imageFit": "cover"}));
        assert_eq!(message, format!("{place}.imageFit: is only for fields of type image"));
        let message = error(json!({"key": "k", "label": "L", "type": "table", "columns": ["a"], "row_action": "go"}));
        assert!(message.starts_with(&format!("{place}.row_action: unknown action `go`")), "{message}");
        assert!(error(json!({"key": "a.b", "label": "L", "type": "text"})).contains(".key"));
    }

    #[test]
    fn names_are_unique_and_actions_sound() {
        let block = json!({"id": "b", "type": "form"});
        let error = Instance::from_value(&json!({"instance_id": "p", "blocks": [block, block]})).unwrap_err();
        assert_eq!(error.code(), "DUPLICATE_ID");
        let refuse = |action: Value| {
            Instance::from_value(&json!({"instance_id": "p", "actions": [action]})).unwrap_err().to_string()
        };
        let base = |more: Value| {
            let mut action = json!({"id": "a", "label": "A", "style": "primary"});
            action.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            action
        };
        assert!(refuse(base(json!({"action_type": "navigate"}))).contains("target_instance"));
        assert!(refuse(base(json!({"style": "big"}))).starts_with("actions.0.style: unknown value `big`"));
        assert!(
            refuse(base(json!({"handler_type": "toggle", "patches": {"state.params.a": 1}}))).contains("must be true")
        );
        assert!(refuse(base(json!({"handler_type": "external"}))).starts_with("actions.0.patches: `url` is missing"));
        assert!(refuse(base(json!({"patches": {"blocks/-": 1}}))).starts_with("actions.0.patches: path `blocks/-`"));
    }

    #[test]
    fn hostile_text_is_refused() {
        for text in ["", "[", "null", "{}", "[]", r#"{"instance_id":1}"#, r#"{"instance_id":""}"#] {
            assert_eq!(Instance::from_json(text).unwrap_err().code(), "INVALID_STRUCTURE", "{text}");
        }
        let deep =
            format!(r#"{{"instance_id":"p","state":{{"params":{{"a":{}1{}}}}}}}"#, "[".repeat(100), "]".repeat(100));
        assert!(Instance::from_json(&deep).unwrap_err().to_string().contains("levels deep"));
        assert!(Instance::from_json(&"[".repeat(100_000)).is_err());
    }
}
