//! Which files are searched, and which are not.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;
use uixt_code::{Filter, Folder, Found, Limits, Outline, Query, outline, search};

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), files);
    folder
}

fn limits() -> Limits {
    Limits::after(Duration::from_mins(10))
}

fn query(pattern: &str, filter: Filter, context: usize, most: usize) -> Query {
    Query { pattern: pattern.to_owned(), filter, context, most }
}

fn all(hidden: bool) -> Filter {
    Filter::new(None, hidden).expect("a filter")
}

fn found(folder: &Path, path: &str, query: &Query) -> Found<String> {
    let folder = Folder::open(folder).expect("a folder");
    search(&folder, Path::new(path), query, &limits()).expect("searched")
}

/// Returns the files in which there is a match.
fn files(folder: &Path, path: &str, filter: Filter) -> Vec<String> {
    let found = found(folder, path, &query("needle", filter, 0, 1000));
    found.items.into_iter().map(|(file, _)| file.to_string_lossy().into_owned()).collect()
}

#[test]
fn what_gits_rules_leave_out_is_not_searched_unless_it_is_named() {
    let folder = folder(&[
        (".gitignore", "*.log\n/build/\n!kept.log\n"),
        ("a.txt", "needle"),
        ("b.log", "needle"),
        ("kept.log", "needle"),
        ("build/c.txt", "needle"),
        ("sub/.gitignore", "*.txt\n!*.md\n"),
        ("sub/d.txt", "needle"),
        ("sub/e.log", "needle"),
        ("sub/deep/f.txt", "needle"),
        ("sub/g.md", "needle"),
        (".hidden/h.txt", "needle"),
        (".git/i.txt", "needle"),
    ]);
    assert_eq!(files(folder.path(), "", all(false)), ["a.txt", "kept.log", "sub/g.md"]);
    assert_eq!(files(folder.path(), "", all(true)), [".hidden/h.txt", "a.txt", "kept.log", "sub/g.md"]);
    assert_eq!(files(folder.path(), "sub", all(false)), ["sub/g.md"], "the rules above hold, too");
    assert_eq!(files(folder.path(), "b.log", all(false)), ["b.log"]);
    let of = |glob: &str| files(folder.path(), "", Filter::new(Some(glob), false).expect("a glob"));
    assert_eq!(
        (of("*.md"), of("!*.md")),
        (vec!["sub/g.md".to_owned()], vec!["a.txt".to_owned(), "kept.log".to_owned()])
    );
    assert_eq!(of("sub/**"), ["sub/g.md"]);
}

#[test]
fn no_link_leads_out_and_none_is_followed_on_the_way() {
    let outside = folder(&[("secret.txt", "needle"), ("sub/secret.txt", "needle")]);
    let folder = folder(&[("a/real.txt", "needle"), ("b/x.txt", "none")]);
    symlink(outside.path(), folder.path().join("out")).expect("a link");
    symlink(outside.path().join("secret.txt"), folder.path().join("secret.txt")).expect("a link");
    symlink(folder.path().join("a"), folder.path().join("again")).expect("a link");
    symlink(folder.path(), folder.path().join("a/ring")).expect("a link");
    assert_eq!(files(folder.path(), "", all(true)), ["a/real.txt"]);
    let opened = Folder::open(folder.path()).expect("a folder");
    let searched = |path: &str| search(&opened, Path::new(path), &query("needle", all(false), 0, 9), &limits());
    // Whoever puts a link where a folder was, after its path was looked at.
    fs::rename(folder.path().join("b"), folder.path().join("c")).expect("moved");
    symlink(outside.path().join("sub"), folder.path().join("b")).expect("a link");
    for path in ["out", "out/secret.txt", "secret.txt", "b/secret.txt", "b"] {
        let refused = searched(path).expect_err("refused").to_string();
        assert!(refused.starts_with(&format!("cannot read {path}")), "{refused}");
    }
}

#[test]
fn what_cannot_be_searched_is_named() {
    let folder = folder(&[("a.txt", "needle"), ("b.bin", "needle\0"), ("dir/c.txt", "\u{feff}needle")]);
    fs::File::create(folder.path().join("large.txt")).expect("a file").set_len((64 << 20) + 1).expect("a length");
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status();
    let found = found(folder.path(), "", &query("needle", all(false), 0, 9));
    let skipped: Vec<_> = found.skipped.iter().map(|one| (one.file.display().to_string(), one.why.as_str())).collect();
    assert_eq!(skipped, [("b.bin".to_owned(), "binary"), ("large.txt".to_owned(), "larger than 64 MiB")]);
    assert_eq!((found.files, found.skipped_count, found.is_cut_off), (2, 2, false));
    if made.is_ok_and(|status| status.success()) {
        let opened = Folder::open(folder.path()).expect("a folder");
        let refused = search(&opened, Path::new("pipe"), &query("a", all(false), 0, 9), &limits()).expect_err("a pipe");
        assert_eq!(refused.to_string(), "cannot read pipe: it is a device or a pipe, not a regular file");
    }
}

