//! Which of the tools there are a task needs.

use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Exposure, Shape, Table, ToolKind, ToolRow, Toolset};
use uixt_locate::{Error, Object};
use uixt_toolkit::{Context, Reply, Tool};

use crate::known::{OwnTool, Surroundings};
use crate::place::is_for_model;
use crate::ranking::{Described, Fitting, Ranking, is_chinese};

/// Most tools that are recommended.
const MOST: usize = 5;

/// Most that a model chooses from.
const SHOWN: usize = 25;

/// What one must be worth to be recommended, of what the best is.
const LEAST_OF_BEST: f64 = 0.45;

/// How much of a task the best tool must know, and what it must be worth, so that it is enough.
const LEAST_SHARE: f64 = 0.33;
const LEAST_SCORE: f64 = 3.0;

/// What one must be worth, of what the best is, so that the best need not be turned on.
const AS_GOOD: f64 = 0.6;

/// How much less a tool counts that is another name for one.
const OTHER_NAME: f64 = 0.86;

/// What may fit a task.
#[derive(Clone)]
pub enum Candidate {
    Row(&'static ToolRow),
    /// One that the project made.
    Own(OwnTool),
}

impl Candidate {
    pub fn name(&self) -> &str {
        match self {
            Self::Row(row) => row.name,
            Self::Own(tool) => &tool.name,
        }
    }

    /// Says in one sentence what it does.
    pub(crate) fn brief(&self) -> &str {
        match self {
            Self::Row(row) => row.schema().brief(),
            Self::Own(tool) => tool.description.trim(),
        }
    }

    /// Returns the row of the table, which the project's own have not.
    pub(crate) fn row(&self) -> Option<&'static ToolRow> {
        match self {
            Self::Row(row) => Some(row),
            Self::Own(_) => None,
        }
    }

    fn described(&self) -> Described {
        match self {
            Self::Row(row) => described(row),
            Self::Own(tool) => tool.described(),
        }
    }
}

impl OwnTool {
    /// Says what is ranked of it: its group tells where it belongs, not what it does.
    fn described(&self) -> Described {
        let (group, name) = self.name.split_once("__").unwrap_or(("", &self.name));
        Described {
            name: name.replace('_', " "),
            description: format!("{} {}", group.replace('_', " "), self.description),
            details: self.details.clone(),
        }
    }
}

/// A tool that fits a task.
pub struct Ranked {
    pub tool: Candidate,
    pub score: f64,
    /// The words of the task that it knows.
    pub because: Vec<String>,
    /// How much of the task it knows, from 0 to 1.
    pub share: f64,
    /// Whether it knows the first of them.
    pub knows_first: bool,
}

fn described(row: &'static ToolRow) -> Described {
    let schema = row.schema();
    let names: Vec<&str> = std::iter::once(row.name).chain(row.aliases.iter().copied()).collect();
    let text = |value: &Value| value.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let details = schema.properties().map(|(name, value)| format!("{name} {}", text(value)));
    Described {
        name: names.join(" ").replace('_', " "),
        description: schema.brief().to_owned(),
        details: details.collect::<Vec<_>>().join(" "),
    }
}

/// The tools that are ranked, and what is known of them.
struct Ranks {
    tools: Vec<Candidate>,
    ranking: Ranking,
}

impl Ranks {
    fn of(tools: Vec<Candidate>) -> Self {
        let ranking = Ranking::new(tools.iter().map(Candidate::described));
        Self { tools, ranking }
    }

    /// Ranks the tools for a task in words, the best first.
    fn ranked(&self, task: &str) -> Vec<Ranked> {
        let weighed = |fitting: Fitting| {
            let tool = self.tools[fitting.at].clone();
            let factor = if tool.row().is_some_and(|row| row.alias_of.is_some()) { OTHER_NAME } else { 1.0 };
            let Fitting { score, because, share, knows_first, .. } = fitting;
            Ranked { tool, score: score * factor, because, share, knows_first }
        };
        let mut ranked: Vec<Ranked> = self.ranking.fitting(task).into_iter().map(weighed).collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
        ranked
    }
}

