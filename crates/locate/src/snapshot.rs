//! A screen in a few words for an agent, one line an element, each with a ref that later calls may name; never longer than
//! a number of tokens; whole, in part, or what changed since the last.

use std::collections::HashMap;
use std::ops::Range;

use super::listed::{is_listed, is_nameless, is_on};
use super::refs::{Book, Shown};
use super::wording::{clip, describe, holds_value, name, plain_id, quoted};
use crate::driver::element::Actionability;
use crate::driver::{DeviceInfo, Element, Screen};

/// What a snapshot costs beside its text: the names and the message around it.
const ENVELOPE: usize = 40;

/// The most tokens of a snapshot where nothing else is asked.
pub const MAX_TOKENS: usize = 2_000;

/// Says that a screen was not told of as a whole.
const TOO_MUCH: &str = "… there is more than could be listed";

/// What is asked of a snapshot.
pub struct Wanted<'a> {
    /// The most tokens that the whole answer may cost.
    pub max_tokens: usize,
    pub diff: bool,
    /// The part that is asked for of all that there is, also off the screen; 1 is the first.
    pub page: Option<usize>,
    /// The element that alone is asked for, and how it was named.
    pub within: Option<(&'a Element, String)>,
}

/// A snapshot's text, and how many elements it tells of.
#[derive(Debug, PartialEq)]
pub struct Written {
    pub text: String,
    /// In one sentence without its end.
    pub message: String,
    /// Whether something came or went since the last snapshot, rather than that what was there is in another state.
    pub came: bool,
}

/// Writes the screen down and enters its refs.
pub fn write(screen: &Screen, device: &DeviceInfo, book: &mut Book, wanted: &Wanted) -> Result<Written, String> {
    let entered = if wanted.page.is_some() { book.enter_all(screen, device) } else { book.enter(screen, device) };
    let inside = wanted.within.as_ref().map(|(element, _)| addresses(element));
    let is_meant =
        |element: &Element| inside.as_ref().is_none_or(|inside| inside.contains(&std::ptr::from_ref(element)));
    let meant = entered.into_iter().filter(|(_, element)| is_meant(element));
    let (listed, mut far): (Vec<_>, Vec<_>) =
        meant.partition(|(_, element)| wanted.page.is_some() || is_on(screen, element));
    if wanted.max_tokens < LEAST_FOR_FAR {
        far.clear();
    }
    let shown = Shown {
        header: header(screen, &device.name),
        part: wanted.within.as_ref().map(|(_, part)| part.clone()).unwrap_or_default(),
        lines: lines(&listed, screen),
        beyond: match wanted.page {
            None => beyond(screen, is_meant, &far),
            Some(_) if screen.cut => TOO_MUCH.to_owned(),
            Some(_) => String::new(),
        },
    };
    if let Some(page) = wanted.page {
        return part(&shown, page, wanted.max_tokens);
    }
    let before = book.shown(device).filter(|before| wanted.diff && before.part == shown.part);
    let mut written =
        before.and_then(|before| difference(&before, &shown, wanted)).unwrap_or_else(|| whole(&shown, wanted));
    if !screen.lit {
        written.message.push_str("; the screen is off: call `unlock` first");
    }
    book.show(device, shown);
    Ok(written)
}

/// Writes one of the parts in which everything is told.
fn part(shown: &Shown, page: usize, max_tokens: usize) -> Result<Written, String> {
    let lines = numbered(shown);
    let header = headline(shown);
    let trailer = |page: usize, of: usize| format!("… page {page} of {of}; page: {} goes on", page + 1);
    // Numbers of parts have as many digits as those of lines at most.
    let around = [trailer(lines.len(), lines.len()), shown.beyond.clone()].map(|line| Weight::of(&line));
    let room = max_tokens.saturating_sub(ENVELOPE + around.iter().map(|weight| weight.tokens()).sum::<usize>());
    // A title takes no more than half, so that every part tells something.
    let header = shortened(&header, room / 2);
    let parts = parts(&lines, room.saturating_sub(Weight::of(&header).tokens()));
    let Some(told) = page.checked_sub(1).and_then(|at| parts.get(at).cloned()) else {
        return Err(match parts.len() {
            1 => "everything fits into one page: page: 1".to_owned(),
            count => format!("there are {count} pages of this size, not {page}"),
        });
    };
    let message = format!("elements {} to {} of {}", told.start + usize::from(!told.is_empty()), told.end, lines.len());
    let is_last = page == parts.len();
    let end = if is_last { shown.beyond.clone() } else { trailer(page, parts.len()) };
    let end = Some(end).filter(|end| !end.is_empty());
    let told = lines[told].iter().map(|line| shortened(line, room / 2));
    Ok(Written {
        text: std::iter::once(header).chain(told).chain(end).collect::<Vec<_>>().join("\n"),
        message,
        came: true,
    })
}

