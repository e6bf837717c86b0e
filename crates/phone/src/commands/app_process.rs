//! `app_process`, which starts Java programs: refused in words, since there is no Java here.
//!
//! That is what scrcpy's server, agents pushed as a `.dex`, and scripts such as Android's own `am` once was are started by.

use std::io;

use super::call::Call;

pub(super) async fn app_process(call: &mut Call<'_>) -> io::Result<u8> {
    let class = call.arguments.iter().skip_while(|argument| argument.starts_with('-')).nth(1);
    let class = class.map_or("a Java program", String::as_str);
    call.fail(1, &format!("app_process: cannot run {class}: this phone is virtual and runs no Java or Android code"))
        .await
}
