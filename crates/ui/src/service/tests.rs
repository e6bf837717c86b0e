//! Versions, all or nothing, undo, two processes.

use super::*;

fn ui(folder: &tempfile::TempDir) -> Arc<Ui> {
    Ui::open(&folder.path().join("uixt.db"), Services::new().expect("services")).expect("opened")
}

fn request(patches: &Value) -> PatchRequest {
    PatchRequest { patches: patches.as_array().cloned().unwrap_or_default(), ..PatchRequest::default() }
}

fn counter() -> Value {
    json!([
        {"op": "set", "path": "state.params.count", "value": 0},
        {"op": "add", "path": "blocks", "value": {"id": "form", "type": "form", "bind": "state.params", "props": {"fields": [
            {"key": "count", "label": "Count", "type": "number"}, {"key": "size", "label": "Size", "type": "text"}]}}},
        {"op": "add", "path": "actions", "value":
            {"id": "more", "label": "+1", "style": "primary", "handler_type": "increment", "patches": {"state.params.count": 1}}},
    ])
}

#[test]
fn what_is_changed_is_there_for_every_process_and_can_be_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (ui(&folder), ui(&folder));
    let made = one.create("c", &request(&counter()), false, "me").expect("made");
    assert_eq!((made.now.version, made.report.applied.len()), (1, 3));
    assert_eq!(
        other.create("c", &request(&json!([])), false, "me").expect_err("there is one").code(),
        "INSTANCE_EXISTS"
    );
    let set = |ui: &Ui, value: Value| {
        let patch = json!([{"op": "set", "path": "state.params.count", "value": value}]);
        ui.patch("c", &request(&patch), "me").expect("changed").now.version
    };
    assert_eq!((set(&other, json!(5)), set(&one, json!(6))), (2, 3));
    let count = |ui: &Ui| ui.get("c").expect("there").instance.state().params["count"].clone();
    let undone = one.undo("c", "you").expect("taken back");
    assert_eq!((undone.version, undone.author.as_str(), undone.patches[0]["value"].clone()), (3, "me", json!(6)));
    assert_eq!((count(&other), undone.now.version), (json!(5), 4));
    one.undo("c", "you").expect("taken back");
    assert_eq!(count(&other), json!(0));
    assert_eq!(one.undo("c", "you").expect_err("no more").code(), "NOTHING_TO_UNDO");
    one.delete("c").expect("gone");
    assert_eq!(other.get("c").expect_err("gone").code(), "INVALID_INSTANCE");
}

#[test]
fn a_part_of_the_patches_is_applied_unless_all_or_nothing_was_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let ui = ui(&folder);
    ui.create("c", &request(&counter()), false, "me").expect("made");
    let patches =
        json!([{"op": "set", "path": "state.params.count", "value": 3}, {"op": "put", "path": "x", "value": 1}]);
    let atomic = PatchRequest { atomic: true, ..request(&patches) };
    assert_eq!(ui.patch("c", &atomic, "me").expect_err("all or nothing").code(), "INVALID_OP");
    assert_eq!(ui.get("c").expect("there").version, 1);
    let done = ui.patch("c", &request(&patches), "me").expect("one of two");
    assert_eq!((done.report.applied.len(), done.report.skipped.len(), done.now.version), (1, 1, 2));
    let refused = ui.patch("c", &request(&json!([{"op": "put", "path": "x", "value": 1}])), "me");
    assert!(refused.is_err_and(|error| error.to_string().contains("nothing was changed: unknown op `put`")));
    assert_eq!(
        ui.create("d", &PatchRequest { atomic: true, ..request(&patches) }, false, "me").expect_err("none").code(),
        "INVALID_OP"
    );
    assert_eq!(ui.version("d").expect("read"), None);
}