#[test]
fn the_first_matches_are_told_whatever_thread_finds_them() {
    let text = "needle\nx\nneedle\n";
    let names: Vec<String> = (0..300).map(|n| format!("d{}/e{}/f{n:03}.txt", n % 7, n % 5)).collect();
    let folder = folder(&names.iter().map(|name| (name.as_str(), text)).collect::<Vec<_>>());
    let told = |most: usize| found(folder.path(), "", &query("needle", all(false), 0, most));
    let whole = told(1000);
    assert_eq!((whole.items.len(), whole.has_more, whole.files), (600, false, 300));
    assert!(whole.items.is_sorted_by(|(a, _), (b, _)| a <= b));
    for most in [1, 2, 3, 17, 599, 600] {
        let found = told(most);
        assert_eq!(found.items, whole.items[..most], "{most}");
        assert_eq!(found.has_more, most < 600, "{most}");
    }
}

#[test]
fn lines_around_a_match_are_told_once() {
    let lines: Vec<String> = (1..=20)
        .map(|n| if [5, 6, 9, 20].contains(&n) { format!("needle {n}") } else { format!("line {n}") })
        .collect();
    let folder = folder(&[("a.txt", &lines.join("\r\n"))]);
    let found = found(folder.path(), "a.txt", &query("needle", all(false), 2, 9));
    let told: Vec<&str> = found.items.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        told,
        [
            "Line 3- line 3\nLine 4- line 4\nLine 5: needle 5",
            "Line 6: needle 6\nLine 7- line 7\nLine 8- line 8",
            "Line 9: needle 9\nLine 10- line 10\nLine 11- line 11",
            "Line 18- line 18\nLine 19- line 19\nLine 20: needle 20",
        ]
    );
}

#[test]
fn a_search_ends_when_its_time_is_over_or_nobody_waits() {
    let folder = folder(&[("a/b.txt", "needle"), ("c.txt", "needle"), ("d.rs", "fn d() {}")]);
    let opened = Folder::open(folder.path()).expect("a folder");
    let over = Limits::after(Duration::ZERO);
    let cancelled = limits();
    drop(cancelled.cancel());
    for limits in [over, cancelled] {
        let found = search(&opened, Path::new(""), &query("needle", all(false), 0, 9), &limits).expect("searched");
        assert!(found.is_cut_off && found.items.is_empty());
        let asked = Outline { filter: all(false), name: None, most: 9 };
        assert!(outline(&opened, Path::new(""), &asked, &limits).expect("read").is_cut_off);
    }
}

#[test]
fn definitions_of_a_folder_are_in_the_order_of_its_files() {
    let folder = folder(&[
        ("src/b.rs", "pub fn one() {}\npub fn two() {}"),
        ("src/a.py", "def one(): pass"),
        ("src/notes.md", "def no(): pass"),
        ("src/c.py", "def \0"),
    ]);
    let opened = Folder::open(folder.path()).expect("a folder");
    let of = |name: Option<&str>, most| {
        let asked = Outline { filter: all(false), name: name.map(str::to_owned), most };
        outline(&opened, Path::new("src"), &asked, &limits()).expect("read")
    };
    let names = |found: &Found<uixt_code::Definition>| -> Vec<(PathBuf, String)> {
        found.items.iter().map(|(file, one)| (file.clone(), one.name.clone())).collect()
    };
    let whole = of(None, 9);
    assert_eq!(
        names(&whole),
        [
            ("src/a.py".into(), "one".to_owned()),
            ("src/b.rs".into(), "one".to_owned()),
            ("src/b.rs".into(), "two".to_owned()),
        ]
    );
    assert_eq!((whole.files, whole.skipped[0].why.as_str()), (2, "binary"));
    assert_eq!((of(None, 2).items.len(), of(None, 2).has_more), (2, true));
    assert_eq!(names(&of(Some("tw"), 9)), [("src/b.rs".into(), "two".to_owned())]);
}

/// Returns file and line of what ripgrep prints.
fn place(line: &str) -> String {
    let mut parts = line.splitn(3, ':');
    format!("{}:{}", parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

#[test]
fn ripgrep_finds_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates");
    for pattern in [
        "fn .*\\(",
        "^use ",
        "\\s$",
        "[^a-z]limits?\\b",
        "(?i)TODO",
        "é|录",
        "\\bpub\\b.*\\bfn\\b",
        "^$",
        "\"[^\"]*\"\\s*=>",
    ] {
        let run = Command::new("rg")
            .args(["-n", "--no-heading", "--no-config", "--sort", "path", "--crlf", "-e", pattern])
            .current_dir(root)
            .output();
        let Ok(run) = run else {
            println!("skipped: there is no ripgrep (rg)");
            return;
        };
        let theirs: BTreeSet<String> = String::from_utf8_lossy(&run.stdout).lines().map(place).collect();
        let own = found(root, "", &query(pattern, all(false), 0, 1_000_000));
        let number = |text: &str| text.trim_start_matches("Line ").split(':').next().unwrap_or_default().to_owned();
        let own = own.items.iter().map(|(file, text)| format!("{}:{}", file.display(), number(text)));
        let own: BTreeSet<String> = own.collect();
        let differing: Vec<_> = own.symmetric_difference(&theirs).take(5).collect();
        assert!(differing.is_empty(), "{pattern}: {} and {}: {differing:?}", own.len(), theirs.len());
    }
}
