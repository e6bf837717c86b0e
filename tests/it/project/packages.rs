//! What is packaged has the program's version.

use std::path::Path;
use std::process::Command;

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn packages_and_the_page_on_installing_have_the_version_of_the_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let told = Command::new("python3").args(["packaging/stamp.py", "--version"]).current_dir(root).output();
    let told = told.expect("Python starts");
    assert_eq!(String::from_utf8_lossy(&told.stdout).trim(), VERSION, "{}", String::from_utf8_lossy(&told.stderr));
    for page in ["docs/installing.md", "docs/zh/installing.md"] {
        let text = std::fs::read_to_string(root.join(page)).expect("a page");
        for named in ["uixt_VERSION-1_amd64.deb", "uixt-VERSION-x86_64-unknown-linux-gnu.tar.gz", "uixt-VERSION.tgz"] {
            let named = named.replace("VERSION", VERSION);
            assert!(text.contains(&named), "{page} does not name {named}");
        }
    }
    let changes = std::fs::read_to_string(root.join("CHANGELOG.md")).expect("the changes");
    assert!(changes.starts_with(&format!("# Changes\n\n## {VERSION}\n")), "the newest changes are of another version");
}
