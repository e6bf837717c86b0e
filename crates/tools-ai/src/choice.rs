//! Tools that fit a task by their words → those that a model finds it needs.

use serde_json::{Value, json};
use uixt_ai::{Message, Request, Role, reading};
use uixt_call::Boxed;
use uixt_locate::Error;
use uixt_toolkit::{Chooser, Chosen, Context};

use crate::asking::Asker;
use crate::models::Part;
use crate::query::cut;

const CHOOSER: &str = "You are given a task, and tools by their numbers. Say which of the tools the task needs, the one first that does most \
    of it. A tool that does something else is not needed. Where none of them does it, say none. Answer with JSON alone, by this JSON schema: ";

/// Asks the session's model.
pub struct ModelChooser;

impl Chooser for ModelChooser {
    fn choose<'a>(
        &'a self,
        cx: &'a Context,
        task: &'a str,
        tools: &'a [String],
    ) -> Boxed<'a, Result<Option<Chosen>, Error>> {
        Box::pin(async move {
            let Some(mut asker) = Asker::of(cx, Part::Planner).if_configured()? else { return Ok(None) };
            let schema = json!({"type": "object", "properties": {"tools": {"type": "array", "items": {"type": "integer"}}}, "required": ["tools"]});
            let list: String = tools.iter().enumerate().map(|(at, tool)| format!("{}. {tool}\n", at + 1)).collect();
            let about = format!("The task: {task}\nThe tools:\n{list}");
            let messages =
                vec![Message::text(Role::System, format!("{CHOOSER}{schema}")), Message::text(Role::User, about)];
            let answer = asker
                .ask(&Request { messages, schema: Some(("tools".to_owned(), schema)), ..Request::default() })
                .await?;
            let named = reading::object(&answer.text).and_then(|answer| answer["tools"].as_array().cloned());
            let named = named
                .ok_or_else(|| asker.failed(format!("the model's answer has no `tools`: {}", cut(&answer.text))))?;
            let place =
                |number: &Value| usize::try_from(number.as_u64()?).ok()?.checked_sub(1).filter(|at| *at < tools.len());
            let mut places: Vec<usize> = Vec::new();
            named.iter().filter_map(place).for_each(|at| {
                if !places.contains(&at) {
                    places.push(at);
                }
            });
            Ok(Some(Chosen { places, told: asker.tells(uixt_toolkit::Reply::default()).fields }))
        })
    }
}
