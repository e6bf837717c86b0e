//! Text in the phone's one font: how wide it is, where its lines break, and the masks of its glyphs.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use ab_glyph::{Font as _, FontRef, Glyph, GlyphId, PxScale, point};
use parking_lot::Mutex;

/// A subset of Noto Sans SC (SIL Open Font License); `font/make.sh` makes it.
const DATA: &[u8] = include_bytes!("font/NotoSansSC-subset.ttf");
/// Height of the font's line in ems, as its `hhea` table says.
const LINE: f32 = 1.448;
/// How many masks are kept before all are thrown away.
const KEPT: usize = 4096;

static FACE: LazyLock<Option<FontRef<'static>>> = LazyLock::new(|| FontRef::try_from_slice(DATA).ok());
static MASKS: LazyLock<Mutex<HashMap<Wanted, Arc<Mask>>>> = LazyLock::new(Mutex::default);

/// Size and weight of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Height of an em in pixels.
    pub size: f32,
    pub bold: bool,
}

impl Style {
    /// Returns the distance between two lines, in pixels.
    #[expect(clippy::cast_possible_truncation, reason = "a line is at most some hundred pixels high")]
    pub fn line_height(self) -> i32 {
        (self.size * 1.42).round() as i32
    }
}

/// A glyph's coverage, 0 to 255, row by row, and where it lies relative to the pen on the baseline.
#[derive(Debug, Default)]
pub struct Mask {
    pub left: i32,
    pub top: i32,
    pub width: i32,
    pub height: i32,
    pub cover: Vec<u8>,
}

#[derive(PartialEq, Eq, Hash)]
struct Wanted {
    glyph: u16,
    /// Size in sixteenths of a pixel.
    size: u32,
    bold: bool,
}

/// Tells whether the font has a sign; another is drawn as an empty box.
pub fn has(sign: char) -> bool {
    FACE.as_ref().is_some_and(|face| face.glyph_id(sign).0 != 0)
}

/// Returns how far the pen moves over one character, in pixels.
fn advance(sign: char, style: Style) -> f32 {
    let Some(face) = FACE.as_ref() else { return 0.0 };
    if is_silent(sign) {
        return 0.0;
    }
    if sign == BULLET.0 {
        return BULLET.1 * style.size;
    }
    let wider = if style.bold { style.size * 0.012 } else { 0.0 };
    face.h_advance_unscaled(face.glyph_id(sign)) * style.size / face.units_per_em().unwrap_or(1000.0) + wider
}

/// A password's bullet, which the font makes too small and too wide, is drawn: its width and its radius in ems.
const BULLET: (char, f32, f32) = ('•', 0.5, 0.15);

/// Signs that show nothing by themselves: variation selectors and joiners.
fn is_silent(sign: char) -> bool {
    matches!(sign, '\u{fe00}'..='\u{fe0f}' | '\u{200b}'..='\u{200d}') || sign.is_control()
}

/// Returns the width of a line of text, in pixels.
pub fn width(text: &str, style: Style) -> f32 {
    text.chars().map(|sign| advance(sign, style)).sum()
}

/// Returns the width of a line of text in whole pixels, rounded up.
#[expect(clippy::cast_possible_truncation, reason = "a line is at most some thousand pixels wide")]
pub fn columns(text: &str, style: Style) -> i32 {
    width(text, style).ceil() as i32
}

/// Returns the mask of one character; an empty one for what shows nothing.
pub fn mask(sign: char, style: Style) -> Arc<Mask> {
    let Some(face) = FACE.as_ref() else { return Arc::default() };
    if is_silent(sign) {
        return Arc::default();
    }
    let glyph = face.glyph_id(sign);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a font size is small and positive")]
    let wanted = Wanted { glyph: glyph.0, size: (style.size * 16.0) as u32, bold: style.bold };
    let mut masks = MASKS.lock();
    if let Some(mask) = masks.get(&wanted) {
        return Arc::clone(mask);
    }
    if masks.len() >= KEPT {
        masks.clear();
    }
    let mask = Arc::new(if sign == BULLET.0 { bullet(style) } else { rasterize(face, glyph, style) });
    masks.insert(wanted, Arc::clone(&mask));
    mask
}

/// Walks over the glyphs of a line: the mask and the pen's x, in pixels from the line's beginning.
pub fn each_glyph(text: &str, style: Style, mut visit: impl FnMut(f32, &Mask)) {
    let mut pen = 0.0;
    for sign in text.chars() {
        visit(pen, &mask(sign, style));
        pen += advance(sign, style);
    }
}

