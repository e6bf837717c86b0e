//! `uixt help`: a command's options, or a page of the manual, which the program carries.

use clap::Args;
use uixt_schema::nearest;

use super::tools;
use crate::cli::exit::{Done, Failure, print};

/// The pages: name, and text in English.
const PAGES: [(&str, &str); 36] = [
    ("installing", include_str!("../../../docs/installing.md")),
    ("tutorial", include_str!("../../../docs/tutorial.md")),
    ("cookbook", include_str!("../../../docs/cookbook.md")),
    ("testcases", include_str!("../../../docs/testcases.md")),
    ("targets", include_str!("../../../docs/targets.md")),
    ("expressions", include_str!("../../../docs/expressions.md")),
    ("pictures", include_str!("../../../docs/pictures.md")),
    ("screenshots", include_str!("../../../docs/screenshots.md")),
    ("ui-instances", include_str!("../../../docs/ui-instances.md")),
    ("ai", include_str!("../../../docs/ai.md")),
    ("sandbox", include_str!("../../../docs/sandbox.md")),
    ("own-tools", include_str!("../../../docs/own-tools.md")),
    ("code-search", include_str!("../../../docs/code-search.md")),
    ("research", include_str!("../../../docs/research.md")),
    ("running", include_str!("../../../docs/running.md")),
    ("parallel", include_str!("../../../docs/parallel.md")),
    ("reports", include_str!("../../../docs/reports.md")),
    ("evidence", include_str!("../../../docs/evidence.md")),
    ("fix", include_str!("../../../docs/fix.md")),
    ("tools", include_str!("../../../docs/tools.md")),
    ("agents", include_str!("../../../docs/agents.md")),
    ("studio", include_str!("../../../docs/studio.md")),
    ("recording", include_str!("../../../docs/recording.md")),
    ("repl", include_str!("../../../docs/repl.md")),
    ("mcp-servers", include_str!("../../../docs/mcp-servers.md")),
    ("android", include_str!("../../../docs/android.md")),
    ("ios", include_str!("../../../docs/ios.md")),
    ("harmony", include_str!("../../../docs/harmony.md")),
    ("browsers", include_str!("../../../docs/browsers.md")),
    ("virtual-phone", include_str!("../../../docs/virtual-phone.md")),
    ("drivers", include_str!("../../../docs/drivers.md")),
    ("httprunner", include_str!("../../../docs/httprunner.md")),
    ("maestro", include_str!("../../../docs/maestro.md")),
    ("appium", include_str!("../../../docs/appium.md")),
    ("playwright", include_str!("../../../docs/playwright.md")),
    ("dependencies", include_str!("../../../docs/dependencies.md")),
];

/// The manual's pages, for the end of the program's help.
pub(in crate::cli) fn pages() -> String {
    let names: Vec<_> = PAGES.iter().map(|(name, _)| *name).collect();
    format!("Manual, by `uixt help PAGE`: {}", names.join(", "))
}

#[derive(Args)]
pub(in crate::cli) struct Help {
    /// A page of the manual, such as `targets`, a command, such as `mcp call`, or a tool, such as `tap`.
    #[arg(value_name = "TOPIC")]
    topic: Vec<String>,
}

impl Help {
    /// Prints the help on a topic of the program whose commands these are.
    pub(in crate::cli) fn run(self, whole: &clap::Command) -> Done {
        let mut program = whole.clone();
        program.build();
        let command = self.topic.iter().try_fold(&mut program, |command, name| command.find_subcommand_mut(name));
        let help = command.map(|command| command.render_long_help().to_string());
        let page = PAGES.iter().find(|(name, _)| *name == self.topic.join(" ")).map(|(_, text)| *text);
        match (help, page) {
            (Some(help), Some(page)) => print(&format!("{help}\n{page}")),
            (Some(help), None) => print(&help),
            (None, Some(page)) => print(page),
            (None, None) => self.of_tool().ok_or_else(|| self.unknown(whole)).and_then(|page| print(&page)),
        }
    }

    /// Returns the page of a tool; a project's own is told by `uixt tools`.
    fn of_tool(&self) -> Option<String> {
        let [name] = self.topic.as_slice() else { return None };
        crate::tools::find(name).map(tools::page)
    }

    fn unknown(&self, program: &clap::Command) -> Failure {
        let names: Vec<_> = PAGES.iter().map(|(name, _)| *name).collect();
        let topic = self.topic.join(" ");
        let commands = program.get_subcommands().map(clap::Command::get_name);
        let tools = crate::tools::all().map(|tool| tool.name);
        let near = nearest(&topic, commands.chain(names.iter().copied()).chain(tools));
        let near = near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
        Failure::usage(format!(
            "there is no help on `{topic}`{near}; valid: a command (`uixt --help`), a tool (`uixt tools`), or {}",
            names.join(", ")
        ))
    }
}