/// Deals lines out into parts that fit, at least one line each; at least one part.
fn parts(lines: &[String], room: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut spent) = (0, Weight::default());
    for (at, line) in lines.iter().enumerate() {
        let weight = Weight::of(line);
        if at > start && spent.and(weight).tokens() > room {
            parts.push(start..at);
            (start, spent) = (at, Weight::default());
        }
        spent = spent.and(weight);
    }
    parts.push(start..lines.len());
    parts
}

fn numbered(shown: &Shown) -> Vec<String> {
    shown.lines.iter().map(|(number, line)| format!("e{number} {line}")).collect()
}

fn headline(shown: &Shown) -> String {
    match shown.part.is_empty() {
        true => shown.header.clone(),
        false => format!("{} · within {}", shown.header, clip(&shown.part)),
    }
}

fn addresses(element: &Element) -> std::collections::HashSet<*const Element> {
    let mut addresses = std::collections::HashSet::new();
    element.walk(&mut |element| {
        addresses.insert(std::ptr::from_ref(element));
    });
    addresses
}

fn whole(shown: &Shown, wanted: &Wanted) -> Written {
    let count = shown.lines.len();
    let lines = numbered(shown);
    let (text, told) = fit(&headline(shown), &lines, &shown.beyond, "elements", wanted.max_tokens);
    let message = if told == count { format!("{count} elements") } else { format!("{told} of {count} elements") };
    let message = if wanted.diff { format!("{message}; nothing like it was seen before") } else { message };
    Written { text, message, came: true }
}

/// Writes what changed; none where all of the screen says it shorter.
fn difference(before: &Shown, now: &Shown, wanted: &Wanted) -> Option<Written> {
    let was: HashMap<u32, &str> = before.lines.iter().map(|(number, line)| (*number, line.as_str())).collect();
    let is: HashMap<u32, &str> = now.lines.iter().map(|(number, line)| (*number, line.as_str())).collect();
    let mut changes: Vec<String> = Vec::new();
    for (number, line) in &now.lines {
        match was.get(number) {
            None => changes.push(format!("+ e{number} {line}")),
            Some(old) if old != line => changes.push(format!("~ e{number} {line}")),
            Some(_) => {}
        }
    }
    let gone = before.lines.iter().filter(|(number, _)| !is.contains_key(number));
    changes.extend(gone.map(|(number, line)| format!("- e{number} {}", clip(line))));
    changes.extend(moved(&kept(&before.lines, &is), &kept(&now.lines, &was)));
    let same_header = before.header == now.header;
    let beyond = if before.beyond == now.beyond { "" } else { now.beyond.as_str() };
    if changes.is_empty() && same_header && beyond.is_empty() {
        return Some(Written { text: "no change".to_owned(), message: "No change".to_owned(), came: false });
    }
    if changes.len() > now.lines.len() {
        return None;
    }
    let count = changes.len();
    let header = if same_header { "changed:" } else { &now.header };
    let (text, told) = fit(header, &changes, beyond, "changes", wanted.max_tokens);
    let noun = if count == 1 { "change" } else { "changes" };
    let message = if told == count { format!("{count} {noun}") } else { format!("{told} of {count} changes") };
    let came = !same_header || changes.iter().any(|change| !change.starts_with('~'));
    Some(Written { text, message, came })
}

/// Returns the numbers of lines that another list has, too.
fn kept(lines: &[(u32, String)], others: &HashMap<u32, &str>) -> Vec<u32> {
    lines.iter().map(|(number, _)| *number).filter(|number| others.contains_key(number)).collect()
}