fn rows(table: &'static Table) -> impl Iterator<Item = Candidate> {
    table.all().filter(|row| !row.is_same).map(Candidate::Row)
}

/// What is known of the table at an address.
type Known = (usize, Arc<Ranks>);

/// Returns what is known of a table, made at the first call for it, and of the tools of a project beside it, made anew.
fn ranks(table: &'static Table, own: Vec<OwnTool>) -> Arc<Ranks> {
    static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());
    if !own.is_empty() {
        return Arc::new(Ranks::of(rows(table).chain(own.into_iter().map(Candidate::Own)).collect()));
    }
    let key = std::ptr::from_ref(table).addr();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, ranks)) = known.iter().find(|(of, _)| *of == key) {
        return Arc::clone(ranks);
    }
    let ranks = Arc::new(Ranks::of(rows(table).collect()));
    known.push((key, Arc::clone(&ranks)));
    ranks
}

/// Ranks the tools of a table for a task in words, the best first.
pub fn ranked(table: &'static Table, task: &str) -> Vec<Ranked> {
    ranks(table, Vec::new()).ranked(task)
}

/// Tells whether the tools of a table will do for a task.
pub fn is_enough(table: &'static Table, task: &str) -> bool {
    Needs::of(table, Vec::new(), task).is_enough
}

/// What is to be said of a task.
pub(crate) struct Needs {
    pub(crate) is_enough: bool,
    pub(crate) recommended: Vec<Ranked>,
    /// Words of the task that no tool knows.
    pub(crate) unknown: Vec<String>,
    pub(crate) count: usize,
    ranks: Arc<Ranks>,
}

impl Needs {
    pub(crate) fn of(table: &'static Table, own: Vec<OwnTool>, task: &str) -> Self {
        let ranks = ranks(table, own);
        let mut recommended = ranks.ranked(task);
        let best = recommended.first().map_or(0.0, |best| best.score);
        recommended.retain(|one| one.score >= best * LEAST_OF_BEST);
        recommended.truncate(MOST);
        let will_do = |one: &Ranked| one.score >= LEAST_SCORE && one.share >= LEAST_SHARE;
        let is_enough = recommended.iter().take(3).any(will_do) && recommended.iter().any(|one| one.knows_first);
        Self { is_enough, recommended, unknown: ranks.ranking.unknown(task), count: ranks.tools.len(), ranks }
    }
}

impl Needs {
    /// Takes what somebody chose of those that fit, the best first; nothing chosen says that no tool will do.
    fn choose(&mut self, fitting: Vec<Ranked>, places: &[usize]) {
        self.is_enough = !places.is_empty();
        if self.is_enough {
            let mut fitting: Vec<Option<Ranked>> = fitting.into_iter().map(Some).collect();
            let taken = places.iter().filter_map(|at| fitting.get_mut(*at)?.take());
            self.recommended = taken.take(MOST).map(|one| Ranked { knows_first: true, score: 1.0, ..one }).collect();
        }
    }
}

/// Tells whether a tool can be called as it is, and how it can be otherwise.
fn standing(tool: &Candidate, cx: &Context, around: &Surroundings) -> (bool, Option<String>) {
    // Whoever is told of one of the project's may call it.
    let Some(row) = tool.row() else { return (true, None) };
    if row.exposure == Exposure::Testcase && is_for_model(cx) {
        return (false, Some("only testcases may call it".to_owned()));
    }
    if around.is_on(row.name) {
        return (true, None);
    }
    let set = row.set.map_or("all", Toolset::name);
    (false, Some(format!("it is not listed; call it by its name, or start with `--toolsets core,{set}`")))
}

/// Say which tools a task needs, and what is missing.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct AnalyzeToolNeeds {
    /// Task, in English or Chinese.
    #[schemars(length(min = 1, max = 10_000))]
    task_description: String,
}

