//! "Allow USB debugging?": the dialog in which the phone's owner lets a computer in. A question of an adbd → what the owner taps.
//!
//! Source: AOSP `frameworks/base/packages/SystemUI`, `UsbDebuggingActivity.java`.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::dialog::{Dialog, Kind, Outcome, option_row};
use super::handset::Handset;
use super::look::Look;
use super::node::Node;
use super::system::{Alert, System};
use super::tap::Answer;
use crate::adb::service::Trust;
use uixt_canvas::geometry::Area;

/// Whose window it is, and its name.
const PACKAGE: &str = "com.android.systemui";
const WINDOW: &str = "com.android.systemui/com.android.systemui.usb.UsbDebuggingActivity";
const ALWAYS: &str = "Always allow from this computer";
/// The buttons: text and id.
pub(super) const CANCEL: (&str, &str) = ("Cancel", "android:id/button2");
pub(super) const ALLOW: (&str, &str) = ("Allow", "android:id/button1");
/// How often is looked whether another alert is gone.
const GLANCE: Duration = Duration::from_millis(50);

/// Asks the owner, after whatever the system asks just now; the dialog goes away when `gone` is cancelled.
pub(super) async fn ask(handset: &Handset, fingerprint: &str, gone: &CancellationToken) -> Trust {
    let (tell, told) = oneshot::channel();
    let asked = async {
        let mut tell = Some(tell);
        while let Some(waiting) = tell {
            tell = handset.system.lock().await.ask_about_debugging(fingerprint, waiting);
            if tell.is_some() {
                tokio::time::sleep(GLANCE).await;
            }
        }
        // A phone that starts anew forgets what it asked.
        told.await.unwrap_or(Trust::Refused)
    };
    let answer = gone.run_until_cancelled(asked).await;
    if answer.is_none() {
        handset.system.lock().await.forget_debugging();
    }
    answer.unwrap_or(Trust::Refused)
}

impl System {
    /// Shows the dialog; gives the sender back where something else is asked.
    fn ask_about_debugging(
        &mut self,
        fingerprint: &str,
        tell: oneshot::Sender<Trust>,
    ) -> Option<oneshot::Sender<Trust>> {
        if self.alert.is_some() {
            return Some(tell);
        }
        let kind = Kind::Debugging { fingerprint: fingerprint.to_owned(), always: false };
        self.keyboard = None;
        self.alert = Some(Alert {
            package: PACKAGE.to_owned(),
            owner: PACKAGE,
            window: WINDOW.to_owned(),
            dialog: Dialog::new("Allow USB debugging?", kind),
            asked: Some(tell),
        });
        None
    }

    /// Takes the dialog away to whose answer nobody listens any more.
    fn forget_debugging(&mut self) {
        self.alert.take_if(|alert| alert.asked.as_ref().is_some_and(oneshot::Sender::is_closed));
    }
}

/// Takes an answer in; neither Back nor a tap beside it is one.
pub(super) fn answer(always: &mut bool, answer: &Answer) -> Outcome {
    match answer {
        Answer::Pick(0) => {
            *always = !*always;
            Outcome::Stay
        }
        Answer::Pick(_) => Outcome::Trust(Trust::Refused),
        Answer::Accept if *always => Outcome::Trust(Trust::Always),
        Answer::Accept => Outcome::Trust(Trust::Once),
        _ => Outcome::Stay,
    }
}

/// Builds what stands above the buttons.
pub(super) fn body(look: &Look, inner: Area, fingerprint: &str, always: bool) -> Vec<Node> {
    let text = format!("The computer's RSA key fingerprint is:\n{fingerprint}");
    let ink = (look.style(15.0), look.theme.muted);
    let message = look.words((inner.left, 0), inner.width(), &text, ink, 20).id("android:id/message");
    let mut check = option_row(look, inner, (0, ALWAYS), always, true).id(format!("{PACKAGE}:id/alwaysUse"));
    check.move_down(message.area.bottom + look.dp(8.0));
    vec![message, check]
}
