//! UI instances: made by tools, used in the page.

use crate::counterparts::program;
use crate::samples::{folder, load};
use crate::support::Test;

#[test]
fn what_a_person_does_in_the_page_and_what_tools_do_is_the_same_instance() {
    program("chromium");
    let cases = load("testcases/ui");
    assert!(!cases.is_empty());
    let path = folder("testcases/ui").display().to_string();
    let test = Test::new(&["run", &path, "--no-skip", "--report-dir", "r"]);
    let data = test.path("data");
    let output =
        test.command().env("UIXT_DATA_DIR", data).env_remove("UIXT_BROWSER").output().expect("the program starts");
    test.ran(&output).code(0);
}
