//! What a model is asked, as chat completions carry it.

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    System,
    User,
    Assistant,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// A picture: its type (`image/jpeg`) and its content in base64.
    Picture {
        kind: String,
        base64: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub role: Role,
    pub parts: Vec<Part>,
}

impl Message {
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self { role, parts: vec![Part::Text(text.into())] }
    }

    fn to_json(&self) -> Value {
        let role = match self.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        let part = |part: &Part| match part {
            Part::Text(text) => json!({"type": "text", "text": text}),
            Part::Picture { kind, base64 } => {
                json!({"type": "image_url", "image_url": {"url": format!("data:{kind};base64,{base64}")}})
            }
        };
        // Some endpoints take a list of parts from users alone.
        let content = match &self.parts[..] {
            [Part::Text(text)] => json!(text),
            parts => parts.iter().map(part).collect(),
        };
        json!({"role": role, "content": content})
    }
}

/// A question to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pub messages: Vec<Message>,
    /// Tools that it may call: name, description and the JSON schema of the arguments.
    pub tools: Vec<(String, String, Value)>,
    /// The JSON schema that the answer must fit, and its name.
    pub schema: Option<(String, Value)>,
}

impl Request {
    pub(crate) fn to_json(&self, model: &str) -> Value {
        let messages: Vec<Value> = self.messages.iter().map(Message::to_json).collect();
        let mut body = json!({"model": model, "messages": messages, "temperature": 0});
        if !self.tools.is_empty() {
            let tool = |(name, description, parameters): &(String, String, Value)| json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}});
            body["tools"] = self.tools.iter().map(tool).collect();
        }
        if let Some((name, schema)) = &self.schema {
            body["response_format"] = json!({"type": "json_schema", "json_schema": {"name": name, "schema": schema}});
        }
        body
    }

    /// Returns how many bytes the pictures have.
    pub(crate) fn picture_bytes(&self) -> u64 {
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        let bytes = parts.map(|part| if let Part::Picture { base64, .. } = part { base64.len() / 4 * 3 } else { 0 });
        bytes.sum::<usize>() as u64
    }
}

/// A tool that a model calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    pub name: String,
    /// The arguments as the model wrote them: JSON, where it is well.
    pub arguments: String,
}
