//! Ten thousand rows, of which only those on the screen are made.

use crate::apps::live::{Effect, LivePage, Part, button, nothing_due};

pub(super) const PAGE: LivePage = LivePage {
    id: "huge",
    title: "A huge list",
    hint: "10,000 rows; nothing was picked",
    show: |_| vec![Part::Button(button("end", "To the end")), Part::Rows(10_000)],
    touch: |memory, what, _| if what == "end" { Effect::ToTheEnd } else { super::far::pick(memory, what) },
    due: nothing_due,
};
