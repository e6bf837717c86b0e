//! Calls of the agent → what they do and answer, as hypium's clients write them (`callHypiumApi`, `Gestures`, `Captures`,
//! `CtrlCmd`).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::super::handset::Handset;
use super::super::super::touch::Motion;
use super::super::acts::{self, Act, Point, SPEED, SPEEDS};
use super::super::keys::POWER;
use super::super::tree::Wish;

/// Codes of exceptions: a wrong argument, what cannot be done.
const ARGUMENT: u32 = 401;
const FAILED: u32 = 17_000_002;

/// An answer's result, or code and message of its exception.
pub(super) type Outcome = Result<Value, (u32, String)>;

/// A finger's points: each with the milliseconds until the next one, where they are told.
pub(super) type Finger = Vec<Option<(Point, u64)>>;

/// What one client has made.
pub(super) struct Session {
    pub(super) handset: Arc<Handset>,
    pub(super) matrices: Vec<Vec<Finger>>,
    /// Conditions on elements, and elements that were found.
    pub(super) conditions: Vec<Vec<(String, Value)>>,
    pub(super) components: Vec<Value>,
    /// Whether pictures of the screen are wanted, and the number under which they come.
    pub(super) captures: bool,
    pub(super) capture: Option<u32>,
}

pub(super) fn wrong(what: impl Into<String>) -> (u32, String) {
    (ARGUMENT, what.into())
}

impl Session {
    pub(super) fn new(handset: Arc<Handset>) -> Self {
        Self {
            handset,
            matrices: Vec::new(),
            conditions: Vec::new(),
            components: Vec::new(),
            captures: false,
            capture: None,
        }
    }

    /// Answers a call; `id` is its number.
    pub(super) async fn answer(&mut self, call: &Value, id: Option<u32>) -> Value {
        self.handset.harmony.counts.add("agent_calls", 1);
        let parameters = &call["params"];
        let (api, arguments) = (parameters["api"].as_str().unwrap_or_default(), &parameters["args"]);
        let outcome = match call["method"].as_str().unwrap_or_default() {
            "callHypiumApi" => self.hypium(api, &parameters["this"], arguments).await,
            "Gestures" => self.gesture(api, arguments).await,
            "Captures" => self.picture(api, id).await,
            "CtrlCmd" => self.control(api).await,
            other => Err(wrong(format!("Illegal method: {other}"))),
        };
        match outcome {
            Ok(result) => json!({"result": result}),
            Err((code, message)) => json!({"exception": {"code": code, "message": message}}),
        }
    }

    pub(super) async fn perform(&self, act: Act) -> Outcome {
        acts::perform(&self.handset, vec![act]).await.map_err(|why| (FAILED, why.0))?;
        Ok(Value::Null)
    }

    async fn hypium(&mut self, api: &str, this: &Value, arguments: &Value) -> Outcome {
        let number =
            |at: usize| arguments[at].as_f64().ok_or_else(|| wrong(format!("{api}: argument {at} is no number")));
        let text = |at: usize| arguments[at].as_str().ok_or_else(|| wrong(format!("{api}: argument {at} is no text")));
        let whole =
            |at: usize| arguments[at].as_i64().ok_or_else(|| wrong(format!("{api}: argument {at} is no number")));
        let act = match api {
            "Driver.create" => return Ok(json!("Driver#0")),
            "Driver.click" => Act::Click((number(0)?, number(1)?)),
            "Driver.doubleClick" => Act::DoubleClick((number(0)?, number(1)?)),
            "Driver.longClick" => Act::LongClick((number(0)?, number(1)?)),
            "Driver.swipe" | "Driver.drag" => Act::Swipe {
                from: (number(0)?, number(1)?),
                to: (number(2)?, number(3)?),
                speed: arguments[4]
                    .as_u64()
                    .and_then(|speed| u32::try_from(speed).ok())
                    .filter(|speed| SPEEDS.contains(speed))
                    .unwrap_or(SPEED),
                drags: api == "Driver.drag",
            },
            "Driver.pressBack" => Act::Keys(vec![2]),
            "Driver.pressHome" => Act::Keys(vec![1]),
            "Driver.triggerKey" => Act::Keys(vec![whole(0)?]),
            "Driver.triggerCombineKeys" => Act::Keys((0..3).filter_map(|at| arguments[at].as_i64()).collect()),
            "Driver.inputText" => {
                self.perform(Act::Click(point(&arguments[0])?)).await?;
                Act::Text(text(1)?.to_owned())
            }
            "Driver.getDisplaySize" => {
                let (width, height) = self.handset.system.lock().await.size();
                return Ok(json!({"x": width, "y": height}));
            }
            "Driver.getDisplayRotation" => return Ok(json!(self.handset.system.lock().await.rotation())),
            "Driver.setDisplayRotation" => {
                let quarter = u8::try_from(whole(0)?).ok().filter(|quarter| *quarter < 4);
                let quarter = quarter.ok_or_else(|| wrong("the rotation must be from 0 to 3"))?;
                self.handset.system.lock().await.set_rotation(quarter);
                return Ok(Value::Null);
            }
            "Driver.wakeUpDisplay" if self.handset.system.lock().await.is_screen_on() => return Ok(Value::Null),
            "Driver.wakeUpDisplay" => Act::Keys(vec![POWER]),
            "Driver.uiEventObserverOnce" => return Ok(json!(true)),
            "Driver.getRecentUiEvent" => return Ok(self.toast(number(0)?).await),
            "PointerMatrix.create" => return self.create_matrix(arguments),
            "PointerMatrix.setPoint" => return self.set_point(this, arguments),
            "Driver.injectMultiPointerAction" => return self.inject(arguments).await,
            "Driver.findComponents" | "Driver.findComponent" => return self.find(api, &arguments[0]).await,
            _ if api.starts_with("On.") => return self.condition(&api[3..], this, &arguments[0]),
            _ if api.starts_with("Component.") => return self.component(&api[10..], this, arguments).await,
            _ => return Err(wrong(format!("No handler found for api '{api}'"))),
        };
        self.perform(act).await
    }