#[test]
fn a_field_is_changed_and_removed_by_its_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let ui = ui(&folder);
    ui.create("c", &request(&counter()), false, "me").expect("made");
    let options = json!([{"label": "S", "value": "s"}]);
    let updates = json!({"type": "select", "options": options}).as_object().cloned();
    let change = PatchRequest { field_key: Some("size".to_owned()), updates, ..PatchRequest::default() };
    let changed = ui.patch("c", &change, "me").expect("changed").now.instance.to_json();
    assert_eq!(changed["blocks"][0]["props"]["fields"][1]["options"], options);
    let remove = PatchRequest { field_key: Some("size".to_owned()), remove_field: true, ..PatchRequest::default() };
    assert_eq!(ui.patch("c", &remove, "me").expect("removed").now.instance.fields().count(), 1);
    assert_eq!(ui.patch("c", &remove, "me").expect_err("gone").code(), "FIELD_NOT_FOUND");
    let elsewhere = PatchRequest { block_index: 3, ..remove };
    assert_eq!(ui.patch("c", &elsewhere, "me").expect_err("no such block").code(), "PATH_NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_who_count_at_the_same_time_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let both = [ui(&folder), ui(&folder)];
    both[0].create("c", &request(&counter()), false, "me").expect("made");
    let counting: Vec<_> = (0..40)
        .map(|number| {
            let ui = Arc::clone(&both[number % 2]);
            tokio::spawn(async move { ui.act("c", "more", None, "page").await.map(|acted| acted.now.version) })
        })
        .collect();
    for one in counting {
        one.await.expect("no panic").expect("counted");
    }
    let now = both[0].get("c").expect("there");
    assert_eq!((now.instance.state().params["count"].clone(), now.version), (json!(40), 41));
}

#[tokio::test]
async fn a_change_of_another_process_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (ui(&folder), ui(&folder));
    let mut changes = one.changes();
    other.create("c", &request(&counter()), false, "me").expect("made");
    tokio::time::timeout(Duration::from_secs(10), changes.next()).await.expect("noticed");
    one.access("c").expect("there");
    let quiet = tokio::time::timeout(LOOK * 8, changes.next()).await;
    assert!(quiet.is_err(), "nothing was changed");
}

#[test]
fn what_is_too_large_or_leads_elsewhere_is_refused_with_its_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let ui = ui(&folder);
    ui.create("c", &request(&counter()), false, "me").expect("made");
    let code = |patch: Value| ui.patch("c", &request(&json!([patch])), "me").expect_err("refused").code();
    let set = |path: &str, value: Value| code(json!({"op": "set", "path": path, "value": value}));
    let field = |number: usize| json!({"key": format!("k{number}"), "label": format!("Field {number} {}", "x".repeat(80)), "type": "text"});
    let fields: Vec<Value> = (0..10_000).map(field).collect();
    assert_eq!(set("blocks.0.props.fields", json!(fields)), "INVALID_STRUCTURE");
    assert_eq!(set("state.params.size", json!("长".repeat(400_000))), "INVALID_STRUCTURE");
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(set("state.params.size", deep), "INVALID_STRUCTURE");
    assert_eq!(set("title", json!("x".repeat(1 << 20))), "INVALID_STRUCTURE");
    for path in [
        "",
        ".",
        "..",
        "state..params",
        "/state/params",
        "state/params",
        "../../etc/passwd",
        "blocks/-",
        "actions/-",
        "state.params.",
        "__proto__.x",
        "constructor.prototype",
        "state",
        "version",
        "props",
        "blocks.0.props.fields.-1.label",
        "blocks.99999999999999999999.id",
        "state.params.\u{0}",
        &"a.".repeat(400),
    ] {
        let code = set(path, json!("x"));
        assert!(
            ["INVALID_PATH", "PATH_NOT_FOUND", "SCHEMA_MUTATION", "INVALID_STRUCTURE"].contains(&code),
            "{path:?}: {code}"
        );
    }
    for path in ["instance_id", "blocks.0.id", "actions.0.id"] {
        assert_eq!(set(path, json!("x")), "SCHEMA_MUTATION", "{path}");
    }
    for id in ["", "a/b", "../x", "a b", "\u{0}", &"x".repeat(201), "__CREATE__"] {
        let made = ui.create(id, &request(&counter()), false, "me").map(|made| made.now.instance.to_json().to_string());
        assert!(made.is_err(), "{id:?}: {made:?}");
    }
    assert_eq!(ui.get("c").expect("there").version, 1);
    // Many fields that fit are kept.
    let small: Vec<Value> =
        (0..10_000).map(|number| json!({"key": number.to_string(), "label": "", "type": "text"})).collect();
    let kept = ui.patch("c", &request(&json!([{"op": "set", "path": "blocks.0.props.fields", "value": small}])), "me");
    assert_eq!(kept.expect("kept").now.instance.fields().count(), 10_000);
}
