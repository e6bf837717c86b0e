//! Which element is meant: the arguments that every element tool shares.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::pixel_elements::{self, Source};
use super::scope::Filter;
use super::selector::{self, looks_like_selector};
use super::wording::clip;
use crate::driver::element;

/// Which element is meant. Several fields together narrow it down.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Target {
    /// Text, label or hint.
    #[serde(deserialize_with = "composed")]
    pub text: Option<String>,
    /// Its package may be left out.
    pub id: Option<String>,
    /// button, textfield, text, switch …
    pub role: Option<String>,
    /// Ref of the last snapshot.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// CSS-like `list > button#ok` or XPath.
    #[serde(deserialize_with = "composed")]
    pub selector: Option<String>,
    /// `data-testid` on a page, id on a phone.
    #[schemars(extend("x-unpublished" = true))]
    pub test_id: Option<String>,
    /// What labels a field or a picture.
    #[serde(deserialize_with = "composed")]
    #[schemars(extend("x-unpublished" = true))]
    pub label: Option<String>,
    /// What a field shows while it is empty.
    #[serde(deserialize_with = "composed")]
    #[schemars(extend("x-unpublished" = true))]
    pub placeholder: Option<String>,
    /// In words: second Add button, 用户名输入框.
    pub description: Option<String>,
    /// Which of several, from 0; -1 is the last.
    pub index: Option<i32>,
    /// Inside this: text, #id or target.
    pub within: Option<Box<Place>>,
    /// Nearest to this: text, #id or target.
    pub near: Option<Box<Place>>,
    /// `text` is a regex.
    pub regex: bool,
    /// `text` to the letter.
    pub exact: bool,
    /// A drawn text counts that differs in signs that look alike, such as 0 and O.
    #[schemars(extend("x-unpublished" = true))]
    pub fuzzy: bool,
    /// What answers: `tree` (the elements, which is usual), `pixels` (the text that is drawn), or `auto` (the elements, else the pixels).
    #[schemars(extend("x-unpublished" = true))]
    pub source: Option<Source>,
    /// A picture of it, a PNG beside the testcase or in the project: where the screen looks like it.
    #[schemars(extend("x-unpublished" = true))]
    pub image: Option<String>,
    /// A kind that is known by its look: button, `text_field`, checkbox, switch, close, back, menu, search.
    #[schemars(extend("x-unpublished" = true))]
    pub control: Option<String>,
    /// How much a place has to look like `image`: 1 is the same; 0.8 by default.
    #[schemars(extend("x-unpublished" = true), range(min = 0.3, max = 1.0))]
    pub confidence: Option<f32>,
    /// Also what nobody sees of a page.
    #[schemars(extend("x-unpublished" = true))]
    pub present: bool,
    /// Whether a drawn text counts that differs only in what recognition confuses, although `exact` is said.
    #[serde(skip)]
    pub forgives: bool,
    #[serde(flatten)]
    #[schemars(skip)]
    pub filter: Filter,
}

/// A target in an argument, such as `within` or `into`, which may be a bare string.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place(pub Target);

/// Reads a text that is compared with what the screen shows, whose letters are [composed](element::composed).
pub fn composed<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    Ok(text.map(|text| element::composed(&text).into_owned()))
}

impl Target {
    /// Returns the target that a bare text names.
    pub fn text(text: &str) -> Self {
        Self { text: Some(element::composed(text).into_owned()), ..Self::default() }
    }

    /// Returns the target that a bare text names, which is a selector where it [looks like one](looks_like_selector).
    pub fn text_or_selector(text: &str) -> Self {
        if looks_like_selector(text) {
            return Self { selector: Some(element::composed(text).into_owned()), ..Self::default() };
        }
        Self::text(text)
    }

    /// Returns the same of what stands where a selector is expected.
    pub fn of_selector(text: &str) -> Self {
        if selector::is_meant(text) {
            return Self { selector: Some(element::composed(text).into_owned()), ..Self::default() };
        }
        Self::text(text)
    }

    /// Refuses what is no property of a drawn text: it would be absent whatever is shown.
    fn check_drawn(&self) -> Result<(), String> {
        if self.source != Some(Source::Pixels) || self.reference.is_some() {
            return Ok(());
        }
        let of_elements = [
            ("id", &self.id),
            ("selector", &self.selector),
            ("test_id", &self.test_id),
            ("label", &self.label),
            ("placeholder", &self.placeholder),
        ];
        let is_text = |role: &Option<String>| role.as_deref().is_none_or(|role| role == "text");
        let named = of_elements.iter().find(|(_, value)| value.is_some()).map(|(name, _)| *name);
        match named.or_else(|| (!is_text(&self.role) && self.control.is_none()).then_some("role")) {
            Some(name) => Err(format!(
                "with `source: pixels` only drawn texts are looked at, which have no `{name}`: give a `text`, or a `control`"
            )),
            None => Ok(()),
        }
    }

