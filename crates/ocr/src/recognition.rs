//! What the second model says of each step along a line → its text. Source: `PaddleOCR`'s `CTCLabelDecode`.

/// A text, and which part of the line it takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Read {
    pub(crate) text: String,
    /// From 0 to 1: how sure the model is of the characters, on average.
    pub(crate) confidence: f32,
    /// Where it begins and ends, from 0 to 1 along the line.
    pub(crate) from: f32,
    pub(crate) to: f32,
}

/// How much less sure two readings are that do not agree.
const DOUBT: f32 = 0.8;

/// Returns the surer of two readings of one line. Where they differ, neither is as sure as it says; and one sign alone is easily some
/// shape, so that it must be surer than more of them.
pub(crate) fn better(first: Read, second: Read) -> Read {
    let doubt = if first.text == second.text { 1.0 } else { DOUBT };
    let best = if second.confidence > first.confidence { second } else { first };
    let alone = if best.text.chars().nth(1).is_none() { best.confidence } else { 1.0 };
    Read { confidence: best.confidence * doubt * alone, ..best }
}

/// Tells whether a sign at a line's edge is an icon beside the text, such as the arrow that leads back.
fn is_icon(sign: &str) -> bool {
    sign.chars()
        .all(|sign| sign == ' ' || matches!(u32::from(sign), 0x2190..=0x21ff | 0x2300..=0x27bf | 0x2b00..=0x2bff))
}

/// Reads the steps of a line; `steps` holds a row of numbers for each. Icons at its ends are left out, unless it is but icons.
pub(crate) fn decode(steps: &[f32], characters: &[String]) -> Read {
    // The first number is for no character, the last for a space.
    let width = characters.len() + 2;
    let count = steps.len() / width;
    let mut signs: Vec<(&str, f32, usize)> = Vec::new();
    let mut last = 0;
    for (step, row) in steps.chunks_exact(width).enumerate() {
        let (best, sure) = row
            .iter()
            .copied()
            .enumerate()
            .fold((0, f32::MIN), |best, (at, value)| if value > best.1 { (at, value) } else { best });
        if best != 0 && best != last {
            signs.push((characters.get(best - 1).map_or(" ", String::as_str), sure, step));
        }
        last = best;
    }
    let is_text = |(sign, ..): &(&str, f32, usize)| !is_icon(sign);
    let (first, end) = match (signs.iter().position(is_text), signs.iter().rposition(is_text)) {
        (Some(first), Some(last)) => (first, last + 1),
        _ => (0, signs.len()),
    };
    // Halfway between a sign that is left out and the next.
    let between = |left: usize, right: usize| (signs[left].2 + signs[right].2 + 1) as f32 / (2 * count) as f32;
    let from = if first > 0 { between(first - 1, first) } else { 0.0 };
    let to = if end < signs.len() { between(end - 1, end) } else { 1.0 };
    let kept = &signs[first..end];
    let sum: f32 = kept.iter().map(|(_, sure, _)| sure).sum();
    let text: String = kept.iter().map(|(sign, ..)| *sign).collect();
    let confidence = if kept.is_empty() { 0.0 } else { sum / kept.len() as f32 };
    Read { text: text.trim().to_owned(), confidence, from, to }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(best: &[usize]) -> Read {
        let characters = ["a", "b", "←"].map(str::to_owned);
        let row = |at: &usize| (0..5).map(|column| if column == *at { 0.8 } else { 0.0 }).collect::<Vec<f32>>();
        decode(&best.iter().flat_map(row).collect::<Vec<f32>>(), &characters)
    }

    #[test]
    fn what_repeats_is_one_character_unless_something_stands_between() {
        let all = read(&[0, 1, 1, 0, 1, 4, 2, 2, 0]);
        assert_eq!((all.text.as_str(), all.from, all.to), ("aa b", 0.0, 1.0));
        assert!((all.confidence - 0.8).abs() < 1e-6);
        assert_eq!((read(&[0, 0]).text.as_str(), read(&[0, 0]).confidence), ("", 0.0));
    }

    #[test]
    fn the_surer_of_two_readings_is_kept_and_doubted_where_they_differ() {
        let read = |text: &str, confidence: f32| Read { text: text.to_owned(), confidence, from: 0.0, to: 1.0 };
        let kept = |first, second| {
            let best = better(first, second);
            (best.text, (best.confidence * 100.0).round() / 100.0)
        };
        assert_eq!(kept(read("51", 0.7), read("51", 0.8)), ("51".to_owned(), 0.8));
        assert_eq!(kept(read("61", 0.8), read("51", 0.75)), ("61".to_owned(), 0.64));
        assert_eq!(kept(read("R", 0.7), read("R", 0.6)), ("R".to_owned(), 0.49));
    }

    #[test]
    fn icons_beside_a_text_are_no_part_of_it() {
        let title = read(&[3, 3, 0, 0, 1, 2, 0, 3]);
        assert_eq!((title.text.as_str(), title.from, title.to), ("ab", 5.0 / 16.0, 13.0 / 16.0));
        assert_eq!(read(&[0, 3, 0]).text, "←");
    }
}