    async fn gesture(&self, api: &str, arguments: &Value) -> Outcome {
        let motion = match api {
            "touchDown" => Motion::Down,
            "touchMove" => Motion::Move,
            "touchUp" => Motion::Up,
            _ => return Err(wrong(format!("Illegal gesture: {api}"))),
        };
        let at = point(arguments)?;
        self.perform(Act::Event(motion, at)).await?;
        Ok(json!(true))
    }

    async fn picture(&mut self, api: &str, id: Option<u32>) -> Outcome {
        match api {
            "captureLayout" => self.layout().await,
            "startCaptureScreen" => {
                (self.captures, self.capture) = (true, id);
                Ok(json!(true))
            }
            "stopCaptureScreen" => {
                self.captures = false;
                Ok(json!(true))
            }
            _ => Err(wrong(format!("Illegal capture: {api}"))),
        }
    }

    pub(super) async fn layout(&self) -> Outcome {
        self.handset.now_ms().await;
        self.handset.harmony.counts.add("dumps", 1);
        let has_extension = self.handset.harmony.faults.is("uiextension");
        let text = self.handset.system.lock().await.harmony_dump(&Wish { has_extension, ..Wish::default() });
        serde_json::from_str(&text).map_err(|error| (FAILED, error.to_string()))
    }

    async fn control(&self, api: &str) -> Outcome {
        match api {
            "getDisplaySize" => {
                let (width, height) = self.handset.system.lock().await.size();
                Ok(json!({"width": width, "height": height}))
            }
            "waitForIdle" => Ok(json!(true)),
            _ => Err(wrong(format!("Illegal command: {api}"))),
        }
    }

    /// Waits for a message that the app in front shows for a while; null where none comes.
    async fn toast(&self, ms: f64) -> Value {
        let end = tokio::time::Instant::now() + Duration::from_secs_f64((ms / 1000.0).clamp(0.0, 30.0));
        loop {
            let mut system = self.handset.system.lock().await;
            system.catch_up();
            let scene = system.scene();
            let toast = scene.floating.iter().find(|floating| floating.over.is_only_seen());
            let text = toast.and_then(|toast| toast.root.children.first()).map(|node| node.text.clone());
            drop(system);
            if let Some(text) = text {
                return json!({"type": "Toast", "text": text});
            }
            if tokio::time::Instant::now() >= end {
                return Value::Null;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Returns the number of a name such as `On#3`.
pub(super) fn index(name: &Value, kind: &str) -> Option<usize> {
    name.as_str()?.strip_prefix(kind)?.parse().ok()
}

pub(super) fn point(value: &Value) -> Result<Point, (u32, String)> {
    value["x"].as_f64().zip(value["y"].as_f64()).ok_or_else(|| wrong("a point must have numbers x and y"))
}
