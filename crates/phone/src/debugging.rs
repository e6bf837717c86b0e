//! "Allow USB debugging?": the dialog in which the phone's owner lets a computer in. A question of an adbd → what the owner taps.
//!
//! Source: AOSP `frameworks/base/packages/SystemUI`, `UsbDebuggingActivity.java`.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::dialog::{Dialog, Kind, SYSTEM_UI_PACKAGE};
use super::handset::Handset;
use super::system::{Alert, System};
use crate::adb::service::Trust;

/// The window's name.
const WINDOW: &str = "com.android.systemui/com.android.systemui.usb.UsbDebuggingActivity";
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
            package: SYSTEM_UI_PACKAGE.to_owned(),
            owner: SYSTEM_UI_PACKAGE,
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
