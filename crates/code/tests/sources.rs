//! What the sources in `sources/` define, held to what stands in `sources/expected.txt` (`UIXT_BLESS=1` writes it), and where there is one
//! to universal-ctags.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources")
}

fn sources() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder").map(|entry| entry.expect("an entry").path());
    let mut sources: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end != "txt")).collect();
    sources.sort();
    sources
}

fn defined(path: &Path) -> uixt_code::Defined {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    uixt_code::define(&name, &std::fs::read(path).expect("a source")).expect("a language")
}

#[test]
fn each_language_has_a_source_whose_definitions_are_known() {
    let (mut told, mut languages) = (String::new(), BTreeSet::new());
    for path in sources() {
        let defined = defined(&path);
        assert!(defined.is_whole && languages.insert(defined.language), "{}", path.display());
        writeln!(told, "{}: {}", path.file_name().expect("a name").to_string_lossy(), defined.language)
            .expect("a text");
        for one in defined.definitions {
            let of = one.parent.map(|parent| format!(" of {parent}")).unwrap_or_default();
            writeln!(told, "  {}: {} {}{of} | {}", one.line, one.kind, one.name, one.signature).expect("a text");
        }
    }
    let expected = folder().join("expected.txt");
    if std::env::var_os("UIXT_BLESS").is_some() {
        std::fs::write(&expected, &told).expect("it is written");
    }
    let expected = std::fs::read_to_string(expected).expect("what is expected");
    for (line, wanted) in told.lines().zip(expected.lines()) {
        assert_eq!(line, wanted);
    }
    assert_eq!(told.lines().count(), expected.lines().count());
    assert_eq!(languages, uixt_code::languages().into_iter().collect::<BTreeSet<_>>());
}

/// Names of files in each language.
const NAMES: [&str; 14] = [
    "a.rs", "a.py", "a.go", "a.java", "a.kt", "a.swift", "a.js", "a.ts", "a.ets", "a.c", "a.cpp", "a.cs", "a.rb",
    "a.php",
];

#[test]
fn a_source_may_end_anywhere() {
    for path in sources() {
        let (name, source) =
            (path.file_name().expect("a name").to_string_lossy(), std::fs::read(&path).expect("a source"));
        for end in (0..source.len()).step_by(7) {
            let halves = [&source[..end], &source[end..]];
            assert!(halves.iter().all(|half| uixt_code::define(&name, half).is_some()), "{name} {end}");
        }
    }
}

#[test]
fn what_is_written_to_hurt_takes_no_longer_than_its_length() {
    let pieces = [
        "(",
        "{",
        "[",
        "class a ",
        "fn a ",
        "struct a ",
        "typedef a ",
        "/",
        "a=/[",
        "####\"",
        "%q(",
        "<",
        "a<",
        "#if a\n",
        "#if a\n{",
        "<<<A\n",
        "<<~A\n",
        "#a /*\n",
        "const a:",
        "a(",
        "a=",
        "\"${",
        "r#",
        "using a=",
        "operator ",
        "@a(",
        "func ",
        "def a ",
        "new a(){",
        "a::",
        "`${`",
        "x?\"",
        "impl ",
        "R\"a(",
        "namespace a.",
        "type a<",
        "'",
        "\"",
        "/*",
    ];
    for name in NAMES {
        for piece in pieces {
            let start = if name == "a.php" { "<?php " } else { "" };
            let source = start.to_owned() + &piece.repeat(8_000 / piece.len());
            let defined = uixt_code::define(name, source.as_bytes()).expect("a language");
            assert!(defined.definitions.len() <= 20_000, "{name} {piece}");
        }
    }
}

/// The languages that ctags 5.9 knows, with its kinds that are compared.
const KNOWN: &[(&str, &str)] = &[
    ("Rust", "nsicgftPM"),
    ("Python", "cfm"),
    ("Go", "ftsi"),
    ("Java", "cgim"),
    ("Kotlin", "ciomT"),
    ("JavaScript", "fcmg"),
    ("C", "fsugtd"),
    ("C++", "fcsugtnd"),
    ("C#", "cgimns"),
    ("Ruby", "cfmS"),
    ("PHP", "cfit"),
];

/// Returns name and line of what ctags finds; none where it is not there.
fn tags(path: &Path, language: &str) -> Option<BTreeSet<(String, u32)>> {
    let (_, kinds) = KNOWN.iter().find(|(known, _)| *known == language)?;
    let (force, kinds) = (format!("--language-force={language}"), format!("--kinds-{language}={kinds}"));
    let run = Command::new("ctags").args(["-x", "--_xformat=%N\t%n", &force, &kinds]).arg(path).output().ok()?;
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let tag =
        |line: &str| line.split_once('\t').map(|(name, line)| (name.to_owned(), line.parse().unwrap_or_default()));
    run.status.success().then(|| text.lines().filter_map(tag).collect())
}

/// What ctags 5.9 finds in these sources that is none, or has by another name.
const NONE: &[&str] =
    &["Local", "lock", "[Symbol.iterator]", "quoted name", "Nor", "no", "not_this", "Vec", "elsewhere"];

#[test]
fn nothing_is_missed_that_ctags_finds() {
    let version = Command::new("ctags").arg("--version").output();
    if !version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).contains("Universal Ctags")) {
        println!("skipped: there is no universal-ctags");
        return;
    }
    let mut missed = Vec::new();
    for path in sources() {
        let (defined, source) = (defined(&path), std::fs::read_to_string(&path).expect("a source"));
        let own: BTreeSet<String> =
            defined.definitions.iter().map(|one| one.name.replace("operator ", "operator")).collect();
        for (name, line) in tags(&path, defined.language).unwrap_or_default() {
            let name = name.replace("operator ", "operator");
            let last = name.rsplit(['.', '\\', ':']).next().unwrap_or(&name).trim_matches('`');
            let is_own = [name.as_str(), last].iter().any(|name| own.contains(*name));
            // Of a name between backquotes ctags 5.9 tells whatever lies in its memory.
            let at = usize::try_from(line).expect("a number").saturating_sub(1);
            let is_quoted = source.lines().nth(at).is_some_and(|line| line.contains('`'));
            let is_none = is_quoted
                || !name.is_ascii()
                || name.contains("anon")
                || name.contains("Anonymous")
                || name == "<lambda>"
                || NONE.contains(&name.as_str());
            if !is_own && !is_none {
                missed.push(format!("{}:{line} {name}", path.display()));
            }
        }
    }
    assert!(missed.is_empty(), "\n{}", missed.join("\n"));
}
