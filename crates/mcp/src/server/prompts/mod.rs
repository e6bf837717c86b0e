//! Prompts: a text for a model together with what it needs to know, taken from the session, the devices and files.

mod pieces;

use rmcp::ErrorData;
use rmcp::model::{
    ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt, PromptArgument, PromptMessage,
    ResourceContents, Role,
};
use uixt_locate::Object;

use self::pieces::Pieces;
use super::files;
use super::provider::{Answer, Asked, Provider};

/// An argument: its name, what it is, whether it must be given.
type Argument = (&'static str, &'static str, bool);

/// A prompt before anything is filled in.
struct Sheet {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    text: &'static str,
}

const WRITE: &str = "write_testcase";
const EXPLORE: &str = "explore_app";
const EXPLAIN: &str = "explain_failure";

static SHEETS: [Sheet; 3] = [
    Sheet {
        name: WRITE,
        title: "Write a testcase",
        description: "How to turn a goal into a testcase file, with the format, the tools and what this session did.",
        arguments: &[
            ("goal", "What the test is to show, in a sentence or two", true),
            ("package", "The app's package", false),
            ("file", "A testcase file to take as a model", false),
        ],
        text: include_str!("write_testcase.md"),
    },
    Sheet {
        name: EXPLORE,
        title: "Explore an app",
        description: "How to find out what an app does, beginning from the screen as it is.",
        arguments: &[("package", "The app's package", true), ("focus", "What matters most", false)],
        text: include_str!("explore_app.md"),
    },
    Sheet {
        name: EXPLAIN,
        title: "Explain a failure",
        description: "A failed call of this session with what came before it and the screen as it is, or a testcase file with its error, or a case of a report.",
        arguments: &[
            ("call", "Number of the call in this session's report; the last that failed by default", false),
            ("file", "The testcase file that failed", false),
            ("error", "What `uixt run` said", false),
            ("report", "Folder of a run's report; the answer is its text of the failure, of at most 400 tokens", false),
            ("case", "The case of that report; the first that failed by default", false),
        ],
        text: include_str!("explain_failure.md"),
    },
];

/// Offers the prompts.
pub(super) struct Prompts {
    pub pieces: Pieces,
}

pub(super) use pieces::Pieces as Sources;

impl Sheet {
    fn listed(&self) -> Prompt {
        let argument = |(name, text, required): &Argument| {
            PromptArgument::new(*name).with_description(*text).with_required(*required)
        };
        let arguments = self.arguments.iter().map(argument).collect();
        Prompt::new(self.name, Some(self.description), Some(arguments)).with_title(self.title)
    }

    /// Checks the arguments; the error names what is missing and what is valid.
    fn check(&self, arguments: &Object) -> Result<(), ErrorData> {
        let names = || self.arguments.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ");
        let wrong = |message: String| {
            Err(ErrorData::invalid_params(format!("{}: {message}; valid: {}", self.name, names()), None))
        };
        for (name, _, required) in self.arguments {
            match arguments.get(*name) {
                None if *required => return wrong(format!("missing: {name}")),
                Some(value) if !value.is_string() => return wrong(format!("{name} must be a text")),
                Some(value) if *required && value == "" => return wrong(format!("{name} is empty")),
                _ => {}
            }
        }
        match arguments.keys().find(|key| !self.arguments.iter().any(|(name, ..)| name == key)) {
            Some(unknown) => wrong(format!("unknown: {unknown}")),
            None => Ok(()),
        }
    }
}

/// Returns the names of a prompt's arguments; none where there is no such prompt.
pub(super) fn arguments(prompt: &str) -> Option<impl Iterator<Item = &'static str>> {
    let sheet = SHEETS.iter().find(|sheet| sheet.name == prompt)?;
    Some(sheet.arguments.iter().map(|(name, ..)| *name))
}

