//! A description in a person's words and a screen → the elements that it may mean, with how certain that is.
//!
//! Exact name, then the sort of thing and its name, then its label or id, then a name that contains the words, then one that
//! is spelled alike. All that fit equally well are returned, so that whoever wants one sees that there are several; nothing
//! below the last of these fits at all. Pure: one screen, no waiting, no model.

mod labels;
mod phrase;
mod score;
mod tokens;
mod words;

use std::collections::{HashMap, HashSet};

pub(super) use labels::of_all as labels_of_all;
use phrase::{Phrase, Reading, readings};
pub(super) use score::is_generic;
use score::{Fit, Names, Tier, Wanted, is_of};
pub(super) use tokens::{atoms, bare, tokens};
use words::{Side, Sort};

use super::near;
use super::tree::{Tree, innermost, touchable};
use crate::driver::{Element, Rect, Screen};

/// Longest description, in bytes.
const MAX_LEN: usize = 300;
/// Pixels by which two elements may differ and still stand at the same edge.
const SAME_EDGE: i32 = 48;
/// The confidence of what is described by its sort and its place alone.
const BY_PLACE: f64 = 0.85;
/// Names that are compared with what was not found.
const MOST_NAMES: usize = 2_000;

/// What a description may mean.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    /// In reading order, with a confidence from 0 to 1; none where nothing fits, several where they fit equally well.
    pub elements: Vec<(&'a Element, f64)>,
}

impl<'a> Found<'a> {
    pub(super) fn meant(self) -> Vec<&'a Element> {
        self.elements.into_iter().map(|(element, _)| element).collect()
    }

    /// Returns the confidence with which an element was chosen.
    pub(super) fn confidence(&self, chosen: &Element) -> Option<f64> {
        self.elements.iter().find(|(element, _)| std::ptr::eq(*element, chosen)).map(|(_, confidence)| *confidence)
    }
}

/// Checks what a schema cannot say of a description.
pub(super) fn check(description: &str) -> Result<(), String> {
    match description.trim() {
        "" => Err("`description` is empty".to_owned()),
        text if text.len() > MAX_LEN => Err(format!("`description` is longer than {MAX_LEN} bytes: name one element")),
        text if tokens(text).is_empty() => Err(format!("`description`: there is no word in `{text}`")),
        _ => Ok(()),
    }
}

/// Finds what a description means among the candidates.
pub(super) fn find<'a>(description: &str, candidates: &[&'a Element], screen: &'a Screen) -> Result<Found<'a>, String> {
    check(description)?;
    let room = Room::new(candidates, screen);
    Ok(readings(description).iter().find_map(|reading| room.read(reading)).unwrap_or_default())
}

/// Returns the elements that have most to do with a description that nothing fits, with how much, best first.
pub(super) fn near_misses<'a>(description: &str, screen: &'a Screen) -> Vec<(&'a Element, f64)> {
    let tree = Tree::of(screen);
    let wanted: Vec<Wanted> = readings(description)
        .iter()
        .filter_map(|reading| match reading {
            Reading::Literal(phrase) | Reading::Full(phrase) => Some(Wanted::new(&phrase.name)),
            _ => None,
        })
        .collect();
    let named = (0..tree.len()).map(|at| tree.element(at)).filter(|element| !element.name().is_empty());
    let mut seen = HashSet::new();
    let distinct = named.filter(|element| seen.insert(element.name())).take(MOST_NAMES);
    let score = |element: &Element| wanted.iter().map(|wanted| wanted.resemblance(element.name())).fold(0.0, f64::max);
    // Below what is found at all.
    let mut scored: Vec<(&Element, f64)> = distinct.map(|element| (element, score(element) * 0.6)).collect();
    scored.retain(|(_, score)| *score >= 0.2);
    scored.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    scored.truncate(3);
    scored
}

/// The candidates, and what is known of each.
struct Room<'a> {
    screen: &'a Screen,
    candidates: Vec<&'a Element>,
    touchable: HashSet<*const Element>,
    labels: HashMap<*const Element, Vec<&'a str>>,
    names: Names<'a>,
}

impl<'a> Room<'a> {
    fn new(candidates: &[&'a Element], screen: &'a Screen) -> Self {
        let tree = Tree::of(screen);
        let labels = labels::of_all(&tree).into_iter();
        let labels = labels.map(|(at, labels)| (std::ptr::from_ref(tree.element(at)), labels)).collect();
        Self { screen, candidates: candidates.to_vec(), touchable: touchable(screen), labels, names: Names::default() }
    }

    /// Finds what one way to read the description means; none where it means nothing.
    fn read(&self, reading: &Reading) -> Option<Found<'a>> {
        let found = match reading {
            Reading::Literal(phrase) => self.at_least(Tier::Same, phrase),
            Reading::Named(phrase) if phrase.name.is_empty() => return None,
            Reading::Named(phrase) => self.at_least(Tier::Labelled, phrase),
            Reading::Full(phrase) => self.at_least(Tier::Similar, phrase),
            Reading::Beside(phrase, neighbour) => self.beside(phrase, neighbour)?,
            Reading::InItem(phrase, item) => self.in_item(phrase, item)?,
        };
        Some(found).filter(|found| !found.is_empty()).map(|elements| Found { elements })
    }