/// Most refs that are told of an order.
const LONGEST_ORDER: usize = 30;

/// Says in which order elements stand that stood in another before; those around them are left out.
fn moved(before: &[u32], now: &[u32]) -> Option<String> {
    let differs = |(before, now): (&u32, &u32)| before != now;
    let first = before.iter().zip(now).position(differs)?;
    let last = now.len() - before.iter().rev().zip(now.iter().rev()).position(differs)?;
    let order: Vec<String> = now[first..last].iter().take(LONGEST_ORDER).map(|number| format!("e{number}")).collect();
    let more = if last - first > LONGEST_ORDER { " …" } else { "" };
    Some(format!("↕ now in this order: {}{more}", order.join(" ")))
}

/// What a text costs within JSON: bytes of ASCII, and other characters.
#[derive(Clone, Copy, Default)]
struct Weight {
    ascii: usize,
    others: usize,
}

impl Weight {
    /// Weighs a line with its break.
    fn of(line: &str) -> Self {
        let json = serde_json::Value::from(line).to_string();
        let others = json.chars().filter(|c| !c.is_ascii()).count();
        Self { ascii: json.bytes().filter(u8::is_ascii).count(), others }
    }

    fn and(self, other: Self) -> Self {
        Self { ascii: self.ascii + other.ascii, others: self.others + other.others }
    }

    fn tokens(self) -> usize {
        self.ascii.div_ceil(4) + self.others
    }
}

/// Counts tokens as language models roughly do: one for four bytes of ASCII, one for every other character.
pub fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii.div_ceil(4) + text.chars().filter(|c| !c.is_ascii()).count()
}

/// Puts as many lines below a header, and above what closes it, as the tokens allow, and says what was cut; tells how many there
/// are.
fn fit(header: &str, lines: &[String], tail: &str, what: &str, max_tokens: usize) -> (String, usize) {
    let max_tokens = max_tokens.saturating_sub(Weight::of(tail).tokens());
    let room = max_tokens.saturating_sub(ENVELOPE);
    let trailer = |left: usize| format!("… {left} more {what}; ask with page: 1, 2 …, within or max_tokens");
    let reserve = Weight::of(&trailer(lines.len()));
    let header = shortened(header, room.saturating_sub(reserve.tokens()));
    let weights: Vec<Weight> = lines.iter().map(|line| Weight::of(line)).collect();
    let whole = weights.iter().fold(Weight::of(&header), |sum, weight| sum.and(*weight));
    let mut told = lines.len();
    if whole.tokens() > room {
        let mut spent = Weight::of(&header).and(reserve);
        told = 0;
        for weight in weights {
            spent = spent.and(weight);
            if spent.tokens() > room {
                break;
            }
            told += 1;
        }
    }
    let cut = (told < lines.len()).then(|| trailer(lines.len() - told));
    let tail = Some(tail.to_owned()).filter(|tail| !tail.is_empty());
    let parts = std::iter::once(header).chain(lines[..told].iter().cloned()).chain(cut).chain(tail);
    (parts.collect::<Vec<_>>().join("\n"), told)
}

/// Cuts a header that alone would take more than there is: apps choose their titles.
fn shortened(header: &str, room: usize) -> String {
    let mut short = header.to_owned();
    while Weight::of(&short).tokens() > room && short.pop().is_some() {}
    short
}

