//! The README says what the program does.

use crate::support::Test;

#[test]
fn the_table_of_tools_is_the_programs_own() {
    let readme = include_str!("../../README.md");
    let (_, rest) = readme.split_once("<!-- tools -->\n").expect("the table begins");
    let (table, _) = rest.split_once("<!-- /tools -->").expect("the table ends");
    let printed = Test::new(&["tools", "--format", "markdown"]).run().code(0).stdout;
    assert!(table == printed, "put the output of `uixt tools --format markdown` into the README");
}

#[test]
fn every_command_is_in_the_readme() {
    let readme = include_str!("../../README.md");
    let help = Test::new(&["--help"]).run().code(0).stdout;
    let (_, commands) = help.split_once("Commands:\n").expect("a list of commands");
    let names =
        commands.lines().take_while(|line| line.starts_with("  ")).filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| *name != "help") {
        assert!(readme.contains(&format!("`uixt {name}")), "`uixt {name}` is not in the README");
    }
}
