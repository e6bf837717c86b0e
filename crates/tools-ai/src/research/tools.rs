//! The three tools, which differ in how much they read.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::Error;
use uixt_toolkit::{Context, Reply, Tool};

use super::inquiry::{Depth, Inquiry};

/// What is left for the last answer, behind a call's own time.
const AROUND: Duration = Duration::from_secs(30);

/// The fields of an answer.
const ANSWER: &[&str] = &[
    "answer",
    "statements",
    "sources",
    "search_queries",
    "query_count",
    "research_loops",
    "search_results",
    "timestamp",
    "dropped",
    "skipped",
    "notes",
    "usage",
    "model",
];

/// Research a question in the project's files and, where a search engine is named, on the web; each statement has its source. E.g. `{"question": "Python asyncio最佳实践", "max_loops": 3}`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Research {
    /// The question.
    #[schemars(length(min = 1, max = 2000))]
    question: String,
    /// Queries to begin with, or how many; 3 by default.
    #[serde(default)]
    initial_queries: Option<Queries>,
    /// Most rounds of searching for what is missing; 2 by default, and 1 without a model.
    #[serde(default)]
    #[schemars(range(min = 1, max = 5))]
    max_loops: Option<usize>,
    /// Service of the model that is asked; the usual one by default.
    #[serde(default)]
    #[schemars(length(min = 1))]
    reasoning_model: Option<String>,
    /// Seconds; 300 by default.
    #[serde(default)]
    #[schemars(range(min = 5.0, max = 1800.0))]
    timeout: Option<f64>,
}

/// Queries, or how many.
#[derive(Deserialize)]
#[serde(untagged)]
enum Queries {
    Count(usize),
    These(Vec<String>),
}

impl JsonSchema for Queries {
    fn schema_name() -> Cow<'static, str> {
        "Queries".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["array", "integer"], "items": {"type": "string", "minLength": 1, "maxLength": 500}, "minItems": 1, "maxItems": 10, "minimum": 1, "maximum": 10})
    }
}

/// Answer a question from a few sources: two queries, one round. E.g. `{"question": "机器学习基础概念"}`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct QuickResearch {
    /// The question.
    #[schemars(length(min = 1, max = 2000))]
    question: String,
    /// Seconds; 60 by default.
    #[serde(default)]
    #[schemars(range(min = 5.0, max = 1800.0))]
    timeout: Option<f64>,
}

/// Research a question from all sides: five queries, up to three rounds. E.g. `{"question": "区块链技术发展趋势", "topic_focus": "2024年最新进展"}`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ComprehensiveResearch {
    /// The question.
    #[schemars(length(min = 1, max = 2000))]
    question: String,
    /// What to look at most.
    #[serde(default)]
    #[schemars(length(min = 1, max = 500))]
    topic_focus: Option<String>,
    /// Seconds; 600 by default.
    #[serde(default)]
    #[schemars(range(min = 5.0, max = 1800.0))]
    timeout: Option<f64>,
}

fn patience(timeout: Option<f64>, usual: f64) -> Duration {
    Duration::from_secs_f64(timeout.unwrap_or(usual).clamp(5.0, 1800.0))
}

impl Tool for Research {
    const NAME: &'static str = "research";
    const SET: Option<Toolset> = Some(Toolset::Deepsearch);
    const KIND: ToolKind = ToolKind::Read;
    const PARAMS: Shape = Shape::Fields(&["question"]);
    const VALUES: &'static [&'static str] = &["initial_queries"];
    // The testcase that asks is no source of what it asks.
    const NAMES_FILES: bool = true;
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("answer");
    const ANSWER: &'static [&'static str] = ANSWER;

    fn limit(&self) -> Duration {
        patience(self.timeout, 300.0) + AROUND
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let patience = patience(self.timeout, 300.0);
        let (count, given) = match self.initial_queries {
            Some(Queries::These(queries)) => (queries.len(), queries),
            Some(Queries::Count(count)) => (count, Vec::new()),
            None => (3, Vec::new()),
        };
        let depth = Depth { queries: count, loops: self.max_loops.unwrap_or(2), pages: 6, passages: 16 };
        let inquiry = Inquiry::of(self.question, depth, patience);
        Inquiry { given, service: self.reasoning_model, ..inquiry }.run(cx).await
    }
}

impl Tool for QuickResearch {
    const NAME: &'static str = "quick_research";
    const SET: Option<Toolset> = Some(Toolset::Deepsearch);
    const KIND: ToolKind = ToolKind::Read;
    const PARAMS: Shape = Shape::Fields(&["question"]);
    // The testcase that asks is no source of what it asks.
    const NAMES_FILES: bool = true;
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("answer");
    const ANSWER: &'static [&'static str] = ANSWER;

    fn limit(&self) -> Duration {
        patience(self.timeout, 60.0) + AROUND
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let patience = patience(self.timeout, 60.0);
        let depth = Depth { queries: 2, loops: 1, pages: 4, passages: 8 };
        Inquiry::of(self.question, depth, patience).run(cx).await
    }
}

impl Tool for ComprehensiveResearch {
    const NAME: &'static str = "comprehensive_research";
    const SET: Option<Toolset> = Some(Toolset::Deepsearch);
    const KIND: ToolKind = ToolKind::Read;
    const PARAMS: Shape = Shape::Fields(&["question", "topic_focus"]);
    // The testcase that asks is no source of what it asks.
    const NAMES_FILES: bool = true;
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("answer");
    const ANSWER: &'static [&'static str] = ANSWER;

    fn limit(&self) -> Duration {
        patience(self.timeout, 600.0) + AROUND
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let patience = patience(self.timeout, 600.0);
        let depth = Depth { queries: 5, loops: 3, pages: 8, passages: 24 };
        Inquiry { focus: self.topic_focus, ..Inquiry::of(self.question, depth, patience) }.run(cx).await
    }
}