fn header(screen: &Screen, device: &str) -> String {
    let size = format!("{}×{}", screen.size.width, screen.size.height);
    let title = Some(title(screen)).filter(|title| !title.is_empty());
    let parts = [Some(screen.package.clone()), title, Some(size), Some(device.to_owned())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Returns a screen's title: its first heading; empty where it has none.
pub fn title(screen: &Screen) -> String {
    let mut title = None;
    for root in &screen.roots {
        root.walk(&mut |element| {
            if title.is_none() && element.role == "heading" && !element.name().is_empty() {
                title = Some(clip(element.name()));
            }
        });
    }
    title.unwrap_or_default()
}

/// Says how much lies wholly off the screen, on which side, and how it is brought there; empty where nothing does.
/// `far` are those of them that have refs.
fn beyond(screen: &Screen, is_meant: impl Fn(&Element) -> bool, far: &[(u32, &Element)]) -> String {
    let all = screen.bounds();
    let mut sides = [("below", 0), ("above", 0), ("to the right", 0), ("to the left", 0)];
    for root in &screen.roots {
        root.walk(&mut |element| {
            if !is_listed(element) || !is_meant(element) || is_on(screen, element) {
                return;
            }
            let rect = element.rect;
            let side = match () {
                () if rect.top >= all.bottom => 0,
                () if rect.bottom <= all.top => 1,
                () if rect.left >= all.right => 2,
                () => 3,
            };
            sides[side].1 += 1;
        });
    }
    let told = sides.iter().filter(|(_, count)| *count > 0).map(|(side, count)| format!("{count} {side}"));
    let told = told.collect::<Vec<_>>().join(", ");
    let off = match told.as_str() {
        "" => String::new(),
        told if far.is_empty() => format!("… off the screen: {told}; `scroll_to` brings one there"),
        told => format!("… off the screen: {told}; brought there when used: {}", named(far)),
    };
    match (screen.cut, off.as_str()) {
        (false, _) => off,
        (true, "") => TOO_MUCH.to_owned(),
        (true, off) => format!("{off}\n{TOO_MUCH}"),
    }
}

/// Most characters of what tells elements off the screen by their refs.
const FAR: usize = 600;
/// The fewest tokens of an answer that has room for them.
const LEAST_FOR_FAR: usize = 800;

fn named(far: &[(u32, &Element)]) -> String {
    let mut text = String::new();
    for (number, element) in far {
        let one = format!("e{number} {}", line(element, false));
        if text.len() + one.len() > FAR && !text.is_empty() {
            break;
        }
        text = if text.is_empty() { one } else { format!("{text}, {one}") };
    }
    text
}

fn lines(listed: &[(u32, &Element)], screen: &Screen) -> Vec<(u32, String)> {
    let (mut bearers, mut alike) = (HashMap::<&str, usize>::new(), HashMap::<(&str, &str), usize>::new());
    for (_, element) in listed {
        *bearers.entry(&element.id).or_default() += 1;
        *alike.entry((element.role, name(element))).or_default() += 1;
    }
    let alone = |element: &Element| bearers.get(element.id.as_str()) == Some(&1);
    let rows = rows(screen);
    let told = |element: &Element| {
        let text = line(element, alone(element));
        let is_one_of_many = element.clickable && alike.get(&(element.role, name(element))) > Some(&1);
        match rows.get(&std::ptr::from_ref(element)).filter(|row| is_one_of_many && **row != name(element)) {
            Some(row) => format!("{text} · row {}", quoted(row)),
            None => text,
        }
    };
    listed.iter().map(|(number, element)| (*number, told(element))).collect()
}

/// Returns what the row of a page's table or list is called that each element stands in: by the first text in it.
fn rows(screen: &Screen) -> HashMap<*const Element, &str> {
    fn first<'a>(element: &'a Element, row: &Element) -> Option<&'a str> {
        let own = Some(element.name())
            .filter(|name| !name.is_empty() && !std::ptr::eq(element, row) && !holds_value(element));
        own.or_else(|| element.children.iter().find_map(|child| first(child, row)))
    }
    fn visit<'a>(element: &'a Element, mut row: Option<&'a str>, rows: &mut HashMap<*const Element, &'a str>) {
        if element.told.is_some() && matches!(element.role, "row" | "listitem") {
            row = first(element, element);
        }
        rows.extend(row.map(|row| (std::ptr::from_ref(element), row)));
        element.children.iter().for_each(|child| visit(child, row, rows));
    }
    let mut rows = HashMap::new();
    screen.roots.iter().for_each(|root| visit(root, None, &mut rows));
    rows
}

