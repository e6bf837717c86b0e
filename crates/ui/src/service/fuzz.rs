//! Patches and whole instances that are made up or damaged: nothing panics, and nothing is kept that cannot be read again.
//!
//! Each is tried for five times `UIXT_FUZZ_SECONDS`, which also says what is made up; 1 by default.

use std::time::Instant;

use super::*;
use crate::page::view;
use uixt_instance::Instance as Page;

/// So many are tried, however slow the machine is: enough of them fit, and enough do not.
const LEAST: u32 = 400;

/// Begins with what is made up, and the time at which to end; nothing was kept yet.
fn begin() -> (fastrand::Rng, Instant, u32) {
    let seconds = std::env::var("UIXT_FUZZ_SECONDS");
    let seconds = 5 * seconds.map_or(1_u64, |text| text.parse().expect("UIXT_FUZZ_SECONDS is a number"));
    (fastrand::Rng::with_seed(seconds), Instant::now() + Duration::from_secs(seconds), 0)
}

/// Makes up a path and a value, often such as fit.
fn made_up(chance: &mut fastrand::Rng) -> Value {
    const PATHS: &[&str] = &[
        "state.params.count",
        "state.params.list",
        "state.params.list.0",
        "state.params",
        "state.runtime.a.b.0",
        "state",
        "blocks",
        "blocks.0",
        "blocks.0.props.fields",
        "blocks.0.props.fields.0",
        "blocks.0.props.fields.1.type",
        "blocks.0.id",
        "actions",
        "actions.0.patches",
        "title",
        "on_open",
        "instance_id",
        "blocks/-",
        "blocks..0",
        "",
        "state.params.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a",
    ];
    let field = |key: u32| json!({"key": format!("k{key}"), "label": "L", "type": (["text", "number", "select", "html"][key as usize % 4])});
    let block =
        |id: u32| json!({"id": format!("b{id}"), "type": "form", "props": {"fields": [field(id), field(id + 1)]}});
    let action = |id: u32| json!({"id": format!("a{id}"), "label": "A", "style": "primary", "patches": {"state.params.count": id}});
    let number = chance.u32(0..5);
    let value = match chance.u32(0..9) {
        0 => json!(number),
        1 => json!("text"),
        2 => json!([number, {"id": number}]),
        3 => field(number),
        4 => block(number),
        5 => action(number),
        6 => json!([block(number), block(chance.u32(0..5))]),
        7 => json!({"params": {"count": number}, "runtime": {}}),
        _ => Value::Null,
    };
    let op = ["set", "add", "remove", "set", "put"][chance.usize(0..5)];
    json!({"op": op, "path": PATHS[chance.usize(0..PATHS.len())], "value": value})
}

#[test]
fn whatever_is_patched_can_be_read_and_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let ui = Ui::open(&folder.path().join("uixt.db"), Services::new().expect("services")).expect("opened");
    ui.create("c", &request(&json!([{"op": "set", "path": "state.params.count", "value": 0}])), false, "me")
        .expect("made");
    let (mut chance, end, mut changed) = begin();
    for _ in (0..).take_while(|tried| *tried < LEAST || Instant::now() < end) {
        let before = ui.get("c").expect("it can be read");
        let patches = json!([made_up(&mut chance), made_up(&mut chance)]);
        let Ok(done) = ui.patch("c", &request(&patches), "me") else {
            assert_eq!(ui.get("c").expect("it can be read"), before, "{patches}");
            continue;
        };
        let kept = ui.get("c").expect("it can be read");
        assert_eq!(kept, done.now, "{patches}");
        assert_eq!(Page::from_value(&kept.instance.to_json()).as_ref(), Ok(&kept.instance), "{patches}");
        if chance.u32(0..3) == 0 && kept.version > before.version {
            let back = ui.undo("c", "me").expect("taken back").now;
            assert_eq!(back.instance, before.instance, "{patches}");
        }
        changed += 1;
    }
    assert!(changed > 20, "{changed} changes");
}

fn request(patches: &Value) -> PatchRequest {
    PatchRequest { patches: patches.as_array().cloned().unwrap_or_default(), ..PatchRequest::default() }
}

