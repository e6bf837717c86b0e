//! `reboot`: the phone starts anew.

use std::io;

use super::call::Call;
use crate::reboot::refusal;

pub(super) async fn reboot(call: &mut Call<'_>) -> io::Result<u8> {
    let target = call.arguments.iter().find(|argument| !argument.starts_with('-')).cloned().unwrap_or_default();
    match refusal(&target) {
        Some(reason) => call.fail(1, &reason).await,
        None => call.handset().reboot().await.map(|()| 0),
    }
}
