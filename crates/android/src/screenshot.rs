//! What `screencap` writes → a PNG that is whole, and its size; or the pixels. Source of the raw format: AOSP `screencap.cpp`.

use std::net::IpAddr;

use crate::driver::{Error, PNG_SIGNATURE, Pixels, Screenshot, Size};

/// Compressed by the device: fewer bytes on the way outweigh its work.
pub(super) const COMMAND: &str = "screencap -p";
/// Not compressed: quicker where the way to the device is as fast as memory.
pub(super) const RAW: &str = "screencap";

/// The last chunk of every PNG: its length, its name, its checksum.
const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";
/// Bytes of warnings that may stand before the picture (phones with two displays print some).
const WARNINGS: usize = 4096;

/// Takes the picture out of the command's output.
pub(super) fn parse(mut bytes: Vec<u8>) -> Result<Screenshot, Error> {
    let head = &bytes[..bytes.len().min(WARNINGS)];
    let Some(start) = head.windows(PNG_SIGNATURE.len()).position(|window| window == PNG_SIGNATURE) else {
        return Err(no_picture(&bytes));
    };
    bytes.drain(..start);
    let size = Size::of_png(&bytes).ok_or_else(|| broken("its header is broken"))?;
    let end = bytes.windows(END.len()).rposition(|window| window == END).ok_or_else(|| broken("it ends early"))?;
    bytes.truncate(end + END.len());
    Ok(Screenshot { png: bytes, size })
}

/// What the serials of devices begin with that run where they are driven from: emulators, and the virtual phone.
const NEAR: [&str; 2] = ["emulator-", "uixt-phone"];

/// Tells whether a device runs on this computer, as an emulator does: ten megabytes are nothing there.
pub(super) fn is_near(serial: &str) -> bool {
    let host = serial.rsplit_once(':').map(|(host, _)| host.trim_matches(['[', ']']));
    let is_loopback =
        |host: &str| host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    NEAR.iter().any(|near| serial.starts_with(near)) || host.is_some_and(is_loopback)
}

/// Formats whose pixels are red, green, blue and one more byte.
const RGBA_8888: u32 = 1;
const RGBX_8888: u32 = 2;

/// Takes the pixels out of the raw output, which begins with width, height, format and, since Android 9, the data space, of 32 bits
/// each; none where it is of another kind.
pub(super) fn raw(mut bytes: Vec<u8>) -> Option<Pixels> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (size, format) = (Size { width: word(0)?, height: word(4)? }, word(8)?);
    let length = (size.width as usize).checked_mul(size.height as usize)?.checked_mul(4)?;
    let header = bytes.len().checked_sub(length).filter(|header| matches!(header, 12 | 16))?;
    if length == 0 || !matches!(format, RGBA_8888 | RGBX_8888) {
        return None;
    }
    bytes.drain(..header);
    Some(Pixels { size, rgba: bytes })
}

fn no_picture(bytes: &[u8]) -> Error {
    let said = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
    let said = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("nothing");
    Error::Device { message: format!("`{COMMAND}` gave no picture but: {said}") }
}

fn broken(how: &str) -> Error {
    Error::Device {
        message: format!(
            "`{COMMAND}` gave a picture that cannot be used: {how}; is the device short of memory, or its cable bad?"
        ),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A black picture.
    pub(in super::super) fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = png::Encoder::new(&mut bytes, width, height).write_header().unwrap();
        writer.write_image_data(&vec![0; (width * height) as usize]).unwrap();
        drop(writer);
        bytes
    }

    #[test]
    fn whole_pictures_pass_and_warnings_are_cut_off() {
        let picture = Screenshot { png: png(3, 5), size: Size { width: 3, height: 5 } };
        assert_eq!(parse(png(3, 5)).unwrap(), picture);
        let noisy = [b"[Warning] Multiple displays were found\n".to_vec(), png(3, 5), b"\n".to_vec()].concat();
        assert_eq!(parse(noisy).unwrap(), picture);
    }

    #[test]
    fn raw_pictures_are_taken_with_either_header_and_nothing_else() {
        let header = |words: &[u32]| words.iter().copied().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
        let picture = Pixels { size: Size { width: 2, height: 1 }, rgba: vec![1, 2, 3, 255, 4, 5, 6, 255] };
        let of = |words: &[u32]| raw([header(words), picture.rgba.clone()].concat());
        assert_eq!(of(&[2, 1, 1, 1]), Some(picture.clone()), "Android 9");
        assert_eq!(of(&[2, 1, 2]), Some(picture.clone()), "Android 8");
        for other in [&[2, 1, 4, 1][..], &[2, 2, 1, 1], &[1, 1, 1, 1], &[u32::MAX, u32::MAX, 1, 1], &[2, 1], &[0, 0, 1]]
        {
            assert_eq!(of(other), None, "{other:?}");
        }
        assert_eq!(raw(b"Capturing failed.\n".to_vec()), None);
    }

    #[test]
    fn only_what_runs_on_this_computer_is_near() {
        for near in ["emulator-5554", "uixt-phone", "127.0.0.1:5555", "localhost:5555", "[::1]:5555"] {
            assert!(is_near(near), "{near}");
        }
        for far in ["R58M123ABC", "192.168.1.7:5555", "phone.example:5555", "adb-1._adb-tls-connect._tcp"] {
            assert!(!is_near(far), "{far}");
        }
    }

    #[test]
    fn cut_and_missing_pictures_are_errors() {
        for length in 0..png(3, 5).len() {
            assert!(parse(png(3, 5)[..length].to_vec()).is_err(), "{length} bytes");
        }
        let error = parse(b"Capturing failed.\n".to_vec()).unwrap_err();
        assert_eq!(error.to_string(), "`screencap -p` gave no picture but: Capturing failed.");
    }
}
