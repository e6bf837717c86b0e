//! An instance → what its page is drawn from: its schema, and the HTML of its fields without what could do harm.

use ammonia::Builder;
use serde_json::{Map, Value, json};
use uixt_instance::{FieldType, Instance, text_of};

use crate::Summary;

/// Returns what a page shows of an instance.
pub(crate) fn of(instance: &Instance) -> Value {
    let mut html = Map::new();
    for (block, field) in instance.fields().filter(|(_, field)| field.kind == FieldType::Html) {
        let written = text_of(&instance.value_of(block, field));
        let written = if written.is_empty() { field.description.clone().unwrap_or_default() } else { written };
        html.insert(format!("{}.{}", block.id, field.key), clean(&written).into());
    }
    json!({"schema": instance.to_json(), "html": html})
}

/// Returns what a page lists.
pub(super) fn list(list: &[Summary]) -> Value {
    let row = |summary: &Summary| {
        let instance = &summary.now.instance;
        let (id, title) = (instance.id(), instance.title());
        json!({
            "id": id, "title": if title.is_empty() { id } else { title }, "version": summary.now.version,
            "fields": instance.fields().count(), "actions": instance.buttons().count(), "changed": summary.changed,
            "active": summary.is_active,
        })
    };
    json!({"instances": list.iter().map(row).collect::<Vec<_>>()})
}

/// Takes out scripts, styles, forms, frames and whatever else does more than be read. Links open apart and tell nothing.
fn clean(html: &str) -> String {
    Builder::default()
        .link_rel(Some("noopener noreferrer nofollow"))
        .set_tag_attribute_value("a", "target", "_blank")
        .clean(html)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_keeps_what_is_read_and_loses_what_acts() {
        assert_eq!(clean("<b>Bold</b> <i>x</i>"), "<b>Bold</b> <i>x</i>");
        for bad in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<iframe src=//evil></iframe>",
            "<svg><script>alert(1)</script></svg>",
            "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
            "<form action=/ui><input name=a></form>",
            "<style>*{display:none}</style><p style=\"position:fixed\" onclick=x()>t</p>",
        ] {
            let cleaned = clean(bad).to_lowercase();
            for sign in
                ["<script", "onerror=a", "javascript:", "<iframe", "<form", "<input", "style=", "<style", "onclick="]
            {
                let is_attribute_text = cleaned.contains("title=") && sign == "onerror=a";
                assert!(!cleaned.contains(sign) || is_attribute_text, "{bad} became {cleaned}");
            }
        }
    }

    #[test]
    fn a_view_holds_the_cleaned_html_of_each_field() {
        let instance = Instance::from_value(&json!({
            "instance_id": "p", "state": {"params": {"a": "<p onclick=x>A</p>"}},
            "blocks": [{"id": "b", "type": "form", "props": {"fields": [
                {"key": "a", "label": "A", "type": "html"},
                {"key": "n", "label": "系统通知", "type": "html", "description": "这是一条动态添加的通知"}]}}]
        }));
        let view = of(&instance.expect("an instance"));
        assert_eq!(view["html"], json!({"b.a": "<p>A</p>", "b.n": "这是一条动态添加的通知"}));
    }
}
