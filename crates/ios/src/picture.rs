//! Screenshots: Base64 of a PNG → the picture, and the size that its header tells.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::driver::{Error, Screenshot, Size};
use crate::fault::{Miss, beginning};
use crate::source::text_value;
use crate::wda::{LONG, Wda};

/// Takes a picture of the screen.
pub(crate) async fn take(wda: &Wda) -> Result<Screenshot, Miss> {
    take_within(wda, LONG).await
}

/// Takes one that is there within `limit`.
pub(crate) async fn take_within(wda: &Wda, limit: Duration) -> Result<Screenshot, Miss> {
    let answer = wda.beside("take a picture of the screen", "/screenshot", limit).await?;
    decode(&answer.body).map_err(Miss::Broken)
}

fn decode(body: &[u8]) -> Result<Screenshot, Error> {
    let broken =
        |how: &str| Error::Device { message: format!("the picture that WebDriverAgent gave cannot be used: {how}") };
    let text = std::str::from_utf8(body).map_err(|_| broken("it is no text"))?;
    let encoded = text_value(text).map_err(|how| broken(&how))?;
    // Some servers break it into lines.
    let joined: String;
    let is_broken = ['\r', '\n', ' '].into_iter().any(|sign| encoded.contains(sign));
    let encoded = match is_broken {
        true => {
            joined = encoded.split_ascii_whitespace().collect();
            joined.as_str()
        }
        false => &encoded,
    };
    let png = STANDARD
        .decode(encoded)
        .map_err(|_| broken(&format!("it is no Base64: {}", beginning(&encoded[..encoded.len().min(40)]))))?;
    let size = Size::of_png(&png).ok_or_else(|| broken("it is no PNG"))?;
    Ok(Screenshot { png, size })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A black picture.
    pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = png::Encoder::new(&mut bytes, width, height).write_header().unwrap();
        writer.write_image_data(&vec![0; (width * height) as usize]).unwrap();
        drop(writer);
        bytes
    }

    #[test]
    fn a_picture_tells_its_size_and_what_is_none_is_an_error() {
        let of = |encoded: &str| decode(format!("{{\"value\":\"{encoded}\"}}").as_bytes());
        let encoded = STANDARD.encode(png(6, 13));
        assert_eq!(of(&encoded).unwrap().size, Size { width: 6, height: 13 });
        let (first, rest) = encoded.split_at(20);
        assert_eq!(of(&format!("{first}\\r\\n{rest}")).unwrap().png, png(6, 13));
        for broken in ["", "!!", "AAAA"] {
            assert!(of(broken).is_err(), "{broken}");
        }
    }
}
