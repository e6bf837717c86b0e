//! Inputs that nobody sends → what a parser does with them: found by changing good ones at random, the same way in every run.
//!
//! `UIXT_FUZZ_SECONDS` says how long each parser is tried, 1 by default. An input that a parser dies of is kept under
//! `tests/corpus/<name>` and tried first from then on.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::Once;
use std::time::{Duration, Instant};

use fastrand::Rng;

/// Bytes of an input at most.
const MAX_LEN: usize = 256 * 1024;
/// How long one input may take of the processor, which a busy machine gives late.
const SLOWEST: Duration = Duration::from_secs(5);
/// Pieces that parsers are known to stumble over.
const PIECES: [&[u8]; 24] = [
    b"\0",
    b"\r\n",
    b"\n",
    b" ",
    b"\xff\xfe",
    b"\xf0\x9f\x98\x80",
    b"\xe2\x80\xae",
    b"\xed\xa0\xbd",
    b"&#55357;",
    b"&#0;",
    b"&#x110000;",
    b"99999999999999999999",
    b"-1",
    b"0",
    b"+7",
    b"u0 ",
    b"}",
    b"=",
    b":",
    b"/",
    b"]",
    b"\"",
    b"Display: mDisplayId=0\n",
    b"WARNING: linker: x\n",
];

thread_local! {
    /// Panics of this thread: those of a runtime's tasks are caught by it, and seen nowhere else.
    static PANICS: Cell<u64> = const { Cell::new(0) };
}

fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.set(PANICS.get() + 1);
            told(panic);
        }));
    });
}

/// Tries a parser on what is kept of it, and then on changed seeds until the time is over.
pub fn try_on(name: &str, seeds: &[Vec<u8>], check: impl Fn(&[u8])) {
    assert!(!seeds.is_empty(), "{name}: nothing to change");
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(name);
    count_panics();
    for kept in std::fs::read_dir(&folder).into_iter().flatten() {
        let path = kept.unwrap().path();
        check(&std::fs::read(&path).unwrap());
        assert_eq!(PANICS.get(), 0, "{name}: a task died of {}", path.display());
    }
    let seconds = std::env::var("UIXT_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(1);
    let (begin, mut tried) = (Instant::now(), 0_u64);
    while begin.elapsed() < Duration::from_secs(seconds) {
        let input = changed(&mut Rng::with_seed(tried), seeds);
        let before = spent(begin);
        let tested = catch_unwind(AssertUnwindSafe(|| check(&input)));
        let took = spent(begin).saturating_sub(before);
        let too_slow = took > SLOWEST;
        if PANICS.get() > 0 || too_slow {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(format!("seed-{tried}")), &input).unwrap();
        }
        assert!(!too_slow, "{name}: seed {tried} took {took:?}");
        tested.unwrap_or_else(|panic| resume_unwind(panic));
        assert_eq!(PANICS.get(), 0, "{name}: a task died of seed {tried}");
        tried += 1;
    }
    eprintln!("{name}: {tried} inputs in {seconds} s");
    assert!(tried > 5, "{name}: only {tried} inputs in {seconds} s");
}

/// Returns the time for which this thread was at work, as Linux tells it; elsewhere, the time since `begin`.
fn spent(begin: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| begin.elapsed(), Duration::from_nanos)
}

/// Returns a seed with a few changes, the same for the same generator.
fn changed(rng: &mut Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut input = seeds[rng.usize(..seeds.len())].clone();
    for _ in 0..rng.usize(1..=6) {
        let other = rng.usize(..seeds.len());
        change(rng, &mut input, &seeds[other]);
        input.truncate(MAX_LEN);
    }
    input
}

fn change(rng: &mut Rng, input: &mut Vec<u8>, other: &[u8]) {
    let piece = range(rng, input.len());
    match rng.u8(..9) {
        0 => input.truncate(piece.start),
        1 => drop(input.drain(piece)),
        2 => drop(input.splice(piece, other[range(rng, other.len())].iter().copied())),
        3 => drop(input.splice(piece.start..piece.start, PIECES[rng.usize(..PIECES.len())].iter().copied())),
        4 => input[piece].iter_mut().take(8).for_each(|byte| *byte = rng.u8(..)),
        5 => swap_lines(rng, input),
        6 => {
            let times = if rng.u8(..20) == 0 { 20_000 } else { rng.usize(1..20) };
            let copy = input[piece.clone()].iter().copied().cycle().take((times * piece.len()).min(MAX_LEN));
            let copy: Vec<u8> = copy.collect();
            drop(input.splice(piece.start..piece.start, copy));
        }
        7 => input[piece].iter_mut().filter(|byte| byte.is_ascii_digit()).for_each(|byte| *byte = rng.u8(b'0'..=b'9')),
        _ => input.retain(|byte| *byte != b'\n' || rng.bool()),
    }
}

/// Returns a part, more often a short one.
fn range(rng: &mut Rng, length: usize) -> std::ops::Range<usize> {
    let start = rng.usize(..=length);
    let longest = if rng.bool() { 16 } else { length };
    start..(start + rng.usize(..=longest)).min(length)
}

fn swap_lines(rng: &mut Rng, input: &mut Vec<u8>) {
    let mut lines: Vec<&[u8]> = input.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.len() > 1 {
        let (a, b) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
        lines.swap(a, b);
    }
    *input = lines.concat();
}
