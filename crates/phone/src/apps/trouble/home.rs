//! The list of all troubles.

use super::PAGES;
use crate::apps::live::{Effect, LivePage, Part, nothing_due};

pub(super) const PAGE: LivePage = LivePage {
    id: "trouble",
    title: "Trouble",
    hint: "",
    show: |_| PAGES[1..].iter().map(|page| Part::Link(page.id, page.title)).collect(),
    touch: |_, what, _| PAGES.iter().find(|page| page.id == what).map_or(Effect::None, |page| Effect::Open(page.id)),
    due: nothing_due,
};
