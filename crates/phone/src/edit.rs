//! The text field that has the focus: what it holds while it is being typed into, and where the cursor stands.

use serde_json::{Value, json};

use crate::instance::{FieldType, text_of};

use super::place::Place;

/// How many characters a field takes.
const MAX_LEN: usize = 20_000;

/// Returns a field's value as the text that is edited.
pub(super) fn text_to_edit(kind: FieldType, value: &Value) -> String {
    match (kind, value) {
        (FieldType::Json, Value::String(text)) => text.clone(),
        (FieldType::Json, value) => serde_json::to_string_pretty(value).unwrap_or_default(),
        (_, value) => text_of(value),
    }
}

/// A text that is being edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) place: Place,
    pub(super) text: String,
    /// Characters before the cursor.
    pub(super) cursor: usize,
    /// Whether all of it is selected: what is typed replaces it.
    pub(super) selected: bool,
}

impl Edit {
    /// Begins to edit a text; the cursor stands at its end.
    pub(super) fn new(place: Place, text: String) -> Self {
        let cursor = text.chars().count();
        Self { place, text, cursor, selected: false }
    }

    /// Tells whether Enter makes a new line.
    pub(super) fn has_lines(&self) -> bool {
        matches!(self.place.kind, FieldType::Textarea | FieldType::Json)
    }

    /// Tells whether a character may stand in the field: in a number only what numbers are made of, a line end only where there
    /// are lines.
    fn takes(&self, sign: char) -> bool {
        match self.place.kind {
            FieldType::Number => sign.is_ascii_digit() || "+-.".contains(sign),
            _ => !sign.is_control() || (sign == '\n' && self.has_lines()),
        }
    }

    /// Selects all of the text.
    pub(super) fn select_all(&mut self) {
        self.selected = !self.text.is_empty();
    }

    /// Takes away what is selected; whether something was.
    fn take_selected(&mut self) -> bool {
        if self.selected {
            self.text.clear();
            self.cursor = 0;
        }
        std::mem::take(&mut self.selected)
    }

    /// Puts text at the cursor, in place of what is selected; what the field does not take is left out.
    pub(super) fn insert(&mut self, text: &str) {
        self.take_selected();
        let room = MAX_LEN.saturating_sub(self.text.chars().count());
        let taken: String = text.chars().filter(|sign| self.takes(*sign)).take(room).collect();
        let at = self.byte_of(self.cursor);
        self.text.insert_str(at, &taken);
        self.cursor += taken.chars().count();
    }

    /// Takes away the character before the cursor.
    pub(super) fn erase(&mut self) {
        if !self.take_selected() && self.cursor > 0 {
            self.cursor -= 1;
            self.erase_forward();
        }
    }

    /// Takes away the character after the cursor.
    pub(super) fn erase_forward(&mut self) {
        if self.take_selected() {
            return;
        }
        let at = self.byte_of(self.cursor);
        if at < self.text.len() {
            self.text.remove(at);
        }
    }

    /// Moves the cursor by characters; it stays inside of the text.
    pub(super) fn step(&mut self, by: isize) {
        self.selected = false;
        self.cursor = self.cursor.saturating_add_signed(by).min(self.text.chars().count());
    }

    pub(super) fn go_to_start(&mut self) {
        self.selected = false;
        self.cursor = 0;
    }

    pub(super) fn go_to_end(&mut self) {
        self.selected = false;
        self.cursor = self.text.chars().count();
    }

    /// Returns the byte at which the character of a number begins.
    pub(super) fn byte_of(&self, index: usize) -> usize {
        self.text.char_indices().nth(index).map_or(self.text.len(), |(byte, _)| byte)
    }

    /// Returns the value that the field's state gets: a number or JSON where the text is one, else the text.
    /// Tells whether the text is a value of the field's kind already.
    pub(super) fn is_whole(&self) -> bool {
        self.place.kind != FieldType::Json || serde_json::from_str::<Value>(&self.text).is_ok()
    }

    pub(super) fn value(&self) -> Value {
        match self.place.kind {
            FieldType::Number => number(self.text.trim()),
            // A JSON string stays as it was written, with its quotes, so that it reads back as JSON.
            FieldType::Json => serde_json::from_str(&self.text)
                .ok()
                .filter(|value: &Value| !value.is_string())
                .unwrap_or_else(|| json!(self.text)),
            _ => json!(self.text),
        }
    }
}

fn number(text: &str) -> Value {
    if text.is_empty() {
        return Value::Null;
    }
    let whole = text.parse::<i64>().map(Value::from).ok();
    whole
        .or_else(|| text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from))
        .unwrap_or_else(|| json!(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(kind: FieldType, text: &str) -> Edit {
        Edit::new(Place { instance: "p".into(), path: "state.params.x".into(), kind }, text.into())
    }

    #[test]
    fn typing_and_erasing_count_characters_not_bytes() {
        let mut edit = edit(FieldType::Text, "小明");
        edit.erase();
        edit.insert("红!\n");
        assert_eq!((edit.text.as_str(), edit.cursor), ("小红!", 3));
        edit.go_to_start();
        edit.erase_forward();
        edit.erase();
        edit.step(-5);
        edit.insert("大");
        assert_eq!(edit.text, "大红!");
        edit.step(99);
        assert_eq!(edit.cursor, 3);
        edit.select_all();
        edit.insert("新");
        assert_eq!((edit.text.as_str(), edit.cursor, edit.selected), ("新", 1, false));
        edit.select_all();
        edit.erase();
        edit.erase();
        assert_eq!((edit.text.as_str(), edit.cursor), ("", 0));
    }

    #[test]
    fn a_number_field_takes_no_letters() {
        let mut edit = edit(FieldType::Number, "4");
        edit.insert("x2.5y");
        assert_eq!(edit.value(), json!(42.5));
    }

    #[test]
    fn a_number_field_holds_numbers_where_it_can() {
        assert_eq!(edit(FieldType::Number, "42").value(), json!(42));
        assert_eq!(edit(FieldType::Number, "1.5").value(), json!(1.5));
        assert_eq!(edit(FieldType::Number, "").value(), Value::Null);
        assert_eq!(edit(FieldType::Number, "1-").value(), json!("1-"));
        assert_eq!(edit(FieldType::Json, "{\"a\": 1}").value(), json!({"a": 1}));
        assert_eq!(edit(FieldType::Json, "{").value(), json!("{"));
    }
}
