//! What is wrong with a call → one sentence that names what is missing, unknown and valid, in two languages.

use std::fmt;

use serde_json::Value;
use uixt_schema::nearest;

use super::json::shown;
use super::kind::Kind;

/// Most names that a message lists.
const MAX: usize = 40;

/// The language of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    #[default]
    En,
    Zh,
}

/// An argument that the tool does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    pub name: String,
    /// The valid name that was probably meant.
    pub nearest: Option<String>,
}

impl Unknown {
    /// Names an argument that is not among the valid ones.
    pub fn among<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> Self {
        Self { name: name.to_owned(), nearest: nearest(name, valid).map(str::to_owned) }
    }
}

/// An argument of a wrong type.
#[derive(Clone, Debug, PartialEq)]
pub struct Invalid {
    pub name: String,
    /// The types that are taken; never empty.
    pub wanted: Vec<Kind>,
    pub given: Value,
}

/// Why a call is not made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    pub tool: String,
    pub missing: Vec<String>,
    pub unknown: Vec<Unknown>,
    /// Arguments that are given by two names: as they were written, and the name of the definition.
    pub doubled: Vec<(String, String)>,
    pub invalid: Vec<Invalid>,
    /// What else is wrong, in sentences.
    pub other: Vec<String>,
    /// The names that the tool takes, in the definition's order.
    pub valid: Vec<String>,
}

impl Problem {
    /// Returns the complaint about a call that is wrong as a whole.
    pub(super) fn whole(tool: &str, message: impl Into<String>) -> Self {
        Self { tool: tool.to_owned(), other: vec![message.into()], ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.missing.is_empty()
            && self.unknown.is_empty()
            && self.doubled.is_empty()
            && self.invalid.is_empty()
            && self.other.is_empty()
    }

    /// Returns the message in a language, without a line break.
    pub fn message(&self, lang: Lang) -> String {
        match lang {
            Lang::En => format!("{}: {}", self.tool, self.english().join("; ")),
            Lang::Zh => format!("工具调用验证失败: {}", self.chinese()),
        }
    }

    fn english(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.missing.is_empty() {
            parts.push(format!("missing: {}", list(self.missing.iter().cloned())));
        }
        if !self.unknown.is_empty() {
            let named = self.unknown.iter().map(|unknown| match &unknown.nearest {
                Some(near) => format!("{} (did you mean {near}?)", shown(&unknown.name)),
                None => shown(&unknown.name),
            });
            parts.push(format!("unknown: {}", list(named)));
        }
        let doubled = self.doubled.iter().take(MAX);
        parts.extend(doubled.map(|(alias, name)| format!("`{}` and `{name}` are the same argument", shown(alias))));
        parts.extend(self.invalid.iter().take(MAX).map(Invalid::english));
        parts.extend(self.other.iter().take(MAX).cloned());
        match (&self.valid[..], self.is_whole()) {
            (_, true) => {}
            ([], _) => parts.push("it takes no arguments".to_owned()),
            (valid, _) => parts.push(format!("valid: {}", list(valid.iter().cloned()))),
        }
        parts
    }

    /// Tells whether the call is wrong before any argument is.
    fn is_whole(&self) -> bool {
        self.valid.is_empty() && self.unknown.is_empty() && self.missing.is_empty()
    }

    /// What is valid stands behind what is not, from z to a, as in the message that models were trained to read.
    fn chinese(&self) -> String {
        let mut valid: Vec<&String> = self.valid.iter().collect();
        valid.sort_unstable_by(|a, b| b.cmp(a));
        let valid = format!("有效参数: {}", quoted(valid));
        let mut parts = Vec::new();
        if !self.missing.is_empty() {
            parts.push(format!("缺少必需参数: {}", quoted(self.missing.iter())));
        }
        if !self.unknown.is_empty() {
            let names = quoted(self.unknown.iter().map(|unknown| &unknown.name));
            parts.push(format!("无效参数: {names}，{valid}"));
        }
        let doubled = self.doubled.iter().take(MAX);
        parts.extend(doubled.map(|(alias, name)| format!("重复参数: '{}' 即 '{name}'", shown(alias))));
        parts.extend(self.invalid.iter().take(MAX).map(Invalid::chinese));
        parts.extend(self.other.iter().take(MAX).cloned());
        if self.unknown.is_empty() && !self.is_whole() {
            parts.push(valid);
        }
        let meant = self.unknown.iter().filter_map(|unknown| Some((&unknown.name, unknown.nearest.as_ref()?)));
        parts.extend(meant.take(MAX).map(|(name, near)| format!("'{}' 是否应为 '{near}'?", shown(name))));
        parts.join("; ")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(Lang::En))
    }
}

impl std::error::Error for Problem {}

impl Invalid {
    pub(super) fn english(&self) -> String {
        let wanted: Vec<&str> = self.wanted.iter().map(|kind| kind.words()).collect();
        let given = shown(&self.given.to_string());
        format!("`{}` must be {}, not {}{given}", self.name, wanted.join(" or "), self.article())
    }

    fn chinese(&self) -> String {
        let wanted: Vec<&str> = self.wanted.iter().map(|kind| kind.name()).collect();
        let given = shown(&self.given.to_string());
        format!(
            "参数类型错误: '{}' 应为 {}，实际为 {} {given}",
            self.name,
            wanted.join(" 或 "),
            Kind::of(&self.given).name()
        )
    }

    /// Names the type that was given, where the value does not show it by itself.
    fn article(&self) -> &'static str {
        match self.given {
            Value::String(_) => "the string ",
            Value::Array(_) => "the list ",
            Value::Object(_) => "the map ",
            _ => "",
        }
    }
}

fn list(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(MAX);
    let mut listed = names.take(MAX).collect::<Vec<_>>().join(", ");
    if more > 0 {
        listed += &format!(" and {more} more");
    }
    listed
}

/// Lists names as Python prints a list of strings.
fn quoted<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let quoted: Vec<String> = names.into_iter().take(MAX).map(|name| format!("'{}'", shown(name))).collect();
    format!("[{}]", quoted.join(", "))
}
