//! Ten thousand rows, of which only those on the screen are made.

use crate::phone::apps::live::{LivePage, Part, nothing_due};

pub(super) const PAGE: LivePage = LivePage {
    id: "huge",
    title: "A huge list",
    hint: "10,000 rows; nothing was picked",
    show: |_| vec![Part::Rows(10_000)],
    touch: |memory, what, _| super::far::pick(memory, what),
    due: nothing_due,
};
