//! The README and the pages of docs/ say what the program does, in both languages.

use std::path::{Path, PathBuf};

use uixt_call::arguments;

use crate::support::Test;

/// Returns the README, then the pages by name, in English and in Chinese.
fn pages() -> Vec<(String, [String; 2])> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read =
        |path: PathBuf| std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let names = |folder: &str| {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder").flatten();
        let files = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = files.filter(|name| name != "zh").collect();
        names.sort();
        names
    };
    assert_eq!(names("docs"), names("docs/zh"), "each page is there in both languages");
    let readme = ("README.md".to_owned(), [read(root.join("README.md")), read(root.join("README.zh-CN.md"))]);
    let page = |name: String| {
        let texts = [read(root.join("docs").join(&name)), read(root.join("docs/zh").join(&name))];
        (format!("docs/{name}"), texts)
    };
    [readme].into_iter().chain(names("docs").into_iter().map(page)).collect()
}

/// Returns a page in both languages.
#[track_caller]
fn page(name: &str) -> [String; 2] {
    pages().into_iter().find(|(page, _)| page == name).expect("a page").1
}

/// The tables of tools: those that there are, and other names of theirs.
const TABLES: [&str; 2] = ["tools", "aliases"];

/// Returns a table of tools.
#[track_caller]
fn table<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("<!-- {name} -->\n")).expect("the table begins");
    let (table, _) = rest.split_once(&format!("<!-- /{name} -->")).expect("the table ends");
    table
}

/// Returns the cells of each row of a table.
#[track_caller]
fn rows(table: &str) -> Vec<[&str; 3]> {
    let cells = |line| {
        let inner = str::strip_prefix(line, "| ").and_then(|line| line.strip_suffix(" |")).expect("a row");
        let cells: Vec<&str> = inner.split(" | ").collect();
        cells.try_into().unwrap_or_else(|_| panic!("three cells: {line}"))
    };
    table.lines().skip(2).map(cells).collect()
}