impl AnalyzeToolNeeds {
    /// Has a model choose among the tools that fit, where there is one; returns what is told of that.
    async fn choose(&self, cx: &Context, needs: &mut Needs) -> Object {
        let Some(chooser) = cx.engines.chooser else { return Object::new() };
        let mut fitting = needs.ranks.ranked(&self.task_description);
        fitting.truncate(SHOWN);
        let line = |one: &Ranked| format!("{}: {}", one.tool.name(), one.tool.brief());
        let lines: Vec<String> = fitting.iter().map(line).collect();
        match chooser.choose(cx, &self.task_description, &lines).await {
            Ok(None) => Object::new(),
            Ok(Some(chosen)) => {
                needs.choose(fitting, &chosen.places);
                chosen.told
            }
            Err(error) => {
                let note = format!("the tools are ranked by words alone: {}", error.message);
                Object::from_iter([("notes".to_owned(), json!([note]))])
            }
        }
    }

    fn assessment(&self, needs: &Needs) -> String {
        let names: Vec<&str> = needs.recommended.iter().map(|one| one.tool.name()).take(3).collect();
        let unknown = needs.unknown.join(", ");
        match (is_chinese(&self.task_description), needs.is_enough, names.is_empty()) {
            (false, true, _) => format!("the tools there are will do: {}", names.join(", ")),
            (true, true, _) => format!("现有工具足够: {}", names.join(", ")),
            (false, false, _) if !unknown.is_empty() => format!("no tool is for all of this; no tool knows: {unknown}"),
            (true, false, _) if !unknown.is_empty() => format!("没有适合这项任务的工具; 没有工具与此有关: {unknown}"),
            (false, false, false) => format!("no tool is for all of this; nearest: {}", names.join(", ")),
            (true, false, false) => format!("没有适合这项任务的工具; 最接近的是: {}", names.join(", ")),
            (false, false, true) => "no tool is for anything of this".to_owned(),
            (true, false, true) => "没有与这项任务有关的工具".to_owned(),
        }
    }
}

impl Tool for AnalyzeToolNeeds {
    const NAME: &'static str = "analyze_tool_needs";
    const SET: Option<Toolset> = Some(Toolset::SearchTool);
    const KIND: ToolKind = ToolKind::Read;
    const PARAMS: Shape = Shape::Fields(&["task_description"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("recommended_mcp_tools");
    const ANSWER: &'static [&'static str] = &[
        "has_sufficient_tools",
        "overall_assessment",
        "recommended_action",
        "recommended_mcp_tools",
        "tool_count",
        "usage",
        "model",
        "notes",
    ];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let around = cx.session.setting::<Surroundings>();
        let mut needs = Needs::of(cx.table, around.own(is_for_model(cx)), &self.task_description);
        let beside = self.choose(cx, &mut needs).await;
        let told = |one: &Ranked| {
            let (is_on, how) = standing(&one.tool, cx, &around);
            let mut why = format!("{} It fits: {}.", one.tool.brief(), one.because.join(", "));
            how.into_iter().for_each(|how| why.push_str(&format!(" {how}.")));
            let set = one.tool.row().and_then(|row| row.set).map(Toolset::name);
            json!({"name": one.tool.name(), "toolset": set, "is_on": is_on, "why": why})
        };
        let recommended: Vec<Value> = needs.recommended.iter().map(told).collect();
        let best = needs.recommended.first().map_or(0.0, |best| best.score);
        let is_as_good = |one: &Ranked| one.knows_first && one.score >= best * AS_GOOD;
        let is_one_on =
            needs.recommended.iter().take(3).any(|one| is_as_good(one) && standing(&one.tool, cx, &around).0);
        let action = match (needs.is_enough, is_one_on) {
            (true, true) => "use_existing_tools",
            (true, false) => "turn_on_toolset",
            (false, _) => "search_and_install_tools",
        };
        let assessment = self.assessment(&needs);
        let reply = Reply::new(assessment.clone()).with("has_sufficient_tools", needs.is_enough);
        let reply = reply.with("overall_assessment", assessment).with("recommended_action", action);
        let mut reply = reply.with("recommended_mcp_tools", recommended).with("tool_count", needs.count);
        reply.fields.extend(beside);
        Ok(reply)
    }
}
