//! A call of a row, from what is looked at before it to what is noted behind it.

use std::time::Instant;

use uixt_call::mask::{self, MASK};
use uixt_call::{DIFF, ToolKind, take_then};
use uixt_locate::{Error, Kind, Object};

use crate::failures::{aftermath, fail_on};
use crate::pages::dialogs;
use crate::pixels::drawn::Drawn;
use crate::then::{self, TypedSecrets};
use crate::traces::call_trace::Swiped;
use crate::traces::last_acts::LastActs;
use crate::traces::last_touch::LastTouch;
use crate::traces::seen_apps::SeenApps;
use crate::traces::typed_text::{self, TypedText};
use crate::{ActionTool, Context, Reply};

impl ActionTool {
    /// Runs a call whose arguments were checked. Dropping the future ends what is under way on the device.
    pub async fn run(&'static self, mut arguments: Object, cx: &Context) -> Result<Reply, Error> {
        // What an earlier call set going may have come a little later.
        aftermath::check_downloads(cx.device.as_ref()).await?;
        dialogs::answer_unasked(self, cx).await?;
        typed_text::look(self, cx).await?;
        let then = take_then(&mut arguments);
        let before = if then { then::before(self, cx).await } else { None };
        let typed = (self.kind == ToolKind::Typing).then(|| arguments.get("text").map(mask::texts)).flatten();
        if !self.read_only && self.needs_device {
            cx.session.state::<TypedSecrets>().add(&mask::secrets(&arguments));
        }
        let serial = cx.device.as_deref().map(|device| device.info().serial.as_str());
        let place = cx.options.trace.begin(self, &arguments, serial, &cx.session.state::<Swiped>());
        cx.witness_front().await;
        cx.note_app(&arguments);
        cx.options.asked.note(&arguments, &|reference| cx.session.refs().is_drawn(reference));
        cx.options.narrow(self, &mut arguments);
        let (began, expects_status) = (Instant::now(), arguments.contains_key("status"));
        let again = (self.read_only && !cx.options.dialogs.is_fail()).then(|| arguments.clone());
        let (limit, called) = self.begin(arguments, cx)?;
        let limit = limit + cx.options.added_time();
        let last_acts = cx.session.state::<LastActs>();
        last_acts.note(self, cx.device.as_ref());
        let done = tokio::time::timeout(limit, called)
            .await
            .unwrap_or_else(|_| Err(Error::new(Kind::Device, format!("timed out after {} s", limit.as_secs()))));
        let done = match (done, again) {
            // A dialog that came meanwhile kept the page from being read.
            (Err(error), Some(arguments)) if dialogs::is_of_page(&error) => {
                dialogs::answer_unasked(self, cx).await?;
                let (limit, called) = self.begin(arguments, cx)?;
                tokio::time::timeout(limit, called).await.unwrap_or(Err(error))
            }
            (done, _) => done,
        };
        let refused = aftermath::check_downloads(cx.device.as_ref()).await;
        let done = done.and_then(|reply| refused.map(|()| reply));
        let done = match done {
            Ok(reply) => fail_on::check(self, cx, (began, expects_status)).await.map(|()| reply),
            Err(error) => Err(error),
        };
        let done = done.map_err(|error| cx.session.state::<TypedText>().blamed(error));
        cx.options.trace.end(place, self, done.as_ref().ok());
        if !self.read_only && self.needs_device {
            cx.session.state::<Drawn>().forget();
        }
        last_acts.note(self, cx.device.as_ref());
        last_acts.end(self);
        cx.session.state::<SeenApps>().end_call(began, done.is_ok(), self.kind == ToolKind::Launch);
        if done.is_ok() && !self.read_only && self.needs_device {
            cx.session.state::<LastTouch>().end_call();
            last_acts.done(began);
        }
        if done.as_ref().is_ok_and(|reply| reply.fields.get("text").is_some_and(|text| text == MASK)) {
            cx.session.state::<TypedSecrets>().add(&typed.unwrap_or_default());
        }
        match done {
            Ok(reply) if then => Ok(reply.with(DIFF, then::told(self, cx, before.as_ref()).await)),
            // Its steps before the one that failed were made.
            Err(error) if then && self.name == "batch" => {
                Err(error.with(DIFF, then::told(self, cx, before.as_ref()).await))
            }
            done => done,
        }
    }
}