/// Describes an element; an id that others bear too, as those in rows of a list do, picks nothing and is left out.
fn line(element: &Element, with_id: bool) -> String {
    let mut text = if holds_value(element) {
        let name = name(element);
        let mut text = element.role.to_owned();
        if !name.is_empty() {
            text.push_str(&format!(" {}", quoted(name)));
        }
        if with_id && !element.id.is_empty() {
            text.push_str(&format!(" #{}", plain_id(element)));
        }
        if !element.text.is_empty() && !element.password {
            text.push_str(&format!(" = {}", quoted(&element.text)));
        }
        text
    } else {
        let text = describe(element);
        let id = format!(" #{}", plain_id(element));
        text.strip_suffix(&id).filter(|_| !with_id).map(str::to_owned).unwrap_or(text)
    };
    if let Some(told) = &element.told {
        text.push_str(&beside(told));
    }
    if is_nameless(element) {
        let place = element.rect.center();
        text.push_str(&format!(" at {},{}", place.x.round(), place.y.round()));
    }
    if element.is_closed() {
        text.push_str(CLOSED);
    }
    let is_whole = element.checkable && !element.is_mixed();
    let flags = [
        (element.password, " secret"),
        (element.is_mixed(), " mixed"),
        (is_whole && element.checked, " on"),
        (is_whole && !element.checked, " off"),
        (element.selected, " selected"),
        (element.focused, " focused"),
        (element.scrollable, " scrollable"),
        (!element.enabled, " disabled"),
    ];
    flags.iter().filter(|(set, _)| *set).for_each(|(_, word)| text.push_str(word));
    text
}

/// What is said of a frame that nobody could look into.
const CLOSED: &str = " (frame of another site: not readable by this driver)";

/// Most characters of the options of a list.
const OPTIONS: usize = 100;

/// Says what a field takes that is no text, and what may be chosen of a closed list.
fn beside(told: &Actionability) -> String {
    let mut text = String::new();
    if !told.holds.is_empty() {
        text.push_str(&format!(" ({})", told.holds));
    }
    let Some((count, names)) = told.options.as_ref().filter(|(count, _)| *count > 0) else { return text };
    let mut room = OPTIONS;
    let mut shown = Vec::new();
    for name in names {
        // What would look like the end of an option, or of them all, stands between quotation marks.
        let name =
            if name.is_empty() || name.contains([',', '[', ']', '"', '\\', '+']) { quoted(name) } else { clip(name) };
        let length = name.chars().count() + 2;
        if length > room {
            break;
        }
        room -= length;
        shown.push(name);
    }
    let more = count.saturating_sub(shown.len());
    shown.extend((more > 0).then(|| if shown.is_empty() { format!("{more}") } else { format!("… +{more}") }));
    text.push_str(&format!(" [options: {}]", shown.join(", ")));
    text
}

#[cfg(test)]
mod tests {
    use super::super::test_screens::{element, screen};
    use super::*;
    use crate::driver::Rect;

    fn device() -> DeviceInfo {
        DeviceInfo { platform: "android", name: "virtual phone".to_owned(), ..DeviceInfo::default() }
    }

    fn taken(screen: &Screen, book: &mut Book, max_tokens: usize, diff: bool) -> String {
        write(screen, &device(), book, &Wanted { max_tokens, diff, page: None, within: None })
            .expect("no page is asked for")
            .text
    }

    #[test]
    fn a_snapshot_reads_as_the_documentation_shows() {
        let user = Element {
            hint: "User name".to_owned(),
            id: "com.uixt.shop:id/user".to_owned(),
            focused: true,
            ..element("textfield", "", 30)
        };
        let password = Element { hint: "Password".to_owned(), password: true, ..element("textfield", "•••", 60) };
        let sign_in = Element { enabled: false, ..element("button", "Sign in", 90) };
        let screen = screen(vec![element("heading", "Log in", 0), user, password, sign_in]);
        assert_eq!(
            taken(&screen, &mut Book::default(), 2000, false),
            "com.uixt.shop · Log in · 1080×2400 · virtual phone\ne1 heading \"Log in\"\n\
             e2 textfield \"User name\" #user focused\ne3 textfield \"Password\" secret\ne4 button \"Sign in\" disabled"
        );
    }