    fn at_least(&self, tier: Tier, phrase: &Phrase) -> Vec<(&'a Element, f64)> {
        let fitting = match (phrase.sort, phrase.name.is_empty()) {
            (Sort::Item, true) => self.items().into_iter().map(|item| (item, BY_PLACE)).collect(),
            (Sort::Anything, true) => Vec::new(),
            (sort, true) => self.of_sort(sort),
            _ => self.named(tier, phrase),
        };
        self.placed(fitting, phrase)
    }

    /// Returns the elements of a sort that needs no name, such as `the checkbox`.
    fn of_sort(&self, sort: Sort) -> Vec<(&'a Element, f64)> {
        let is_sort = |element: &&Element| is_of(sort, element, self.is_touchable(element)) == Some(true);
        let of_sort: Vec<&Element> = self.candidates.iter().copied().filter(is_sort).collect();
        innermost(of_sort, self.screen).into_iter().map(|element| (element, BY_PLACE)).collect()
    }

    /// Returns the elements whose names fit best.
    fn named(&self, least: Tier, phrase: &Phrase) -> Vec<(&'a Element, f64)> {
        let wanted = Wanted::new(&phrase.name);
        let fits = self.candidates.iter().filter_map(|element| Some((*element, self.fit(element, phrase, &wanted)?)));
        let fits: Vec<(&Element, Fit)> = fits.filter(|(_, fit)| fit.tier >= least).collect();
        let Some(best) = fits.iter().map(|(_, fit)| fit.key()).max() else { return Vec::new() };
        let best: Vec<(&Element, Fit)> = fits.into_iter().filter(|(_, fit)| fit.key() == best).collect();
        let kept = innermost(best.iter().map(|(element, _)| *element).collect(), self.screen);
        let kept: HashSet<*const Element> = kept.into_iter().map(std::ptr::from_ref).collect();
        let is_kept = |element: &Element| kept.contains(&std::ptr::from_ref(element));
        best.into_iter()
            .filter(|(element, _)| is_kept(element))
            .map(|(element, fit)| (element, fit.confidence()))
            .collect()
    }

    fn fit(&self, element: &'a Element, phrase: &Phrase, wanted: &Wanted) -> Option<Fit> {
        let is_sort = is_of(phrase.sort, element, self.is_touchable(element))?;
        let labels = match phrase.sort {
            // A text and the field that it names are not two things of that name.
            Sort::Anything | Sort::Item => &[][..],
            _ => self.labels.get(&std::ptr::from_ref(element)).map_or(&[][..], Vec::as_slice),
        };
        let (tier, share) = wanted.best(element, phrase.sort, labels, &self.names)?;
        Some(Fit { tier, is_sort, share })
    }

    fn is_touchable(&self, element: &Element) -> bool {
        self.touchable.contains(&std::ptr::from_ref(element))
    }