    /// Checks what a schema cannot say.
    pub fn check(&self) -> Result<(), String> {
        if self.text.is_none()
            && self.id.is_none()
            && self.role.is_none()
            && self.reference.is_none()
            && self.selector.is_none()
            && self.description.is_none()
            && self.test_id.is_none()
            && self.label.is_none()
            && self.placeholder.is_none()
            && self.image.is_none()
            && self.control.is_none()
        {
            return Err("no target: give at least one of text, id, role, ref, selector, description, image".to_owned());
        }
        for (name, value) in [("label", &self.label), ("placeholder", &self.placeholder), ("test_id", &self.test_id)] {
            if value.as_deref().is_some_and(|value| value.trim().is_empty()) {
                return Err(format!("`{name}` is empty"));
            }
        }
        if self.text.as_deref().is_some_and(|text| text.trim().is_empty()) {
            return Err("`text` is empty".to_owned());
        }
        if let Some(text) =
            self.text.as_deref().filter(|text| !self.exact && !self.regex && is_certainly_a_selector(text))
        {
            // As a text it would hardly ever be found, so that its absence would be asserted in vain.
            return Err(format!(
                "`{text}` looks like a selector: write {{selector: {0}}}, or {{text: {0}, exact: true}} for a text",
                quoted(text)
            ));
        }
        if let Some(name) = self.id.as_deref().and_then(|id| id.strip_prefix('#')) {
            return Err(format!("an id is written without `#`: {{id: {name}}}"));
        }
        if self.id.as_deref() == Some("") {
            return Err("`id` is empty".to_owned());
        }
        if let Some(image) = &self.image {
            pixel_elements::check_image(image)?;
        } else if self.confidence.is_some() {
            return Err("`confidence` says how much something has to look like an `image`: name one".to_owned());
        }
        if let Some(control) = &self.control {
            pixel_elements::control_kind(control)?;
        }
        if let Some(role) = &self.role {
            super::role::of(role)?;
        }
        self.check_drawn()?;
        if let Some(selector) = &self.selector {
            super::selector::check(selector)?;
        }
        if let Some(description) = &self.description {
            super::description::check(description)?;
        }
        if let Some(pattern) = self.text.as_deref().filter(|_| self.regex) {
            super::pattern::pattern(pattern)?;
        }
        for (name, place) in [("within", &self.within), ("near", &self.near)] {
            if let Some(place) = place {
                place.0.check().map_err(|message| format!("{name}: {message}"))?;
            }
        }
        Ok(())
    }
}

/// Tells whether nobody would write such a text on a screen: XPath, or a name with attributes. `#name` may be a tag.
fn is_certainly_a_selector(text: &str) -> bool {
    let text = text.trim();
    let has_attributes = text.split_once('[').is_some_and(|(_, rest)| rest.contains('=') && text.ends_with(']'));
    let is_path = text.strip_prefix('(').unwrap_or(text).starts_with("//") && text.len() > 4;
    (is_path || has_attributes) && super::selector::Selector::parse(text).is_ok()
}

/// Writes a text as YAML and JSON take it: in the quotes that it does not hold.
pub(super) fn quoted(text: &str) -> String {
    if text.contains('"') { format!("'{text}'") } else { format!("\"{text}\"") }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let mut part = |name: &str, value: Option<&String>| {
            if let Some(value) = value {
                let value = clip(value);
                parts.push(if name.is_empty() { format!("\"{value}\"") } else { format!("{name} {value}") });
            }
        };
        part("role", self.role.as_ref());
        part("", self.text.as_ref());
        part("id", self.id.as_ref());
        part("ref", self.reference.as_ref());
        part("test id", self.test_id.as_ref());
        part("label", self.label.as_ref());
        part("placeholder", self.placeholder.as_ref());
        part("selector", self.selector.as_ref());
        part("description", self.description.as_ref().map(|words| format!("\"{words}\"")).as_ref());
        part("image", self.image.as_ref());
        part("control", self.control.as_ref());
        part("index", self.index.map(|index| index.to_string()).as_ref());
        part("within", self.within.as_ref().map(|within| within.0.to_string()).as_ref());
        part("source", self.source.filter(|source| *source == Source::Pixels).map(|_| "pixels".to_owned()).as_ref());
        part("near", self.near.as_ref().map(|near| near.0.to_string()).as_ref());
        parts.extend(Some(self.filter.to_string()).filter(|filter| !filter.is_empty()));
        f.write_str(&parts.join(", "))
    }
}

/// Reads a target that may be a bare string.
pub(super) fn string_or_target<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Target, D::Error> {
    struct Either;
    impl<'de> Visitor<'de> for Either {
        type Value = Target;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text, a #selector or a map such as {role: button, text: Save}")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Target, E> {
            Ok(Target::text_or_selector(text))
        }

        fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Target, M::Error> {
            Target::deserialize(de::value::MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_any(Either)
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        string_or_target(deserializer).map(Self)
    }
}

impl JsonSchema for Place {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Place".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "object"]})
    }
}
