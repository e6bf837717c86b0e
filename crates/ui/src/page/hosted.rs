//! The page of one instance for a program that shows it in a frame of its own, as MCP Apps do: one document that loads nothing, and
//! whose frame carries what it says.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use super::assets;
use super::change::Change;
use super::hub::Topic;
use super::{Error, Pages};

/// How long an answer may wait for something to show.
const PATIENCE: Duration = Duration::from_secs(15);

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Said {
    /// Asks for what comes after a version.
    Open {
        id: String,
        #[serde(default)]
        version: Option<u64>,
    },
    #[serde(untagged)]
    Change(Change),
}

impl Pages {
    /// Answers what a page in a frame says: `{type: open, id, version}` with `view` once there is another version, or `gone`, or
    /// `here` where nothing changes for 15 s; a change with `done` or `refused`.
    pub async fn answer(&self, said: Value) -> Result<Value, Error> {
        let said = serde_json::from_value(said).map_err(|error| Error::Message(error.to_string()))?;
        match said {
            Said::Open { id, version } => self.after(id, version).await,
            Said::Change(change) => Ok(change.made(&self.hub()?.ui).await),
        }
    }

    async fn after(&self, id: String, version: Option<u64>) -> Result<Value, Error> {
        let channel = self.hub()?.channel(Topic::Instance(id)).await?;
        let until = Instant::now() + PATIENCE;
        loop {
            let (shown, mut pushes) = channel.shown_with_pushes();
            if version != Some(shown["version"].as_u64().unwrap_or_default()) {
                return Ok(shown);
            }
            match tokio::time::timeout_at(until, pushes.recv()).await {
                Ok(Ok(_) | Err(RecvError::Lagged(_))) => {}
                Ok(Err(RecvError::Closed)) | Err(_) => return Ok(json!({"type": "here"})),
            }
        }
    }
}

/// Returns the document: its style and its modules stand in it, one after the other.
pub fn document() -> String {
    let mut document = String::from(concat!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>UI instance</title>\n"
    ));
    let _ = write!(document, "<style>\n{}</style>\n</head>\n<body class=\"hosted\">\n", assets::STYLE);
    document.push_str(concat!(
        "<p id=\"connection\" class=\"connection lost\" role=\"status\" hidden></p>\n<main id=\"main\"></main>\n",
        "<div id=\"notices\" class=\"notices\" role=\"alert\"></div>\n<script type=\"module\">\n"
    ));
    for module in assets::hosted() {
        for line in module.lines().filter(|line| !line.starts_with("import ")) {
            document.push_str(line.strip_prefix("export ").unwrap_or(line));
            document.push('\n');
        }
    }
    document.push_str("</script>\n</body>\n</html>\n");
    document
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use uixt_instance::Services;

    use super::*;
    use crate::{PatchRequest, Ui};

    /// Names that a module has for itself must be others than those of all others, since they share one scope here.
    #[test]
    fn modules_stand_together_in_one_document() {
        let document = document();
        let script = document.split("<script type=\"module\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let script = script.expect("a script");
        assert!(script.contains("class Host ") && script.contains("class Connection "));
        let mut names = BTreeSet::new();
        for line in script.lines() {
            assert!(!line.starts_with("import") && !line.starts_with("export"), "{line}");
            let mut words = line.split([' ', '(', ';']);
            let kind = words.next().filter(|word| ["const", "let", "class", "function", "async"].contains(word));
            let name = words.find(|word| !["function", "{"].contains(word));
            if let (Some(_), Some(name)) = (kind, name) {
                assert!(names.insert(name.to_owned()), "two of {name}");
            }
        }
        assert!(names.len() > 40, "{names:?}");
        assert_eq!(document.matches("</script>").count(), 1);
    }

    #[tokio::test]
    async fn a_frame_is_told_of_what_comes_after_what_it_shows() {
        let folder = tempfile::tempdir().expect("a folder");
        let ui = Ui::open(&folder.path().join("ui.db"), Services::new().expect("services")).expect("a store");
        ui.import(&json!({"instance_id": "p", "blocks": [{"id": "b", "type": "form", "props": {"fields": [
            {"key": "name", "label": "Name", "type": "text"}]}}]}))
            .expect("an instance");
        let own = Arc::clone(&ui);
        let pages = Pages::new(move || Ok(Arc::clone(&own)));
        let first = pages.answer(json!({"type": "open", "id": "p", "version": null})).await.expect("an answer");
        assert_eq!((&first["type"], &first["version"]), (&json!("view"), &json!(1)));
        let set = json!({"type": "set", "id": "p", "seq": 7, "path": "state.params.name", "value": "Ada"});
        let done = pages.answer(set).await.expect("an answer");
        assert_eq!(done, json!({"type": "done", "version": 2, "id": "p", "seq": 7}));
        let second = pages.answer(json!({"type": "open", "id": "p", "version": 1})).await.expect("an answer");
        assert_eq!(second["view"]["schema"]["state"]["params"]["name"], "Ada");
        let refused = pages.answer(json!({"type": "set", "id": "p", "seq": 8, "path": "blocks", "value": []})).await;
        assert_eq!(refused.expect("an answer")["error"]["code"], "SCHEMA_MUTATION");
        let waiting = pages.answer(json!({"type": "open", "id": "p", "version": 2}));
        let request = PatchRequest {
            patches: vec![json!({"op": "set", "path": "state.params.name", "value": "Bo"})],
            ..PatchRequest::default()
        };
        let patched = async { ui.patch("p", &request, "tool").expect("a patch").now.version };
        let (third, version) = tokio::join!(waiting, patched);
        assert_eq!(third.expect("an answer")["version"].as_u64(), Some(version));
        ui.delete("p").expect("gone");
        let gone = pages.answer(json!({"type": "open", "id": "p", "version": version})).await.expect("an answer");
        assert_eq!(gone["type"], "gone");
        assert!(pages.answer(json!({"type": "list"})).await.is_err());
    }
}
