//! A selector that is none of ours → whether it may be one that a browser's own engine takes. It is not parsed: its words must be
//! those of pages, or at least not look like misspelt ones of ours, and its brackets and quotes must match.

use super::attribute::Attribute;
use crate::role;
use uixt_schema::nearest;

const TAGS: &str = " a abbr address area article aside audio b blockquote body br button canvas caption cite code col colgroup dd \
    del details dfn dialog div dl dt em embed fieldset figcaption figure footer form frame h1 h2 h3 h4 h5 h6 head header hgroup \
    hr html i iframe img input ins kbd label legend li link main map mark menu meta meter nav object ol optgroup option output p \
    picture pre progress q s samp script section select slot small source span strong style sub summary sup svg table tbody td \
    template textarea tfoot th thead time title tr track u ul var video g path rect circle line text use image ";

/// Further tags of HTML, also of old pages, of SVG and of `MathML`: a text may well be made of such words.
const RARE_TAGS: &str = " acronym applet base basefont bdi bdo big blink center data datalist dir font frameset fencedframe image     keygen listing marquee menuitem nobr noembed noframes noscript param plaintext portal rb rp rt rtc ruby search     selectedcontent strike tt wbr xmp     animate animatemotion animatetransform clippath cursor defs desc discard ellipse feblend fecolormatrix fecomponenttransfer     fecomposite feconvolvematrix fediffuselighting fedisplacementmap fedistantlight fedropshadow feflood fefunca fefuncb fefuncg     fefuncr fegaussianblur feimage femerge femergenode femorphology feoffset fepointlight fespecularlighting fespotlight fetile     feturbulence filter foreignobject glyph hatch hatchpath lineargradient marker mask mesh metadata mpath pattern polygon     polyline radialgradient set solidcolor stop switch symbol textpath tref tspan view     annotation maction math menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms     mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics ";

const ATTRIBUTES: &str = " accept action alt autocomplete autofocus charset cite cols colspan content contenteditable coords data \
    datetime dir download draggable enctype for form headers height high href hreflang inert lang list loop low max maxlength media \
    method min minlength multiple muted name novalidate open optimum pattern placeholder poster rel required reversed rows \
    rowspan scope shape size sizes slot span spellcheck src srcset start step style tabindex target title translate type usemap \
    value width wrap onclick disabled readonly hidden ";

const PSEUDO_CLASSES: &str = " active any-link autofill checked default defined disabled empty enabled first-child first-of-type \
    focus focus-visible focus-within fullscreen has host hover in-range indeterminate invalid is lang last-child last-of-type link \
    modal not nth-child nth-last-child nth-last-of-type nth-of-type only-child only-of-type open optional out-of-range \
    placeholder-shown popover-open read-only read-write required root scope target user-invalid user-valid valid visited where \
    dir muted paused playing ";

/// Tells whether a browser may take a selector that our own parsers do not.
pub(super) fn is_for_pages(selector: &str) -> bool {
    may_be(selector, &|word| is_tag(word) || is_rare_tag(word))
}

/// Tells the same of what may as well be a text: the tags in it are those that selectors often have.
pub(super) fn reads_like_one(selector: &str) -> bool {
    may_be(selector, &is_tag)
}

fn may_be(selector: &str, is_tag: &dyn Fn(&str) -> bool) -> bool {
    let Some(words) = unquoted(selector) else { return false };
    if words.trim().is_empty() || words.ends_with([',', '>', '+', '~', '/']) || words.contains(",,") {
        return false;
    }
    if super::xpath::is_xpath(selector) { xpath_words(&words, is_tag) } else { css_words(&words, is_tag) }
}

/// Says what no engine takes of a selector: what is opened and not closed, closed and not opened, or empty.
pub(super) fn flaw(selector: &str) -> Option<String> {
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut before = ' ';
    let mut signs = selector.chars().zip(1..);
    while let Some((sign, at)) = signs.next() {
        let inner = open.last().map(|(sign, _)| *sign);
        match (inner, sign) {
            (_, '\\') => _ = signs.next(),
            (Some(quote @ ('"' | '\'')), _) => _ = (quote == sign).then(|| open.pop()),
            (_, '"' | '\'' | '[' | '(') => open.push((sign, at)),
            (Some('['), ']') if before == '[' => return Some(format!("character {at}: there is nothing in `[]`")),
            (Some('['), ']') if before == '=' => return Some(format!("character {at}: a value is missing behind `=`")),
            (Some('['), ']') | (Some('('), ')') => _ = open.pop(),
            (_, ']' | ')') => return Some(format!("character {at}: this `{sign}` closes nothing")),
            _ => {}
        }
        before = sign;
    }
    let (sign, at) = open.last()?;
    Some(format!("character {at}: this `{sign}` is not closed"))
}