/// Draws a disc in the middle of its width, at half the height of capitals.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "pixels")]
fn bullet(style: Style) -> Mask {
    let (radius, middle) = (BULLET.2 * style.size, BULLET.1 * style.size / 2.0);
    let side = (radius * 2.0).ceil() as i32 + 1;
    let centre = side as f32 / 2.0;
    let cover = |index: i32| {
        let (x, y) = ((index % side) as f32 + 0.5, (index / side) as f32 + 0.5);
        ((radius + 0.5 - (x - centre).hypot(y - centre)).clamp(0.0, 1.0) * 255.0) as u8
    };
    let top = -(style.size * 0.36 + centre) as i32;
    let cover = (0..side * side).map(cover).collect();
    Mask { left: (middle - centre) as i32, top, width: side, height: side, cover }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    reason = "a glyph's mask has at most some hundred pixels a side, its coverage lies in 0 to 1"
)]
fn rasterize(face: &FontRef<'_>, id: GlyphId, style: Style) -> Mask {
    let glyph = Glyph { id, scale: PxScale::from(style.size * LINE), position: point(0.0, 0.0) };
    let Some(outline) = face.outline_glyph(glyph) else { return Mask::default() };
    let bounds = outline.px_bounds();
    let fatter = if style.bold { style.size * 0.026 } else { 0.0 };
    let (inner, height) = (bounds.width() as usize, bounds.height() as usize);
    let width = inner + fatter.ceil() as usize;
    let mut plain = vec![0.0_f32; width * height];
    outline.draw(|x, y, cover| {
        if let Some(place) = plain.get_mut(y as usize * width + x as usize) {
            *place = cover.min(1.0);
        }
    });
    let whole = fatter.floor() as usize;
    let part = fatter - whole as f32;
    let cover = (0..plain.len()).map(|index| {
        let column = index % width;
        let shifted = |by: usize| if column >= by { plain[index - by] } else { 0.0 };
        let near = (0..=whole).map(shifted).fold(0.0, f32::max);
        (near.max(shifted(whole + 1) * part) * 255.0).round() as u8
    });
    let cover = cover.collect();
    Mask { left: bounds.min.x as i32, top: bounds.min.y as i32, width: width as i32, height: height as i32, cover }
}

/// Breaks a text into lines at most `limit` pixels wide, at most `most` of them; the last ends in three dots where text is left.
pub fn wrap(text: &str, style: Style, limit: f32, most: usize) -> Vec<String> {
    let ranges = wrap_ranges(text, style, limit);
    let whole = ranges.len() <= most;
    let mut lines: Vec<String> = ranges.into_iter().take(most).map(|range| text[range].trim_end().to_owned()).collect();
    if let (false, Some(last)) = (whole, lines.last_mut()) {
        *last = shorten(&format!("{last}..."), style, limit);
    }
    lines
}

/// Returns the lines of a text as ranges of its bytes, without line ends; at least one.
pub fn wrap_ranges(text: &str, style: Style, limit: f32) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for paragraph in text.split('\n') {
        wrap_paragraph(paragraph, start, (style, limit), &mut lines);
        start += paragraph.len() + 1;
    }
    lines
}

/// Returns a line as it is, or its beginning with three dots where it is wider than `limit` pixels.
pub fn shorten(text: &str, style: Style, limit: f32) -> String {
    if width(text, style) <= limit {
        return text.to_owned();
    }
    let room = limit - width("...", style);
    let mut used = 0.0;
    let kept = text.trim_end_matches("...").chars().take_while(|sign| {
        used += advance(*sign, style);
        used <= room
    });
    kept.collect::<String>().trim_end().to_owned() + "..."
}

/// Breaks the paragraph that begins at byte `base` of its text.
fn wrap_paragraph(text: &str, base: usize, (style, limit): (Style, f32), lines: &mut Vec<Range<usize>>) {
    let (mut start, mut end, mut used) = (base, base, 0.0);
    for piece in pieces(text) {
        if used + width(piece.trim_end(), style) > limit && end > start {
            lines.push(start..end);
            (start, used) = (end, 0.0);
        }
        for sign in piece.chars() {
            let step = advance(sign, style);
            if used + step > limit && end > start && sign != ' ' {
                lines.push(start..end);
                (start, used) = (end, 0.0);
            }
            end += sign.len_utf8();
            used += step;
        }
    }
    lines.push(start..end);
}

/// Splits a text where a line may break: after spaces, and around Chinese characters but not before closing marks.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (at, sign) in text.char_indices() {
        let open = before.is_some_and(|before| {
            (before == ' ' && sign != ' ') || ((is_wide(before) || is_wide(sign)) && !closes(sign) && !opens(before))
        });
        if open && at > start {
            pieces.push(&text[start..at]);
            start = at;
        }
        before = Some(sign);
    }
    pieces.push(&text[start..]);
    pieces
}

fn is_wide(sign: char) -> bool {
    matches!(sign, '\u{2e80}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

fn closes(sign: char) -> bool {
    "，。！？：；、）》】」』”’…,.!?:;)%".contains(sign)
}

fn opens(sign: char) -> bool {
    "（《【「『“‘(￥¥".contains(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: Style = Style { size: 40.0, bold: false };

    #[test]
    fn latin_breaks_at_spaces_and_chinese_anywhere_but_before_a_closing_mark() {
        let limit = width("Sign in", BODY) + 1.0;
        assert_eq!(wrap("Sign in now", BODY, limit, 9), ["Sign in", "now"]);
        let limit = width("忘记密码", BODY) + 1.0;
        assert_eq!(wrap("忘记密码？请联系", BODY, limit, 9), ["忘记密", "码？请联", "系"]);
    }

    #[test]
    fn what_does_not_fit_ends_in_dots() {
        let limit = width("Sign in", BODY);
        let lines = wrap("Sign in now and stay", BODY, limit, 1);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].ends_with("..."), "{lines:?}");
        assert!(width(&lines[0], BODY) <= limit);
    }
}
