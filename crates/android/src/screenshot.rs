//! What `screencap -p` writes → a PNG that is whole, and its size.

use crate::driver::{Error, Screenshot, Size};

/// Compressed by the device: fewer bytes on the way outweigh its work.
pub(super) const COMMAND: &str = "screencap -p";

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The last chunk of every PNG: its length, its name, its checksum.
const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";
/// Bytes of warnings that may stand before the picture (phones with two displays print some).
const WARNINGS: usize = 4096;

/// Takes the picture out of the command's output.
pub(super) fn parse(mut bytes: Vec<u8>) -> Result<Screenshot, Error> {
    let head = &bytes[..bytes.len().min(WARNINGS)];
    let Some(start) = head.windows(SIGNATURE.len()).position(|window| window == SIGNATURE) else {
        return Err(no_picture(&bytes));
    };
    bytes.drain(..start);
    let size = size_of(&bytes).ok_or_else(|| broken("its header is broken"))?;
    let end = bytes.windows(END.len()).rposition(|window| window == END).ok_or_else(|| broken("it ends early"))?;
    bytes.truncate(end + END.len());
    Ok(Screenshot { png: bytes, size })
}

fn size_of(png: &[u8]) -> Option<Size> {
    let header = png.get(SIGNATURE.len()..SIGNATURE.len() + 16)?;
    let word = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    let size = Size { width: word(8)?, height: word(12)? };
    (header.starts_with(b"\0\0\0\x0dIHDR") && size.width > 0 && size.height > 0).then_some(size)
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
    fn cut_and_missing_pictures_are_errors() {
        for length in 0..png(3, 5).len() {
            assert!(parse(png(3, 5)[..length].to_vec()).is_err(), "{length} bytes");
        }
        let error = parse(b"Capturing failed.\n".to_vec()).unwrap_err();
        assert_eq!(error.to_string(), "`screencap -p` gave no picture but: Capturing failed.");
    }
}
