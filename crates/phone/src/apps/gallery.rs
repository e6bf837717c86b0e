//! The gallery: one page with every picture and film that the phone's media index knows. It has no backend; the phone writes
//! its page anew whenever the index changes.

use serde_json::{Value, json};

use super::definition::AppDefinition;

pub const PACKAGE: &str = "com.uixt.gallery";
/// Its only page.
pub const PAGE: &str = "gallery";
/// How many are shown.
const SHOWN: usize = 60;
/// Bytes that the pictures of the page may have together.
const ROOM: usize = 600 << 10;

/// Something in the gallery.
pub struct Medium<'a> {
    /// Its file's name.
    pub name: &'a str,
    /// A PNG as a data URI; empty for what is only named.
    pub source: &'a str,
}

pub(super) fn app() -> AppDefinition {
    AppDefinition {
        package: PACKAGE,
        activity: ".MainActivity",
        label: "Gallery",
        third_party: false,
        permissions: &[],
        first_instance: PAGE,
        instances: vec![include_str!("gallery/gallery.json")],
        live: &[],
        late: None,
        backend: None,
    }
}

/// Returns the page that shows these, as `Instance::from_json` reads it.
pub fn page(media: &[Medium]) -> String {
    let mut left = ROOM;
    let mut params = serde_json::Map::new();
    let mut fields = Vec::new();
    for (medium, number) in media.iter().take(SHOWN).zip(1..) {
        let key = format!("picture_{number}");
        let fits = medium.source.len() <= left;
        left -= if fits { medium.source.len() } else { 0 };
        params.insert(key.clone(), if fits { medium.source.into() } else { Value::from("") });
        let name: String = medium.name.chars().take(100).collect();
        fields.push(json!({
            "key": key, "label": name, "type": "image", "imageHeight": "140px", "showDownload": false, "fallback": name, "subtitle": name
        }));
    }
    let message = match media.len() {
        0 => "No pictures yet".to_owned(),
        1 => "1 item".to_owned(),
        count => format!("{count} items"),
    };
    let page = json!({
        "instance_id": PAGE, "title": "Gallery", "state": {"params": params, "runtime": {"message": message}},
        "blocks": [{"id": "pictures", "type": "form", "bind": "state.params", "props": {"fields": fields}}], "actions": []
    });
    page.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::Instance;

    #[test]
    fn pages_are_sound_however_much_is_in_them() {
        let source = "x".repeat(ROOM / 3);
        let names: Vec<String> = (0..100).map(|number| format!("{number}-{}.png", "长".repeat(200))).collect();
        let media: Vec<Medium> = names.iter().map(|name| Medium { name, source: &source }).collect();
        for count in [0, 1, 100] {
            let page = Instance::from_json(&page(&media[..count])).unwrap();
            assert_eq!(page.fields().count(), count.min(SHOWN));
        }
    }
}
