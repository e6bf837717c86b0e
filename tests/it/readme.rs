//! The READMEs say what the program does, in both languages.

use crate::support::Test;

const ENGLISH: &str = include_str!("../../README.md");
const CHINESE: &str = include_str!("../../README.zh-CN.md");

/// Returns the table of tools.
#[track_caller]
fn table(readme: &'static str) -> &'static str {
    let (_, rest) = readme.split_once("<!-- tools -->\n").expect("the table begins");
    let (table, _) = rest.split_once("<!-- /tools -->").expect("the table ends");
    table
}

/// Returns name, description and arguments of each tool.
#[track_caller]
fn tools(readme: &'static str) -> Vec<[&'static str; 3]> {
    let cells = |line: &'static str| {
        let inner = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")).expect("a row");
        let cells: Vec<&str> = inner.split(" | ").collect();
        cells.try_into().unwrap_or_else(|_| panic!("three cells: {line}"))
    };
    table(readme).lines().skip(2).map(cells).collect()
}

/// Returns the levels of the headings, and the blocks of code with their languages.
fn shape(readme: &'static str) -> (Vec<usize>, Vec<(&'static str, String)>) {
    let (mut headings, mut blocks, mut open) = (Vec::new(), Vec::<(&str, String)>::new(), false);
    for line in readme.lines() {
        match (line.strip_prefix("```"), open) {
            (Some(_), true) => open = false,
            (Some(language), false) => {
                open = true;
                blocks.push((language, String::new()));
            }
            (None, true) => {
                let (_, text) = blocks.last_mut().expect("a block");
                text.push_str(line);
                text.push('\n');
            }
            (None, false) if line.starts_with('#') => {
                headings.push(line.bytes().take_while(|byte| *byte == b'#').count());
            }
            (None, false) => {}
        }
    }
    (headings, blocks)
}

/// Returns the blocks of code in a language.
fn written(readme: &'static str, language: &str) -> Vec<String> {
    shape(readme).1.into_iter().filter(|(written, _)| *written == language).map(|(_, text)| text).collect()
}

/// Returns a testcase that holds an example.
fn whole(example: &str) -> String {
    match (example.contains("teststeps:"), example.starts_with("config:")) {
        (true, _) => example.to_owned(),
        (false, true) => format!("{example}teststeps:\n- home:\n"),
        (false, false) => format!("teststeps:\n{example}"),
    }
}

#[test]
fn the_table_of_tools_is_the_programs_own() {
    let printed = Test::new(&["tools", "--format", "markdown"]).run().code(0).stdout;
    assert!(table(ENGLISH) == printed, "put the output of `uixt tools --format markdown` into the README");
}

#[test]
fn the_chinese_table_has_the_same_tools() {
    let (english, chinese) = (tools(ENGLISH), tools(CHINESE));
    for ([name, description, arguments], [also, translated, same]) in english.iter().zip(&chinese) {
        assert_eq!((name, arguments), (also, same), "put the row of {name} into README.zh-CN.md, in Chinese");
        assert_ne!(description, translated, "{name} is not translated in README.zh-CN.md");
    }
    let names = |tools: &[[&'static str; 3]]| tools.iter().map(|[name, ..]| *name).collect::<Vec<_>>();
    assert_eq!(names(&english), names(&chinese), "README.zh-CN.md has other tools");
}

#[test]
fn both_readmes_have_the_same_sections_and_examples() {
    let (english, chinese) = (shape(ENGLISH), shape(CHINESE));
    assert_eq!(english.0, chinese.0, "levels of the headings");
    let languages =
        |blocks: &[(&'static str, String)]| blocks.iter().map(|(language, _)| *language).collect::<Vec<_>>();
    assert_eq!(languages(&english.1), languages(&chinese.1), "languages of the blocks of code");
}

#[test]
fn the_examples_are_testcases() {
    for readme in [ENGLISH, CHINESE] {
        let helpers = "def prepare(app): pass\ndef login(): return 'token'\n";
        let (servers, examples) = (written(readme, "json"), written(readme, "yaml"));
        let (definitions, examples): (Vec<String>, Vec<String>) =
            examples.into_iter().partition(|example| example.starts_with("# definitions/notes.yaml\n"));
        let servers = servers.iter().find(|example| example.contains("notes.py")).expect("a file of servers");
        let check = ["check", "examples", "--definitions", "definitions"];
        let mut test = Test::new(&check).file("examples/helpers.py", helpers);
        test = test.file("definitions/notes.yaml", &definitions[0]);
        test = test.file("examples/mcp.json", servers);
        assert!(examples.len() > 5, "{} examples", examples.len());
        for (number, example) in examples.iter().enumerate() {
            // Others refer to the first one.
            let name = if number == 0 { "login".to_owned() } else { number.to_string() };
            test = test.file(&format!("examples/{name}.yaml"), whole(example));
        }
        test.run().code(0);
    }
}

#[test]
fn every_command_is_in_both_readmes() {
    let help = Test::new(&["--help"]).run().code(0).stdout;
    let (_, commands) = help.split_once("Commands:\n").expect("a list of commands");
    let names =
        commands.lines().take_while(|line| line.starts_with("  ")).filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| *name != "help") {
        for readme in [ENGLISH, CHINESE] {
            assert!(readme.contains(&format!("`uixt {name}")), "`uixt {name}` is not in a README");
        }
    }
}