    #[test]
    fn what_can_be_tapped_and_has_no_name_is_told_by_its_place() {
        let arrow = Element { clickable: true, ..element("group", "", 40) };
        let icon = Element { clickable: true, children: vec![element("image", "", 80)], ..element("button", "", 80) };
        let row = Element { clickable: true, children: vec![element("text", "Tea", 120)], ..element("group", "", 120) };
        let text = taken(&screen(vec![arrow, icon, row, element("group", "", 160)]), &mut Book::default(), 2000, false);
        assert_eq!(
            text.lines().skip(1).collect::<Vec<_>>(),
            ["e1 group at 50,50", "e2 button at 50,90", "e3 text \"Tea\""]
        );
    }

    #[test]
    fn an_id_that_several_bear_is_left_out() {
        let row = |text, top| Element { id: "a:id/title".to_owned(), ..element("text", text, top) };
        let text = taken(&screen(vec![row("Wi-Fi", 0), row("Display", 30)]), &mut Book::default(), 2000, false);
        assert_eq!(text, "com.uixt.shop · 1080×2400 · virtual phone\ne1 text \"Wi-Fi\"\ne2 text \"Display\"");
    }

    #[test]
    fn an_answer_never_costs_more_than_it_may_and_says_what_was_cut() {
        let names = ["plain", "商品名称很长很长的一行", "\"quoted\" \\ and 😀", "x"];
        let rows = (0..400).map(|i| element("button", &format!("{} {i}", names[i % 4].repeat(1 + i % 5)), 5)).collect();
        let screen = screen(rows);
        for max_tokens in (100..3000).step_by(37) {
            let wanted = Wanted { max_tokens, diff: false, page: None, within: None };
            let written = write(&screen, &device(), &mut Book::default(), &wanted).expect("no page is asked for");
            let answer = serde_json::json!({
                "action": "snapshot", "success": true, "message": written.message, "snapshot": written.text,
            });
            assert!(tokens(&answer.to_string()) <= max_tokens, "{max_tokens}: {}", tokens(&answer.to_string()));
            let shown = written.text.lines().count() - 2;
            let trailer = format!("… {} more elements; ask with page: 1, 2 …, within or max_tokens", 400 - shown);
            assert!(written.text.ends_with(&trailer), "{}", written.text);
            assert!(max_tokens < 300 || tokens(&answer.to_string()) + 130 > max_tokens, "too little of {max_tokens}");
        }
        assert_eq!(tokens("abcde按钮"), 4);
    }

    #[test]
    fn a_long_page_is_told_whole_part_by_part() {
        let mut keyed = 0;
        let rows = (0..300).map(|number| {
            let names = ["plain", "商品名称很长很长的一行", "\"quoted\" \\ and 😀"];
            keyed += 1;
            let told = Some(Box::new(crate::driver::element::Actionability { key: keyed, ..Default::default() }));
            Element {
                told,
                ..element(
                    "button",
                    &format!("{} {number}", names[number % 3].repeat(1 + number % 4)),
                    i32::try_from(number).unwrap() * 40,
                )
            }
        });
        let page = screen(rows.collect());
        for max_tokens in [100, 180, 700, 2000, 100_000] {
            let mut book = Book::default();
            let mut told = Vec::new();
            for number in 1.. {
                let wanted = Wanted { max_tokens, diff: false, page: Some(number), within: None };
                let written = write(&page, &device(), &mut book, &wanted).expect("a page");
                let answer = serde_json::json!({
                    "action": "snapshot", "success": true, "message": written.message, "snapshot": written.text,
                });
                assert!(tokens(&answer.to_string()) <= max_tokens.max(150), "{max_tokens}: {answer}");
                let lines: Vec<String> = written.text.lines().map(str::to_owned).collect();
                told.extend(lines.iter().filter(|line| line.starts_with('e')).cloned());
                if !written.text.contains("goes on") {
                    let next = Wanted { page: Some(number + 1), ..wanted };
                    let message = write(&page, &device(), &mut book, &next).expect_err("there is no more");
                    assert!(message.contains("page"), "{message}");
                    break;
                }
            }
            assert_eq!(told.len(), 300, "{max_tokens}");
            assert!(
                told.iter().enumerate().all(|(at, line)| line.starts_with(&format!("e{} button", at + 1))),
                "{told:?}"
            );
        }
    }

