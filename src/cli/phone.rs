//! `uixt phone`: the virtual phone, for any adb client.

use clap::Args;

use super::exit::{Done, Exit, Failure, runtime};
use super::signals::Asked;
use crate::phone;

#[derive(Args)]
pub(super) struct Phone {
    /// Port on 127.0.0.1 that acts as an adb server; 0 picks a free one.
    #[arg(long, default_value_t = 5038)]
    port: u16,
    /// Serial number that the phone shows.
    #[arg(long, default_value = "uixt-phone")]
    serial: String,
    /// Pixels of the screen.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1080x2400", value_parser = size)]
    size: (u32, u32),
    /// Dots per inch.
    #[arg(long, default_value_t = 420, value_parser = clap::value_parser!(u32).range(72..=1000))]
    density: u32,
}

impl Phone {
    pub(super) fn run(self) -> Done {
        let options = phone::system::Options {
            size: self.size,
            density: self.density,
            serial: self.serial,
            ..Default::default()
        };
        runtime()?.block_on(async {
            // Before the address is printed: whoever read it may already ask the phone to end.
            let mut asked = Asked::listen()?;
            let phone = phone::Phone::start(options, self.port)
                .await
                .map_err(|error| Failure::errored(format!("cannot serve on 127.0.0.1:{}: {error}", self.port)))?;
            let port = phone.address().port();
            super::exit::print(&format!("127.0.0.1:{port}"))?;
            eprintln!("the virtual phone is up: adb -P {port} shell, or uixt run --adb-server 127.0.0.1:{port}; Ctrl-C ends it");
            asked.wait().await;
            Ok(Exit::Passed)
        })
    }
}

/// Parses `1080x2400`.
fn size(text: &str) -> Result<(u32, u32), String> {
    let sides =
        text.split_once(['x', '×']).and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match sides {
        Some((width, height)) if (240..=4096).contains(&width) && (240..=4096).contains(&height) => Ok((width, height)),
        Some(_) => Err("each side must be from 240 to 4096 pixels".to_owned()),
        None => Err(format!("`{text}` is no size; write it as 1080x2400")),
    }
}
