//! A regular expression → one that never matches over the end of a line, so that a whole piece of a file is searched at once.

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Capture, Class, Hir, HirKind, Look, Repetition, print::Printer};

use crate::Refused;

/// Longest pattern, in bytes.
const LONGEST: usize = 10_000;

/// Most bytes of what is made of a pattern before it is searched for.
const SIZE: usize = 10 << 20;

/// Tells what is wrong with a pattern.
pub fn check(pattern: &str) -> Result<(), Refused> {
    of_lines(pattern).map(|_| ())
}

/// Reads a pattern whose `^` and `$` are the ends of lines, as are `\A` and `\z`.
pub(crate) fn of_lines(pattern: &str) -> Result<Regex, Refused> {
    let refused = |why: String| Refused::new(format!("the regular expression `{}` {why}", clip(pattern)));
    if pattern.len() > LONGEST {
        return Err(refused(format!("is longer than {LONGEST} bytes")));
    }
    let parsed = ParserBuilder::new().utf8(false).multi_line(true).crlf(true).build().parse(pattern);
    let parsed = parsed.map_err(|error| refused(format!("cannot be read: {}", last_line(&error.to_string()))))?;
    let Some(narrowed) = within_line(parsed).map(decisive) else {
        return Err(refused("is for several lines (`\\n`): each line is searched by itself".to_owned()));
    };
    let mut written = String::new();
    let made = Printer::new().print(&narrowed, &mut written).map_err(|error| refused(error.to_string()));
    made.and_then(|()| {
        let built = RegexBuilder::new(&written).size_limit(SIZE).dfa_size_limit(8 << 20).build();
        built.map_err(|error| match error {
            regex::Error::CompiledTooBig(size) => {
                refused(format!("needs more than {} MiB: repeat less, or smaller classes", size >> 20))
            }
            error => refused(format!("cannot be read: {}", last_line(&error.to_string()))),
        })
    })
}

/// Takes from both ends what does not decide whether a line matches: of `.*a\w+`, `a\w` is left, which is found many times faster.
fn decisive(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Capture(capture) => decisive(*capture.sub),
        HirKind::Repetition(repetition) => least(repetition),
        HirKind::Concat(mut parts) => {
            while let Some(Repetition { min: 0, .. }) = parts.first().and_then(repetition) {
                parts.remove(0);
            }
            while let Some(Repetition { min: 0, .. }) = parts.last().and_then(repetition) {
                parts.pop();
            }
            let last = parts.len().saturating_sub(1);
            let part = |(at, part): (usize, Hir)| if at == 0 || at == last { decisive(part) } else { part };
            Hir::concat(parts.into_iter().enumerate().map(part).collect())
        }
        kind => rebuilt(kind),
    }
}

fn repetition(hir: &Hir) -> Option<&Repetition> {
    match hir.kind() {
        HirKind::Repetition(repetition) => Some(repetition),
        _ => None,
    }
}

/// Repeats no more often than must be.
fn least(repetition: Repetition) -> Hir {
    let max = Some(repetition.min);
    if repetition.min == 0 { Hir::empty() } else { Hir::repetition(Repetition { max, ..repetition }) }
}

fn rebuilt(kind: HirKind) -> Hir {
    match kind {
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Alternation(parts) => Hir::alternation(parts),
        _ => Hir::empty(),
    }
}

/// Takes the ends of lines out of classes; none where one is asked for by itself.
fn within_line(hir: Hir) -> Option<Hir> {
    Some(match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => return None,
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(without_ends(class)?),
        HirKind::Look(Look::Start) => Hir::look(Look::StartCRLF),
        HirKind::Look(Look::End) => Hir::look(Look::EndCRLF),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            Hir::repetition(Repetition { min, max, greedy, sub: Box::new(within_line(*sub)?) })
        }
        HirKind::Capture(Capture { index, name, sub }) => {
            Hir::capture(Capture { index, name, sub: Box::new(within_line(*sub)?) })
        }
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(within_line).collect::<Option<_>>()?),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(within_line).collect::<Option<_>>()?),
    })
}

/// Returns a class without the ends of lines; none of one that holds nothing else.
fn without_ends(class: Class) -> Option<Class> {
    use regex_syntax::hir::{ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange};
    let holds = |class: &Class| match class {
        Class::Unicode(class) => !class.ranges().is_empty(),
        Class::Bytes(class) => !class.ranges().is_empty(),
    };
    let had = holds(&class);
    let class = match class {
        Class::Unicode(mut class) => {
            class.difference(&ClassUnicode::new(['\n', '\r'].map(|sign| ClassUnicodeRange::new(sign, sign))));
            Class::Unicode(class)
        }
        Class::Bytes(mut class) => {
            class.difference(&ClassBytes::new([b'\n', b'\r'].map(|byte| ClassBytesRange::new(byte, byte))));
            Class::Bytes(class)
        }
    };
    (!had || holds(&class)).then_some(class)
}

/// Returns what an error says of its cause, without the picture before it.
fn last_line(error: &str) -> &str {
    let last = error.lines().last().unwrap_or_default().trim();
    last.strip_prefix("error: ").unwrap_or(last)
}

fn clip(pattern: &str) -> String {
    match pattern.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &pattern[..end]),
        None => pattern.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_decide_is_left_out() {
        for (pattern, left) in [
            (".*needle.*", "needle"),
            ("(.*)(needle)", "needle"),
            ("[^x]*needle", "needle"),
            ("a+needle[0-9]{2,}", "aneedle[0-9]{2}"),
            ("def.*", "def"),
            ("^a*b", "^a*b"),
            (r"\ba*b\b", r"\ba*b\b"),
            ("a*|b*", "a*|b*"),
            (".*", ""),
        ] {
            let [narrowed, left] = [pattern, left].map(|pattern| of_lines(pattern).expect("a pattern"));
            let whole = ParserBuilder::new().utf8(false).multi_line(true).crlf(true).build();
            let written = |pattern: &Regex| whole.clone().parse(pattern.as_str()).expect("a pattern").to_string();
            assert_eq!(written(&narrowed), written(&left), "{pattern}");
        }
    }

    #[test]
    fn patterns_are_bounded_and_refused_in_a_sentence() {
        let said = |pattern: &str| of_lines(pattern).expect_err("refused").to_string();
        assert_eq!(said("(a"), "the regular expression `(a` cannot be read: unclosed group");
        assert!(said("(?=a)b").contains("look-around"), "{}", said("(?=a)b"));
        assert!(
            said("((a{1000}){1000}){1000}").contains("needs more than 10 MiB"),
            "{}",
            said("((a{1000}){1000}){1000}")
        );
        assert!(said(&"a".repeat(10_001)).contains("longer than 10000 bytes"));
        assert_eq!(
            said(r"a\nb"),
            r"the regular expression `a\nb` is for several lines (`\n`): each line is searched by itself"
        );
    }
}