/// An instance of fields of every kind, with actions of every kind.
fn whole() -> Value {
    let kinds = "text number textarea checkbox select radio multiselect json image table component date datetime file html tag progress badge modal";
    let options = json!([{"label": "A", "value": "a"}, {"label": "B", "value": "b"}]);
    let field = |kind: &str| {
        json!({"key": kind, "label": kind, "type": kind, "value": "a", "description": "d", "options": options, "columns": ["x", {"key": "y", "label": "Y"}],
            "row_action": "set", "target_instance": "other", "imageHeight": "20px", "imageFit": "cover", "lazy": true, "editable": true, "hint": "h"})
    };
    let mut fields: Vec<Value> = kinds.split(' ').map(field).collect();
    for field in &mut fields {
        let (kind, field) = (field["type"].clone(), field.as_object_mut().expect("an object"));
        let has = |kinds: &[&str]| kinds.iter().any(|known| kind == *known);
        field.retain(|key, _| match key.as_str() {
            "options" => has(&["select", "radio", "multiselect"]),
            "columns" | "row_action" => has(&["table"]),
            "target_instance" => has(&["component"]),
            "imageHeight" | "imageFit" | "lazy" => has(&["image"]),
            "hint" => has(&["text"]),
            _ => true,
        });
    }
    let action = |id: &str, kind: &str, patches: Value| json!({"id": id, "label": id, "style": "primary", "handler_type": kind, "patches": patches});
    let operation = |name: &str, params: Value| json!({"state.params.list": {"operation": name, "params": params}});
    json!({"instance_id": "whole", "title": "T", "on_open": "set",
    "state": {"params": {"n": 1, "b": true, "t": "x", "list": [{"id": 1, "x": "y"}]}, "runtime": {"message": "m", "progress": 3}},
    "blocks": [{"id": "b", "type": "form", "bind": "state.params", "props": {"fields": fields, "showStatus": true}}],
    "actions": [
        action("set", "set", json!({"state.params.t": "y"})), action("more", "increment", json!({"state.params.n": 1})),
        action("less", "decrement", json!({"state.params.n": 2})), action("flip", "toggle", json!({"state.params.b": true})),
        action("say", "template", json!({"state.runtime.message": "${state.params.t} ${state.runtime.timestamp}"})),
        action("all", "template:all", json!({"title": "${state.params.n}"})), action("state", "template:state", json!({"state.params.t": "${state.params.n}"})),
        action("add", "set", operation("append_to_list", json!({"items": [{"id": 2}]}))),
        action("drop", "set", operation("remove_from_list", json!({"key": "id", "value": 1, "index": -1}))),
        action("put", "set", operation("update_list_item", json!({"key": "id", "value": "1", "updates": {"x": "z"}}))),
        action("block", "set", json!({"blocks": {"operation": "append_block", "params": {"block": {"id": "n", "type": "form"}}}})),
        {"id": "go", "label": "go", "style": "danger", "action_type": "navigate", "target_instance": "other"},
    ]})
}

/// Changes one place of a value: to something else, to what stands elsewhere in it, or to nothing.
fn damage(chance: &mut fastrand::Rng, value: &mut Value, whole: &Value) {
    let inner = match value {
        Value::Object(map) if !map.is_empty() && chance.u32(0..8) > 0 => {
            let key = map.keys().nth(chance.usize(0..map.len())).cloned().expect("a key");
            if chance.u32(0..12) == 0 {
                let taken = map.remove(&key).unwrap_or_default();
                if chance.bool() {
                    map.insert(format!("{key}x"), taken);
                }
                return;
            }
            map.get_mut(&key)
        }
        Value::Array(list) if !list.is_empty() && chance.u32(0..8) > 0 => {
            let index = chance.usize(0..list.len());
            if chance.u32(0..12) == 0 {
                let twice = list[index].clone();
                list.push(twice);
                return;
            }
            list.get_mut(index)
        }
        _ => None,
    };
    if let Some(inner) = inner {
        return damage(chance, inner, whole);
    }
    *value = match chance.u32(0..10) {
        0 => Value::Null,
        1 => json!(chance.bool()),
        2 => json!([i64::MAX, -1, 0, 7][chance.usize(0..4)]),
        3 => json!([0.1, -1e300, 1e300][chance.usize(0..3)]),
        4 => json!(
            [
                "",
                "state.params.n",
                "${state.params.n}",
                "${state",
                "${state.params.list}",
                "<script>x</script>",
                "\u{0}",
                "长".repeat(300).as_str()
            ][chance.usize(0..8)]
        ),
        5 => json!([]),
        6 => json!({}),
        7 => whole["blocks"][0]["props"]["fields"][chance.usize(0..19)].clone(),
        8 => whole["actions"][chance.usize(0..12)].clone(),
        _ => (0..chance.u32(0..60)).fold(json!(1), |inner, _| json!({"a": inner})),
    };
}

#[test]
fn a_damaged_instance_is_refused_or_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let ui = Ui::open(&folder.path().join("uixt.db"), Services::new().expect("services")).expect("opened");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (mut chance, end, mut kept) = begin();
    let whole = whole();
    Page::from_value(&whole).expect("it is sound as long as nothing is damaged");
    let mut refused = 0;
    for _ in (0..).take_while(|tried| *tried < LEAST || Instant::now() < end) {
        let mut value = whole.clone();
        for _ in 0..chance.u32(1..4) {
            damage(&mut chance, &mut value, &whole);
        }
        let Ok(page) = Page::from_value(&value) else {
            refused += 1;
            continue;
        };
        assert_eq!(Page::from_value(&page.to_json()).as_ref(), Ok(&page), "{value}");
        view::of(&page);
        let now = ui.replace(&value, "me").expect("what can be read can be kept").now;
        assert_eq!(now.instance, page, "{value}");
        for action in page.actions() {
            // It may say that it cannot; what is kept can be read whatever it did.
            let _ = runtime.block_on(ui.act(page.id(), &action.id, Some(json!({"id": 1})), "me"));
            let now = ui.get(page.id()).unwrap_or_else(|error| panic!("{error}: {} of {value}", action.id));
            view::of(&now.instance);
        }
        kept += 1;
    }
    assert!(kept > 20 && refused > 20, "{kept} kept, {refused} refused");
}
