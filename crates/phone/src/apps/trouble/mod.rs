//! Trouble: pages on which everything goes wrong that goes wrong on real phones, one file a page. Each says what happened to
//! it in its status. `uixt-trouble://PAGE` leads to a page.

mod carousel;
mod changing;
mod crash;
mod duplicates;
mod enabling;
mod far;
mod hang;
mod home;
mod huge;
mod late;
mod letters;
mod moving;
mod overlapping;
mod permission;
mod popups;
mod spinner;
mod split;
mod tiny;
mod turning;
mod vanishing;
mod windows;

use super::definition::AppDefinition;
use super::live::LivePage;

pub const PACKAGE: &str = "com.uixt.trouble";
/// How links to its pages begin.
pub const LINK: &str = "uixt-trouble://";

/// Its pages; the first one leads to the others.
pub(super) const PAGES: &[LivePage] = &[
    home::PAGE,
    late::PAGE,
    moving::PAGE,
    vanishing::PAGE,
    popups::PAGE,
    permission::PAGE,
    hang::PAGE,
    crash::PAGE,
    duplicates::PAGE,
    tiny::PAGE,
    overlapping::PAGE,
    enabling::PAGE,
    spinner::PAGE,
    changing::PAGE,
    carousel::PAGE,
    far::PAGE,
    huge::PAGE,
    letters::PAGE,
    turning::PAGE,
    split::PAGE,
    windows::PAGE,
];

pub(super) fn app() -> AppDefinition {
    AppDefinition {
        package: PACKAGE,
        activity: ".MainActivity",
        label: "Trouble",
        third_party: true,
        permissions: &[],
        first_instance: PAGES[0].id,
        instances: Vec::new(),
        live: PAGES,
        late: None,
        backend: None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::apps::live::{Effect, Memory, Moment, Part};

    #[test]
    fn the_first_page_leads_to_all_others() {
        let memory = Memory::default();
        let shown = (PAGES[0].show)(&Moment { memory: &memory, ms: 0, room: (379.0, 800.0) });
        let linked: BTreeSet<&str> =
            shown.iter().filter_map(|part| if let Part::Link(to, _) = part { Some(*to) } else { None }).collect();
        let pages: BTreeSet<&str> = PAGES[1..].iter().map(|page| page.id).collect();
        assert_eq!(linked, pages);
        assert_eq!(pages.len(), PAGES.len() - 1, "two pages of one name");
    }

    #[test]
    fn every_page_is_shown_at_any_time_and_takes_any_touch() {
        for page in PAGES {
            let mut memory = Memory::default();
            for ms in [0, 1, 700, 60_000, u64::MAX / 2] {
                for touched in ["nothing", "row x", "row 99999999", "recovered", "dismissed", "count", "buy", "load"] {
                    let _: Effect = (page.touch)(&mut memory, touched, ms);
                    (page.due)(&mut memory, ms);
                    (page.show)(&Moment { memory: &memory, ms, room: (1.0, 1.0) });
                }
            }
        }
    }
}
