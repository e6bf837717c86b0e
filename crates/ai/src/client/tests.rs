//! An endpoint that answers and fails as real ones do, over real HTTP.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::super::{Message, Part, Role};
use super::*;

/// What the endpoint does with one request.
enum Does {
    Answers(u16, &'static str, String),
    /// Says that more comes, and hangs up.
    HangsUp,
    /// Takes its time.
    Sleeps,
}

/// What the endpoint was asked: the head and the body of each request.
type Asked = Arc<Mutex<Vec<(String, Value)>>>;

fn said(text: &str) -> Does {
    let body = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 64}}});
    Does::Answers(200, "", body.to_string())
}

fn failed(status: u16, head: &'static str, message: &str) -> Does {
    Does::Answers(status, head, json!({"error": {"message": message}}).to_string())
}

/// Starts an endpoint that does one thing after the other; returns a model there, and what it is asked.
async fn endpoint(does: Vec<Does>) -> (Model, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/v1/", listener.local_addr().expect("an address"));
    let asked = Asked::default();
    let shared = Arc::clone(&asked);
    tokio::spawn(async move {
        for one in does {
            let Ok((socket, _)) = listener.accept().await else { return };
            serve(socket, one, &shared).await;
        }
    });
    let variables = [("M_BASE_URL", url.as_str()), ("M_API_KEY", "sk-very-secret")];
    let get = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    (Model::new(Service::find(Some("m"), get).expect("a service")).expect("a model"), asked)
}

async fn serve(mut socket: TcpStream, does: Does, asked: &Asked) {
    let mut read = Vec::new();
    let (head, body) = loop {
        let mut buffer = [0; 4096];
        let count = socket.read(&mut buffer).await.expect("a request");
        read.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && let Ok(body) = serde_json::from_str(body)
        {
            break (head.to_owned(), body);
        }
    };
    asked.lock().expect("nobody panicked").push((head, body));
    let answer = match does {
        Does::Answers(status, head, body) => {
            format!("HTTP/1.1 {status} x\r\nconnection: close\r\n{head}content-length: {}\r\n\r\n{body}", body.len())
        }
        Does::HangsUp => "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choices\": [".to_owned(),
        Does::Sleeps => {
            tokio::time::sleep(Duration::from_mins(1)).await;
            return;
        }
    };
    socket.write_all(answer.as_bytes()).await.expect("sent");
}

fn question() -> Request {
    Request { messages: vec![Message::text(Role::User, "What is there?")], ..Request::default() }
}

async fn ask(does: Vec<Does>) -> Result<Reply, Error> {
    endpoint(does).await.0.ask(&question(), Duration::from_secs(20)).await
}

#[tokio::test]
async fn a_question_with_a_picture_tools_and_a_schema_is_asked_as_the_protocol_has_it() {
    let (model, asked) = endpoint(vec![said("A button.")]).await;
    let picture = Part::Picture { kind: "image/jpeg".to_owned(), base64: "QUJD".to_owned() };
    let request = Request {
        messages: vec![
            Message::text(Role::System, "You look."),
            Message { role: Role::User, parts: vec![Part::Text("What?".to_owned()), picture] },
        ],
        tools: vec![("tap_element".to_owned(), "Tap.".to_owned(), json!({"type": "object"}))],
        schema: Some(("answer".to_owned(), json!({"type": "object"}))),
    };
    let reply = model.ask(&request, Duration::from_secs(20)).await.expect("an answer");
    assert_eq!((reply.text.as_str(), reply.usage.input_tokens, reply.usage.cached_tokens), ("A button.", 100, 64));
    assert_eq!((reply.usage.tokens(), reply.usage.picture_bytes, reply.usage.attempts), (120, 3, 1));
    let (head, body) = asked.lock().expect("nobody panicked")[0].clone();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: Bearer sk-very-secret"), "{head}");
    assert_eq!(body["messages"][0], json!({"role": "system", "content": "You look."}));
    assert_eq!(body["messages"][1]["content"][1]["image_url"]["url"], "data:image/jpeg;base64,QUJD");
    assert_eq!((&body["model"], &body["temperature"]), (&json!("m"), &json!(0)));
    assert_eq!(body["tools"][0]["function"]["name"], "tap_element");
    assert_eq!(body["response_format"]["json_schema"]["name"], "answer");
}