    /// Picks among elements that fit by ordinals and sides.
    fn placed(&self, mut fitting: Vec<(&'a Element, f64)>, phrase: &Phrase) -> Vec<(&'a Element, f64)> {
        if !phrase.sides.is_empty() {
            fitting = self.on_sides(fitting, &phrase.sides);
        }
        let Some(ordinal) = phrase.ordinal else { return fitting };
        fitting.sort_by_key(|(element, _)| (element.rect.top, element.rect.left));
        let count = i32::try_from(fitting.len()).unwrap_or(i32::MAX);
        let place = if ordinal < 0 { count + ordinal } else { ordinal };
        usize::try_from(place).ok().and_then(|place| fitting.get(place)).copied().into_iter().collect()
    }

    /// Keeps what stands furthest to each side, and on that half of the screen.
    fn on_sides(&self, mut fitting: Vec<(&'a Element, f64)>, sides: &[Side]) -> Vec<(&'a Element, f64)> {
        let whole = self.screen.bounds();
        for side in sides {
            let along = |rect: &Rect| match side {
                Side::Top => -i32::midpoint(rect.top, rect.bottom),
                Side::Bottom => i32::midpoint(rect.top, rect.bottom),
                Side::Left => -i32::midpoint(rect.left, rect.right),
                Side::Right => i32::midpoint(rect.left, rect.right),
            };
            let half = along(&whole);
            let furthest = fitting.iter().map(|(element, _)| along(&element.rect)).max().unwrap_or_default();
            fitting.retain(|(element, _)| {
                let place = along(&element.rect);
                place >= half && furthest - place <= SAME_EDGE
            });
        }
        fitting
    }

    /// Returns the things that are alike: the children of a list, else the largest group of siblings of one class.
    fn items(&self) -> Vec<&'a Element> {
        let alike = |parent: &&'a Element| -> Vec<&'a Element> {
            let shown: Vec<&Element> = parent.children.iter().filter(|child| self.is_item(child)).collect();
            let class = shown.first().map(|child| child.class.as_str());
            shown.into_iter().filter(|child| Some(child.class.as_str()) == class).collect()
        };
        let groups = self.candidates.iter().filter(|parent| parent.role == "list" || parent.scrollable);
        let mut groups: Vec<Vec<&Element>> = groups.map(alike).filter(|group| group.len() > 1).collect();
        if groups.is_empty() {
            groups = self.candidates.iter().map(alike).filter(|group| group.len() > 1).collect();
        }
        groups.retain(|group| group.iter().all(|item| !item.rect.is_empty()));
        let most = groups.iter().map(Vec::len).max().unwrap_or_default();
        // Two groups of one size are no answer to which is meant.
        let mut largest = groups.into_iter().filter(|group| group.len() == most);
        let first = largest.next().unwrap_or_default();
        if largest.next().is_some() { Vec::new() } else { first }
    }

    /// Tells whether an element may be one of several: it can be touched or holds something that can, and says something.
    fn is_item(&self, element: &Element) -> bool {
        let (mut says, mut acts) = (false, false);
        element.walk(&mut |inner| {
            says |= !inner.name().is_empty();
            acts |= self.is_touchable(inner);
        });
        says && acts
    }

    fn beside(&self, phrase: &Phrase, neighbour: &str) -> Option<Vec<(&'a Element, f64)>> {
        let plain = readings(neighbour).into_iter().filter(|reading| !matches!(reading, Reading::Beside(..)));
        let whole = Room::new(&all(self.screen), self.screen);
        let by = plain.into_iter().find_map(|reading| whole.read(&reading))?;
        let [(anchor, certain)] = by.elements[..] else { return None };
        let things = self.at_least(Tier::Labelled, phrase);
        let confidence: HashMap<*const Element, f64> =
            things.iter().map(|(element, confidence)| (std::ptr::from_ref(*element), *confidence)).collect();
        let things = things.into_iter().map(|(element, _)| element);
        let things = things.filter(|element| near::is_beside(element, anchor)).collect();
        let nearest = near::nearest(near::by_distance(things, anchor));
        Some(
            nearest
                .into_iter()
                .map(|element| (element, confidence[&std::ptr::from_ref(element)].min(certain) * 0.95))
                .collect(),
        )
    }

    fn in_item(&self, phrase: &Phrase, item: &Phrase) -> Option<Vec<(&'a Element, f64)>> {
        let [(item, _)] = self.at_least(Tier::Labelled, item)[..] else { return None };
        let mut inside = Vec::new();
        item.walk(&mut |element| inside.push(element));
        let room = Room::new(&inside, self.screen);
        Some(room.at_least(Tier::Similar, phrase).into_iter().map(|(element, score)| (element, score * 0.95)).collect())
    }
}

fn all(screen: &Screen) -> Vec<&Element> {
    let mut all = Vec::new();
    screen.roots.iter().for_each(|root| root.walk(&mut |element| all.push(element)));
    all
}

#[cfg(test)]
mod tests {
    use super::super::test_screens::{element, group, screen};
    use super::*;

    #[test]
    fn a_large_screen_costs_little() {
        let row = |i: i32| {
            group(
                i % 2300,
                vec![element("text", &format!("Product {i}"), i % 2300), element("button", "Add", i % 2300)],
            )
        };
        let screen = screen((0..5_000).map(row).collect());
        let candidates = all(&screen);
        let began = std::time::Instant::now();
        assert_eq!(find("Product 4999", &candidates, &screen).map(|found| found.elements.len()), Ok(1));
        assert_eq!(find("Add button", &candidates, &screen).map(|found| found.elements.len()), Ok(5_000));
        assert_eq!(find("Prodcut nothing", &candidates, &screen).map(|found| found.elements.len()), Ok(0));
        assert!(!near_misses("Prodcut nothing", &screen).is_empty());
        println!("four searches of 15,000 elements: {:?}", began.elapsed());
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }

    #[test]
    fn what_is_far_away_is_not_next_to_it() {
        let at = |text: &str, left: i32, top: i32| Element {
            rect: Rect { left, top, right: left + 200, bottom: top + 50 },
            ..element("text", text, top)
        };
        let table = screen(vec![
            at("Product", 0, 100),
            at("Price", 800, 100),
            at("Lamp", 0, 200),
            at("Notebook", 0, 300),
            at("Stock 3", 800, 310),
        ]);
        let candidates = all(&table);
        let found = |words: &str| -> Vec<&str> {
            find(words, &candidates, &table).expect("words").meant().iter().map(|element| element.name()).collect()
        };
        assert_eq!(found("price next to Notebook"), Vec::<&str>::new());
        assert_eq!(found("Notebook旁边的price"), Vec::<&str>::new());
        assert_eq!(found("stock 3 next to Notebook"), ["Stock 3"]);
    }

    #[test]
    fn a_description_needs_words() {
        assert!(check(" ").is_err() && check("…").is_err() && check(&"a ".repeat(200)).is_err());
        assert!(check("登录").is_ok());
    }
}
