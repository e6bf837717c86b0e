//! The elements that were kept of a screen → the tree that the viewer shows beside a picture.

use serde_json::{Value, json};

/// Returns the elements of a screen, each with its place in pixels.
pub(super) fn tree(screen: &Value) -> Value {
    screen["elements"].as_array().into_iter().flatten().map(node).collect()
}

fn node(element: &Value) -> Value {
    let side = |at: usize| element["rect"][at].as_i64().unwrap_or(0);
    let (left, top, right, bottom) = (side(0), side(1), side(2), side(3));
    let mut node = json!({
        "role": element["role"].as_str().unwrap_or("generic"),
        "box": {"x": left, "y": top, "width": (right - left).max(0), "height": (bottom - top).max(0)},
    });
    // The viewer takes `text` for a role to be a text without a place.
    if node["role"] == "text" {
        node["role"] = "paragraph".into();
    }
    for (from, to) in [("name", "name"), ("disabled", "disabled"), ("checked", "checked"), ("focused", "active")] {
        if !element[from].is_null() {
            node[to] = element[from].clone();
        }
    }
    let children: Vec<Value> = element["children"].as_array().into_iter().flatten().map(self::node).collect();
    if !children.is_empty() {
        node["children"] = children.into();
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_keep_their_places_and_names() {
        let screen = json!({"elements": [
            {"role": "button", "name": "Go", "rect": [10, 20, 30, 60], "disabled": true, "children": [
                {"role": "text", "name": "Go", "rect": [11, 21, 29, 59]},
            ]},
        ]});
        let tree = tree(&screen);
        assert_eq!(tree[0]["box"], json!({"x": 10, "y": 20, "width": 20, "height": 40}));
        assert_eq!((&tree[0]["role"], &tree[0]["disabled"]), (&json!("button"), &json!(true)));
        assert_eq!(tree[0]["children"][0]["role"], "paragraph");
    }
}
