//! Elements as the agent's clients find them: conditions (`On.text`), what meets them, what is asked of it.

use serde_json::{Value, json};

use super::super::acts::Act;
use super::calls::{Outcome, Session, index, wrong};

impl Session {
    /// `On.text`, `On.id` …: adds a condition to those of `this`.
    pub(super) fn condition(&mut self, name: &str, this: &Value, value: &Value) -> Outcome {
        let name = if name == "id" { "key" } else { name };
        let known = [
            "key",
            "text",
            "type",
            "description",
            "clickable",
            "enabled",
            "focused",
            "checked",
            "checkable",
            "scrollable",
            "selected",
        ];
        if !known.contains(&name) {
            return Err(wrong(format!("the virtual phone finds nothing by On.{name}")));
        }
        let mut all = index(this, "On#").and_then(|at| self.conditions.get(at)).cloned().unwrap_or_default();
        let value = if value.is_null() { json!(true) } else { value.clone() };
        all.push((name.to_owned(), value));
        self.conditions.push(all);
        Ok(json!(format!("On#{}", self.conditions.len() - 1)))
    }

    pub(super) async fn find(&mut self, api: &str, on: &Value) -> Outcome {
        let conditions = index(on, "On#").and_then(|at| self.conditions.get(at)).cloned();
        let conditions = conditions.ok_or_else(|| wrong(format!("{api}: no such conditions")))?;
        let tree = self.layout().await?;
        let first = self.components.len();
        gather(&tree, &conditions, &mut self.components);
        let names: Vec<Value> = (first..self.components.len()).map(|at| json!(format!("Component#{at}"))).collect();
        if api == "Driver.findComponent" {
            return Ok(names.first().cloned().unwrap_or_default());
        }
        Ok(json!(names))
    }

    pub(super) async fn component(&self, api: &str, this: &Value, arguments: &Value) -> Outcome {
        let component = index(this, "Component#").and_then(|at| self.components.get(at));
        let component = component.ok_or_else(|| wrong("no such component"))?;
        let text = |name: &str| Ok(component[name].clone());
        let flag = |name: &str| Ok(json!(component[name] == "true"));
        let sides: Vec<i64> = component["bounds"]
            .as_str()
            .unwrap_or_default()
            .split(['[', ']', ','])
            .filter_map(|side| side.parse().ok())
            .collect();
        let [left, top, right, bottom] = sides.as_slice() else { return Err(wrong("the component has no bounds")) };
        let (x, y) = (i64::midpoint(*left, *right), i64::midpoint(*top, *bottom));
        #[expect(clippy::cast_precision_loss, reason = "a place on the screen")]
        let middle = (x as f64, y as f64);
        match api {
            "getId" | "getKey" => text("key"),
            "getType" => text("type"),
            "getText" => text("text"),
            "getDescription" => text("description"),
            "isSelected" | "isChecked" | "isEnabled" | "isFocused" | "isCheckable" | "isClickable"
            | "isLongClickable" | "isScrollable" => {
                let (first, rest) = api[2..].split_at(1);
                flag(&format!("{}{rest}", first.to_lowercase()))
            }
            "getBounds" => Ok(json!({"left": left, "top": top, "right": right, "bottom": bottom})),
            "getBoundsCenter" => Ok(json!({"x": x, "y": y})),
            "click" => self.perform(Act::Click(middle)).await,
            "doubleClick" => self.perform(Act::DoubleClick(middle)).await,
            "longClick" => self.perform(Act::LongClick(middle)).await,
            "inputText" => {
                self.perform(Act::Click(middle)).await?;
                self.clear().await?;
                let typed = arguments[0].as_str().ok_or_else(|| wrong("Component.inputText: argument 0 is no text"))?;
                self.perform(Act::Text(typed.to_owned())).await
            }
            "clearText" => {
                self.perform(Act::Click(middle)).await?;
                self.clear().await
            }
            _ => Err(wrong(format!("No handler found for api 'Component.{api}'"))),
        }
    }

    /// Takes away the text of the field in use.
    async fn clear(&self) -> Outcome {
        self.perform(Act::Keys(vec![2072, 2017])).await?;
        self.perform(Act::Keys(vec![2055])).await
    }
}

/// Returns the attributes of what meets all conditions.
fn gather(node: &Value, conditions: &[(String, Value)], found: &mut Vec<Value>) {
    let attributes = &node["attributes"];
    let meets = |(name, wanted): &(String, Value)| match wanted {
        Value::Bool(wanted) => (attributes[name] == "true") == *wanted,
        wanted => attributes[name] == *wanted,
    };
    if conditions.iter().all(meets) {
        found.push(attributes.clone());
    }
    for child in node["children"].as_array().map(Vec::as_slice).unwrap_or_default() {
        gather(child, conditions, found);
    }
}