/// Tells whether what stands before the first bracket of a text is that of a selector: nothing, a tag, a class, an id.
pub(super) fn begins_one(begins: &str) -> bool {
    let word = begins.split(['.', '#', ':']).next().unwrap_or_default();
    (word.is_empty() && !begins.is_empty()) || is_tag(word) || is_rare_tag(word)
}

/// Takes out what stands in quotes; none where brackets or quotes do not match, or hold nothing.
fn unquoted(selector: &str) -> Option<String> {
    if flaw(selector).is_some() {
        return None;
    }
    let (mut words, mut quote) = (String::new(), None);
    let mut signs = selector.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (_, '\\') => {
                signs.next()?;
            }
            (Some(mark), _) if mark == sign => quote = None,
            (None, '"' | '\'') => quote = Some(sign),
            _ => {}
        }
        if quote.is_none() && !matches!(sign, '"' | '\'' | '\\') {
            words.push(sign);
        }
    }
    (!words.contains("[]")).then_some(words)
}

/// Looks at each word of CSS by the sign that stands before it.
fn css_words(words: &str, is_tag: &dyn Fn(&str) -> bool) -> bool {
    let mut before = ' ';
    let mut rest = words;
    while let Some(sign) = rest.chars().next() {
        let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        if length == 0 {
            before = if sign.is_whitespace() && before == '[' { before } else { sign };
            rest = &rest[sign.len_utf8()..];
            continue;
        }
        let word = &rest[..length];
        let fits = match before {
            '[' => is_attribute(word),
            ':' => PSEUDO_CLASSES.contains(&format!(" {word} ")) || word == "has-text",
            ' ' | '>' | '+' | '~' | ',' => is_tag(word),
            // Ids, classes, values, and what functions are given, such as `2n+1`.
            _ => true,
        };
        if !fits {
            return false;
        }
        before = 'x';
        rest = &rest[length..];
    }
    true
}

fn xpath_words(words: &str, is_tag: &dyn Fn(&str) -> bool) -> bool {
    let attributes = words.split('@').skip(1).map(first_word);
    let tags = words.split('/').skip(1).filter_map(tag);
    attributes.into_iter().all(is_attribute) && tags.into_iter().all(is_tag)
}

/// Returns the tag of a step, which may stand behind its axis; none in `text()`, `..` and the like.
fn tag(step: &str) -> Option<&str> {
    let step = step.split_once("::").filter(|(axis, _)| axis.chars().all(is_part)).map_or(step, |(_, tag)| tag);
    let word = first_word(step);
    (!word.is_empty() && !step[word.len()..].starts_with('(')).then_some(word)
}

fn first_word(text: &str) -> &str {
    &text[..text.find(|c: char| !is_part(c)).unwrap_or(text.len())]
}

fn is_part(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '-')
}

fn is_tag(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let is_known =
        TAGS.contains(&format!(" {lower} ")) || lower.contains('-') || lower.starts_with(|c: char| c.is_ascii_digit());
    is_known || role::of(word).is_ok()
}

fn is_rare_tag(word: &str) -> bool {
    RARE_TAGS.contains(&format!(" {} ", word.to_ascii_lowercase()))
}

fn is_attribute(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let is_known =
        ATTRIBUTES.contains(&format!(" {lower} ")) || lower.starts_with("data-") || lower.starts_with("aria-");
    is_known || Attribute::named(word).is_ok() || nearest(&lower, Attribute::names()).is_none()
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn what_pages_have_is_left_to_their_engine() {
        for selector in [
            "div.card:nth-of-type(2) > a[href^='/item']",
            "li:has(> button:not(:disabled))",
            "input[name=\"user\"][type=text]",
            "my-widget [data-id='7']",
            "p:is(.a, .b) ~ span",
            "//div[@class='card']//a[contains(@href, 'item')]",
            "//section/descendant::p[last()]",
            "(//tr)[2]/td[3]",
            "#s > polygon",
            "linearGradient stop",
            "ruby > rt",
            "data",
            "math mi + mn",
            "//search/ancestor::foreignObject",
        ] {
            assert_eq!(check(selector), Ok(()), "{selector}");
        }
    }

    #[test]
    fn what_nobody_takes_is_refused_before_anything_runs() {
        for selector in [
            "buton#ok",
            "[contnet-desc=red]",
            "div[[",
            "div[href",
            "div[]",
            "p:hovver",
            "a >",
            "a,,b",
            "[text='a]",
            "//div[@href",
            "",
            "//buton[@text='OK']",
            "div:has-txt('a')",
        ] {
            assert!(check(selector).is_err(), "{selector}");
        }
    }
}