/// Returns the levels of the headings, and the blocks of code with their languages.
fn shape(page: &str) -> (Vec<usize>, Vec<(&str, String)>) {
    let (mut headings, mut blocks, mut open) = (Vec::new(), Vec::<(&str, String)>::new(), false);
    for line in page.lines() {
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
fn written(page: &str, language: &str) -> Vec<String> {
    shape(page).1.into_iter().filter(|(written, _)| *written == language).map(|(_, text)| text).collect()
}

/// Returns a testcase that holds an example.
fn whole(example: &str) -> String {
    match (example.contains("teststeps:"), example.starts_with("config:")) {
        (true, _) => example.to_owned(),
        (false, true) => format!("{example}teststeps:\n- home:\n"),
        (false, false) => format!("teststeps:\n{example}"),
    }
}

/// Marks what is to be translated.
const UNTRANSLATED: &str = "（待译）";

fn blesses() -> bool {
    std::env::var_os("UIXT_BLESS").is_some()
}

/// Puts a text in the place of another one of a page of docs/.
#[track_caller]
fn rewrite(page: &str, old: &str, new: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(&path).expect("a page");
    assert!(text.contains(old), "{page}");
    // Other tests read it meanwhile: the old page or the new one.
    let whole = path.with_extension("new");
    std::fs::write(&whole, text.replacen(old, new, 1)).expect("the page is written");
    std::fs::rename(&whole, &path).expect("the page is put in its place");
}

/// Returns the tables that the program prints.
fn printed() -> [(&'static str, String); 2] {
    let both = Test::new(&["tools", "--all", "--format", "markdown"]).run().code(0).stdout;
    let (tools, aliases) = both.split_once("\n\n").expect("two tables");
    [(TABLES[0], format!("{tools}\n")), (TABLES[1], aliases.to_owned())]
}

/// Returns a Chinese table with the rows of an English one: what is translated stays, what is not is marked.
fn translated(chinese: &str, english: &str) -> String {
    let known = rows(chinese);
    let description = |name: &str| known.iter().find(|row| row[0] == name).map(|row| row[1].to_owned());
    let row = |[name, english, arguments]: [&str; 3]| {
        let told = description(name).unwrap_or_else(|| format!("{UNTRANSLATED}{english}"));
        format!("| {name} | {told} | {arguments} |\n")
    };
    let head = chinese.split_inclusive('\n').take(2);
    head.map(str::to_owned).chain(rows(english).into_iter().map(row)).collect()
}

#[test]
fn the_tables_of_tools_are_the_programs_own() {
    for (name, printed) in printed() {
        let [page, _] = page("docs/tools.md");
        if blesses() {
            rewrite("docs/tools.md", table(&page, name), &printed);
        } else {
            assert!(
                table(&page, name) == printed,
                "docs/tools.md has another table of {name} than `uixt tools --all --format markdown`: UIXT_BLESS=1 writes it"
            );
        }
    }
}

#[test]
fn the_chinese_tables_have_the_same_tools() {
    for (table_name, printed) in printed() {
        let [_, page] = page("docs/tools.md");
        if blesses() {
            let old = table(&page, table_name);
            rewrite("docs/zh/tools.md", old, &translated(old, &printed));
        }
        let page = self::page("docs/tools.md")[1].clone();
        let (english, chinese) = (rows(&printed), rows(table(&page, table_name)));
        for ([name, description, arguments], [also, translated, same]) in english.iter().zip(&chinese) {
            assert_eq!(
                (name, arguments),
                (also, same),
                "docs/zh/tools.md has another row for {name}: UIXT_BLESS=1 writes it"
            );
            assert!(
                description != translated && !translated.contains(UNTRANSLATED),
                "translate what {name} does in docs/zh/tools.md"
            );
        }
        assert_eq!(english.len(), chinese.len(), "docs/zh/tools.md has other tools: UIXT_BLESS=1 writes them");
    }
}

#[test]
fn a_row_that_is_new_is_marked_and_one_that_is_gone_goes() {
    let table = "| 工具 | 作用 | 参数 |\n| --- | --- | --- |\n| `old` | 旧 | – |\n| `kept` | 留 | – |\n";
    let english = "| tool | what | arguments |\n| --- | --- | --- |\n| `kept` | Stays. | x |\n| `new` | Comes. | – |\n";
    let rows = "| `kept` | 留 | x |\n| `new` | （待译）Comes. | – |\n";
    assert_eq!(translated(table, english), format!("| 工具 | 作用 | 参数 |\n| --- | --- | --- |\n{rows}"));
}

#[test]
fn the_arguments_that_pages_list_are_the_tools_own() {
    let tool = uixt::tools::find("tap").expect("a tool");
    let valid: Vec<&str> = arguments::valid(tool).collect();
    let list = format!("= valid: {}", valid.join(", "));
    for (name, texts) in pages() {
        let lines = texts.iter().flat_map(|text| text.lines());
        let listed = lines.filter(|line| line.trim_start().starts_with("= valid: text, id,"));
        listed.for_each(|line| assert_eq!(line.trim_start(), list, "{name}"));
    }
    for page in page("docs/targets.md") {
        let is_row = |name: &str| page.lines().any(|line| line.starts_with(&format!("| `{name}")));
        let of_targets = valid.iter().filter(|name| !["timeout", "duration", "x", "y"].contains(name));
        let missing: Vec<_> = of_targets.filter(|name| !is_row(name)).collect();
        assert!(missing.is_empty(), "put {missing:?} into the table of docs/targets.md and docs/zh/targets.md");
    }
}

#[test]
fn every_toolset_is_named_with_its_size() {
    let error = Test::new(&["mcp-server", "--toolsets", "none_of_them", "--device", "phone"]).run().code(2).stderr;
    let (_, valid) = error.split_once("valid: all, ").expect("the toolsets");
    let sets: Vec<&str> = valid.lines().next().expect("a line").split(", ").map(str::trim).collect();
    assert!(sets.contains(&"browser_use"), "{sets:?}");
    let [english, chinese] = page("docs/agents.md");
    for (name, file, page, [before, after]) in [
        ("core", "docs/agents.md", &english, ["`core` is the default: ", " tools"]),
        ("core", "docs/zh/agents.md", &chinese, ["默认是 `core`：", " 个工具"]),
        ("browser_use", "docs/agents.md", &english, ["The ", " tools of `browser_use` have"]),
        ("browser_use", "docs/zh/agents.md", &chinese, ["`browser_use` 的 ", " 个工具"]),
    ] {
        let size = name.parse::<uixt::tools::Listing>().expect("a toolset").of(|_| true).len();
        let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let written = page.split(before).skip(1).filter_map(|rest| Some(rest.split_once(after)?.0)).find(is_number);
        let (written, size) = (written.expect("the size of the set"), size.to_string());
        if blesses() {
            rewrite(file, &format!("{before}{written}{after}"), &format!("{before}{size}{after}"));
        } else {
            assert_eq!(
                written, size,
                "`{name}` has {size} tools, and {file} says another number: UIXT_BLESS=1 writes it"
            );
        }
    }
    for page in [english, chinese] {
        let missing: Vec<_> = sets.iter().filter(|set| !page.contains(&format!("`{set}`"))).collect();
        assert!(missing.is_empty(), "name {missing:?} in docs/agents.md and docs/zh/agents.md");
    }
}

#[test]
fn every_assertion_and_every_report_is_named() {
    for page in page("docs/expressions.md") {
        let unnamed: Vec<_> = uixt::compare::names().filter(|name| !page.contains(&format!("`{name}`"))).collect();
        assert!(
            unnamed.is_empty(),
            "put {unnamed:?} into the table of assertions in docs/expressions.md and docs/zh/expressions.md"
        );
    }
    for page in page("docs/reports.md") {
        let files = uixt::report::FORMATS.iter().map(|format| format.file);
        let unnamed: Vec<_> = files.filter(|file| !page.contains(&format!("`{file}`"))).collect();
        assert!(unnamed.is_empty(), "put {unnamed:?} into docs/reports.md and docs/zh/reports.md");
    }
}

#[test]
fn both_languages_have_the_same_sections_and_examples() {
    for (name, [english, chinese]) in pages() {
        let (english, chinese) = (shape(&english), shape(&chinese));
        assert_eq!(english.0, chinese.0, "{name}: levels of the headings");
        let languages =
            |blocks: &[(&str, String)]| blocks.iter().map(|(language, _)| (*language).to_owned()).collect::<Vec<_>>();
        assert_eq!(languages(&english.1), languages(&chinese.1), "{name}: languages of the blocks of code");
    }
}

#[test]
fn the_readme_is_short() {
    for readme in page("README.md") {
        assert!(readme.lines().count() <= 200, "{} lines", readme.lines().count());
    }
}

#[test]
fn the_recipes_are_the_testcases_that_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testcases/cookbook");
    let files = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let is_recipe = |path: &PathBuf| {
            path.extension().is_some_and(|extension| extension == "yaml") && !path.ends_with("uixt.yaml")
        };
        entries.filter(is_recipe).map(|path| std::fs::read_to_string(path).expect("a testcase"))
    };
    let mut wanted: Vec<String> = files(folder.clone()).chain(files(folder.join("web"))).collect();
    wanted.sort();
    assert!(wanted.len() > 40, "{} recipes", wanted.len());
    for text in page("docs/cookbook.md") {
        let mut blocks = written(&text, "yaml");
        blocks.sort();
        assert_eq!(blocks, wanted);
    }
}

#[test]
fn the_examples_are_testcases() {
    let pages = pages();
    for language in 0..2 {
        let texts = || pages.iter().map(|(name, texts)| (name.as_str(), texts[language].as_str()));
        let mut servers = texts().flat_map(|(_, text)| written(text, "json"));
        let servers = servers.find(|example| example.contains("notes.py")).expect("a file of servers");
        let helpers = "def prepare(app): pass\ndef login(): return 'token'\n";
        let mut test = Test::new(&["check", "examples", "--definitions", "definitions"]);
        test = test.file("examples/helpers.py", helpers).file("examples/mcp.json", servers);
        let mut examples = 0;
        // Those of the cookbook are held to the files that run.
        for (name, text) in texts().filter(|(name, _)| *name != "docs/cookbook.md") {
            for (number, example) in written(text, "yaml").into_iter().enumerate() {
                if example.starts_with("# definitions/notes.yaml\n") {
                    test = test.file("definitions/notes.yaml", &example);
                    continue;
                }
                let head = example.lines().next().unwrap_or_default();
                if let Some(file) =
                    head.strip_prefix("# ").filter(|file| *file == "uixt.yaml" || file.starts_with("tools/"))
                {
                    test = test.file(&format!("examples/{file}"), &example);
                    continue;
                }
                for picture in example.split([' ', ',', '}', '\n']).filter(|word| word.to_lowercase().ends_with("png"))
                {
                    test = test.file(&format!("examples/{picture}"), "");
                }
                // Others refer to the first one.
                let is_first = (name, number) == ("README.md", 0);
                let stem = name.trim_end_matches(".md").replace('/', "_");
                let file = if is_first { "login".to_owned() } else { format!("{stem}_{number}") };
                test = test.file(&format!("examples/{file}.yaml"), whole(&example));
                examples += 1;
            }
        }
        assert!(examples > 8, "{examples} examples");
        test.run().code(0);
    }
}

#[test]
fn links_lead_to_pages_and_headings_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for (name, texts) in pages() {
        let files = [name.clone(), name.replace("docs/", "docs/zh/").replace("README.md", "README.zh-CN.md")];
        for (file, text) in files.iter().zip(&texts) {
            let folder = root.join(file).parent().map(Path::to_owned).unwrap_or_default();
            let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
            for link in links.filter(|link| !link.contains("://")) {
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target = if path.is_empty() { root.join(file) } else { folder.join(path) };
                let is_there = std::fs::read(&target).is_ok_and(|bytes| {
                    anchor.is_empty() || headings(&String::from_utf8_lossy(&bytes)).any(|heading| heading == anchor)
                });
                if !is_there {
                    wrong.push(format!("{file}: {link}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns what addresses name the headings by.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let address = |heading: &str| {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '_')).collect()
    };
    text.lines().filter_map(|line| line.strip_prefix('#')).map(move |line| address(line.trim_start_matches('#').trim()))
}

#[test]
fn every_command_is_in_the_manual() {
    let help = Test::new(&["--help"]).run().code(0).stdout;
    let (_, commands) = help.split_once("Commands:\n").expect("a list of commands");
    let names =
        commands.lines().take_while(|line| line.starts_with("  ")).filter_map(|line| line.split_whitespace().next());
    let [readme, running] = [page("README.md"), page("docs/running.md")];
    for name in names {
        for text in readme.iter().chain(&running) {
            assert!(
                text.contains(&format!("`uixt {name}")),
                "`uixt {name}` is not in {}",
                text.lines().next().unwrap_or_default()
            );
        }
    }
}

#[test]
fn help_prints_pages_and_commands() {
    for (name, [english, _]) in pages().into_iter().filter(|(name, _)| name.starts_with("docs/")) {
        let topic = name.trim_start_matches("docs/").trim_end_matches(".md");
        let ran = Test::new(&["help", topic]).run().code(0);
        assert!(ran.stdout.ends_with(&english), "{topic}");
        assert!(Test::new(&["--help"]).run().code(0).stdout.contains(topic), "{topic} is not in the help");
    }
    Test::new(&["help", "mcp", "call"]).run().code(0).prints("--mcp-config");
    Test::new(&["help", "target"]).run().code(2).says("did you mean `targets`?");
    Test::new(&["help", "nothing"]).run().code(2).says("valid: a command");
}
