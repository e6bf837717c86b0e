//! Testcases with pieces cut, doubled and put in at random: whatever comes of it, every error has a place.

use super::*;

const PIECES: [&str; 30] = [
    "$", "${", "}", "{", "[", "]", ":", "- ", "\n", "\t", "\"", "'", "|", ">", "&a ", "*a", "!!str ", "<<: ", "登",
    "\r", "\u{feff}", "#", "? ", "---\n", "\\", "null", "1e9", "$user", "${md5(", "\u{0}",
];

fn mutated(random: &mut fastrand::Rng, text: &str) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..random.usize(1..6) {
        let at = random.usize(0..text.len());
        let end = (at + random.usize(0..8)).min(text.len());
        let to = random.usize(0..text.len());
        let piece: Vec<char> = match random.u8(0..3) {
            0 => PIECES[random.usize(0..PIECES.len())].chars().collect(),
            1 => text[at..end].to_vec(),
            _ => text.drain(at..end).take(0).collect(),
        };
        let to = to.min(text.len());
        text.splice(to..to, piece);
    }
    text.into_iter().collect()
}

#[test]
fn every_error_has_a_place() {
    let mut random = fastrand::Rng::with_seed(7);
    for number in 0..2000 {
        let text = mutated(&mut random, if number % 2 == 0 { LONG } else { SHORT });
        for error in read(&text).err().unwrap_or_default() {
            let span = error.span.unwrap();
            let length = error.line.as_deref().unwrap().chars().count();
            assert!(span.line > 0 && (1..=length + 2).contains(&(span.column as usize)), "{error:?} in {text:?}");
            assert!(error.render(true).contains('^'));
        }
    }
}

#[test]
fn what_loads_can_be_evaluated() {
    let mut random = fastrand::Rng::with_seed(8);
    for _ in 0..1000 {
        let Ok(case) = read(&mutated(&mut random, SHORT)) else { continue };
        let scope = case.scope(&Overrides::default());
        for step in &case.steps {
            let scope = scope.for_step(step);
            for action in step.actions() {
                assert!(scope.evaluate(&action.params).is_ok(), "{action:?}");
            }
        }
    }
}