    #[test]
    fn what_lies_off_the_screen_is_counted_and_not_offered() {
        let far = |text: &str, left: i32, top: i32| Element {
            rect: Rect { left, top, right: left + 100, bottom: top + 20 },
            ..element("button", text, top)
        };
        let rows = vec![far("Here", 0, 30), far("Half", 0, 2390), far("Below", 0, 2400), far("Deep", 0, 9000)];
        let sides = vec![far("Above", 0, -20), far("Right", 1080, 30), far("Left", -100, 30)];
        let page = screen([rows, sides].concat());
        let mut book = Book::default();
        let text = taken(&page, &mut book, 2000, false);
        assert_eq!(
            text,
            "com.uixt.shop · 1080×2400 · virtual phone\ne1 button \"Here\"\ne2 button \"Half\"\n\
             … off the screen: 2 below, 1 above, 1 to the right, 1 to the left; `scroll_to` brings one there"
        );
        let scrolled =
            screen(vec![far("Here", 0, -40), far("Half", 0, 1000), far("Below", 0, 1010), far("Deep", 0, 9000)]);
        assert_eq!(
            taken(&scrolled, &mut book, 2000, true),
            "changed:\n+ e3 button \"Below\"\n- e1 button \"Here\"\n\
             … off the screen: 1 below, 1 above; `scroll_to` brings one there"
        );
        assert_eq!(taken(&scrolled, &mut book, 2000, true), "no change");
    }

    #[test]
    fn the_cap_holds_whatever_is_said_beside_the_elements() {
        let name = "很长的名字 with \"quotes\" ".repeat(20);
        let rows: Vec<Element> = (0..60_i32).map(|row| element("button", &format!("{name}{row}"), row * 100)).collect();
        let heading = element("heading", &name, 0);
        let mut dark = screen([vec![heading], rows].concat());
        dark.lit = false;
        let device = DeviceInfo { name: name.clone(), ..device() };
        let mut book = Book::default();
        for max_tokens in [100, 101, 120, 150, 200, 400, 1000, 2000, 5000] {
            for diff in [false, true] {
                dark.roots[0].children.rotate_left(1);
                let wanted = Wanted { max_tokens, diff, page: None, within: Some((&dark.roots[0], name.clone())) };
                let written = write(&dark, &device, &mut book, &wanted).expect("no page is asked for");
                let answer = serde_json::json!({
                    "action": "snapshot", "success": true, "message": written.message, "snapshot": written.text,
                });
                let cost = tokens(&answer.to_string());
                assert!(cost <= max_tokens, "{max_tokens}: {cost}: {answer}");
                assert!(diff || written.text.contains("off the screen: "), "{}", written.text);
            }
        }
    }

    #[test]
    fn a_difference_tells_what_is_new_gone_and_changed() {
        let mut book = Book::default();
        let wifi = |on| Element { checkable: true, checked: on, ..element("switch", "Wi-Fi", 60) };
        let head = element("heading", "Network", 0);
        let before =
            screen(vec![head.clone(), element("text", "Searching", 30), wifi(false), element("button", "Add", 90)]);
        assert!(taken(&before, &mut book, 2000, true).contains("e4 button"), "the first is whole");
        assert_eq!(taken(&before, &mut book, 2000, true), "no change");
        let after = screen(vec![head, wifi(true), element("button", "Home net", 90), element("button", "Add", 120)]);
        assert_eq!(
            taken(&after, &mut book, 2000, true),
            "changed:\n~ e3 switch \"Wi-Fi\" on\n+ e5 button \"Home net\"\n- e2 text \"Searching\""
        );
        let turned = screen(vec![
            element("heading", "Network", 0),
            element("button", "Add", 30),
            Element { checkable: true, checked: true, ..element("switch", "Wi-Fi", 60) },
            element("button", "Home net", 90),
        ]);
        assert_eq!(taken(&turned, &mut book, 2000, true), "changed:\n↕ now in this order: e4 e3 e5");
        let other = screen(vec![element("heading", "Display", 0)]);
        assert!(taken(&other, &mut book, 2000, true).starts_with("com.uixt.shop · Display"), "another screen is whole");
    }
}
