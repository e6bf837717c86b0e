//! Touch Lab: a pad that names gestures, lists to scroll, a ball to drag, in English and Chinese. It has no backend.

use super::definition::AppDefinition;

const PAGES: &[&str] = &[
    include_str!("home.json"),
    include_str!("pad.json"),
    include_str!("long.json"),
    include_str!("nested.json"),
    include_str!("board.json"),
    include_str!("home_zh.json"),
    include_str!("pad_zh.json"),
    include_str!("long_zh.json"),
    include_str!("nested_zh.json"),
    include_str!("board_zh.json"),
];

pub(super) fn app() -> AppDefinition {
    AppDefinition {
        package: "com.uixt.touchlab",
        activity: ".MainActivity",
        label: "Touch Lab",
        third_party: true,
        permissions: &[],
        first_instance: "touchlab_home",
        instances: PAGES.to_vec(),
        live: &[],
        late: None,
        backend: None,
    }
}