#[tokio::test]
async fn what_may_pass_is_asked_again_and_what_will_not_is_told_at_once() {
    let reply = ask(vec![failed(500, "", "oops"), Does::HangsUp, said("There.")]).await.expect("an answer");
    assert_eq!((reply.text.as_str(), reply.usage.attempts, reply.usage.calls), ("There.", 3, 1));
    let broken = Does::Answers(200, "", "{\"choices\": [{\"mess".to_owned());
    assert_eq!(ask(vec![broken, said("There.")]).await.expect("an answer").usage.attempts, 2);
    let empty = Does::Answers(200, "", json!({"choices": [{"message": {"content": ""}}]}).to_string());
    assert_eq!(ask(vec![empty, said("There.")]).await.expect("an answer").usage.attempts, 2);

    let wrong = ask(vec![failed(401, "", "Incorrect API key provided: sk-very-secret.")]).await.expect_err("no key");
    assert_eq!(wrong.to_string(), "m refused the request: HTTP 401: Incorrect API key provided: ••••••.");
    let body = json!({"error": {"message": "You are out of money", "code": "insufficient_quota"}}).to_string();
    let out = ask(vec![Does::Answers(429, "", body)]).await.expect_err("no quota");
    assert!(matches!(&out, Error::Refused { status: 429, .. }), "{out}");
    let page = ask(vec![Does::Answers(404, "", "<html> nothing\n here".to_owned())]).await.expect_err("no page");
    assert!(page.to_string().ends_with("HTTP 404: <html> nothing here"), "{page}");
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_as_long_as_it_says_and_no_attempt_is_without_end() {
    let began = Instant::now();
    let limited = failed(429, "retry-after: 1\r\n", "slow down");
    assert_eq!(ask(vec![limited, said("There.")]).await.expect("an answer").usage.attempts, 2);
    assert!((Duration::from_secs(1)..Duration::from_secs(20)).contains(&began.elapsed()), "{:?}", began.elapsed());

    let all = (0..4).map(|_| failed(503, "retry-after: 0\r\n", "overloaded")).collect();
    let error = ask(all).await.expect_err("never");
    assert_eq!(error.to_string(), "m gave no answer in 4 attempts: HTTP 503: overloaded");

    let (began, (model, _)) = (Instant::now(), endpoint(vec![Does::Sleeps]).await);
    let late = model.ask(&question(), Duration::from_secs(1)).await.expect_err("late");
    assert!(matches!(late, Error::Late { seconds: 1, .. }) && began.elapsed() < Duration::from_secs(20), "{late}");
    let (model, _) = endpoint(vec![failed(429, "retry-after: 3600\r\n", "tomorrow")]).await;
    let late = model.ask(&question(), Duration::from_secs(2)).await.expect_err("late");
    assert!(late.to_string().contains("within 2 s: HTTP 429: tomorrow"), "{late}");

    let gone = Service::find(Some("m"), |name| (name == "M_BASE_URL").then(|| "http://127.0.0.1:9/v1".to_owned()));
    let gone = Model::new(gone.expect("a service")).expect("a model").ask(&question(), Duration::from_secs(20)).await;
    let gone = gone.expect_err("nobody is there").to_string();
    assert!(gone.contains("in 4 attempts: it cannot be reached"), "{gone}");
}

#[tokio::test]
async fn a_model_that_declines_or_has_no_room_is_told_as_that() {
    let answer = |choice: Value| Does::Answers(200, "", json!({"choices": [choice]}).to_string());
    let refusal = answer(json!({"message": {"content": null, "refusal": "I cannot help with that."}}));
    assert_eq!(ask(vec![refusal]).await.expect_err("no").to_string(), "m declined: I cannot help with that.");
    let cut = answer(json!({"message": {"content": "Thought: The"}, "finish_reason": "length"}));
    assert_eq!(ask(vec![cut]).await.expect_err("cut"), Error::Cut { model: "m".to_owned() });
    let filtered = answer(json!({"message": {"content": "x"}, "finish_reason": "content_filter"}));
    assert!(matches!(ask(vec![filtered]).await.expect_err("filtered"), Error::Declined { .. }));
    let call = json!({"function": {"name": "tap_element", "arguments": "{\"ref\":\"e5\"}"}});
    let called = ask(vec![answer(json!({"message": {"content": null, "tool_calls": [call]}}))]).await.expect("a call");
    assert_eq!(called.calls, [Called { name: "tap_element".to_owned(), arguments: "{\"ref\":\"e5\"}".to_owned() }]);
    let parts =
        answer(json!({"message": {"content": [{"type": "text", "text": "A "}, {"type": "text", "text": "button"}]}}));
    assert_eq!(ask(vec![parts]).await.expect("a text").text, "A button");
}