impl Prompts {
    async fn fill(
        &self,
        sheet: &'static Sheet,
        arguments: &Object,
        asked: &Asked,
    ) -> Result<GetPromptResult, ErrorData> {
        sheet.check(arguments)?;
        let given = |name: &str| arguments.get(name).and_then(|value| value.as_str()).filter(|text| !text.is_empty());
        if let (EXPLAIN, Some(report)) = (sheet.name, given("report")) {
            let text = self.pieces.reported(report, given("case"));
            let text = text.map_err(|why| ErrorData::invalid_params(format!("report: {why}"), None))?;
            return Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
                .with_description(sheet.description));
        }
        let mut blanks: Vec<(&str, String)> = Vec::new();
        match sheet.name {
            WRITE => {
                blanks.push(("app", given("package").map(|name| format!("The app: {name}\n")).unwrap_or_default()));
                blanks.push(("tools", self.pieces.tools().await));
                blanks.push(("session", self.pieces.session()));
                blanks.push(("goal", given("goal").unwrap_or_default().to_owned()));
            }
            EXPLORE => {
                blanks.push(("screen", self.pieces.screen(asked).await));
                blanks.push((
                    "focus",
                    given("focus").map(|focus| format!(" What matters most: {focus}")).unwrap_or_default(),
                ));
                blanks.push(("package", given("package").unwrap_or_default().to_owned()));
            }
            _ => {
                blanks.push(("screen", self.pieces.screen(asked).await));
                let failure = match (given("error"), given("file")) {
                    (None, None) => self.pieces.failure(given("call"))?,
                    (Some(error), _) => format!("\nThe error:\n\n{error}\n"),
                    (None, Some(_)) => self.pieces.failure(given("call")).unwrap_or_default(),
                };
                blanks.push(("failure", failure));
            }
        }
        let mut messages = vec![PromptMessage::new_text(Role::User, filled(sheet.text, &blanks))];
        if let Some(file) = given("file") {
            messages.push(self.file(file)?);
        }
        Ok(GetPromptResult::new(messages).with_description(sheet.description))
    }

    fn file(&self, path: &str) -> Result<PromptMessage, ErrorData> {
        let path = files::path_of(path).unwrap_or_else(|| path.to_owned());
        let text = self.pieces.file(&path).map_err(|why| ErrorData::invalid_params(format!("file: {why}"), None))?;
        let contents = ResourceContents::text(text, files::uri_of(&path)).with_mime_type("application/yaml");
        Ok(PromptMessage::new(Role::User, ContentBlock::resource(contents)))
    }
}

/// Fills a sheet's blanks in one pass, so that what is filled in is not read as a blank.
fn filled(sheet: &str, blanks: &[(&str, String)]) -> String {
    let mut text = String::with_capacity(sheet.len());
    let mut rest = sheet;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        text.push_str(blanks.iter().find(|(blank, _)| *blank == name).map_or("", |(_, text)| text.as_str()));
        rest = after;
    }
    text.push_str(rest);
    text
}

impl Provider for Prompts {
    fn prompts(&self) -> Vec<Prompt> {
        SHEETS.iter().map(Sheet::listed).collect()
    }

    fn prompt<'a>(&'a self, request: &'a GetPromptRequestParams, asked: &'a Asked) -> Answer<'a, GetPromptResponse> {
        let sheet = SHEETS.iter().find(|sheet| sheet.name == request.name)?;
        Some(Box::pin(async move {
            let arguments = request.arguments.clone().unwrap_or_default();
            Ok(self.fill(sheet, &arguments, asked).await?.into())
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_no_blank() {
        let blanks = [("a", "{{b}}".to_owned()), ("b", "x".to_owned())];
        assert_eq!(filled("1 {{a}} 2 {{b}} 3 {{c}} 4", &blanks), "1 {{b}} 2 x 3  4");
    }

    #[test]
    fn every_blank_of_a_sheet_is_known() {
        let known = ["goal", "app", "tools", "session", "package", "focus", "screen", "failure"];
        for sheet in &SHEETS {
            for blank in sheet.text.split("{{").skip(1).filter_map(|part| part.split_once("}}")) {
                assert!(known.contains(&blank.0), "{}: {}", sheet.name, blank.0);
            }
        }
    }
}
