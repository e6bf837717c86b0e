//! Pictures that pages show: a PNG in a data URI, or one of the phone's own illustrations by its name.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;

use crate::canvas::Color;
use crate::illustration;

/// The longest side that is decoded, in pixels, and the longest data URI, in bytes.
const LONGEST_SIDE: u32 = 1024;
const LONGEST_SOURCE: usize = 4 << 20;
/// How many pictures are kept.
const KEPT: usize = 24;

type Cache = HashMap<String, Option<Arc<Picture>>>;
static PICTURES: LazyLock<Mutex<Cache>> = LazyLock::new(Mutex::default);

/// A decoded picture.
#[derive(Debug, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    /// RGBA, row by row.
    data: Vec<u8>,
}

impl Picture {
    /// Makes a picture by asking for the color of each pixel.
    pub fn drawn(width: u32, height: u32, color: impl Fn(u32, u32) -> Color) -> Self {
        let data = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| color(x, y)).collect();
        Self { width, height, data }
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the color between the pixels around a point.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "pixels")]
    pub fn sample(&self, x: f32, y: f32) -> Color {
        let (x, y) = (x.clamp(0.0, self.width as f32 - 1.0), y.clamp(0.0, self.height as f32 - 1.0));
        let (left, top) = (x as u32, y as u32);
        let (right, bottom) = ((left + 1).min(self.width - 1), (top + 1).min(self.height - 1));
        let (across, down) = (x - left as f32, y - top as f32);
        let mut color = [0; 4];
        for (channel, value) in color.iter_mut().enumerate() {
            let at =
                |x: u32, y: u32| f32::from(self.data[(y as usize * self.width as usize + x as usize) * 4 + channel]);
            let upper = at(left, top) * (1.0 - across) + at(right, top) * across;
            let lower = at(left, bottom) * (1.0 - across) + at(right, bottom) * across;
            *value = (upper * (1.0 - down) + lower * down).round() as u8;
        }
        color
    }
}

/// Returns the picture that a source names; None where it names none or cannot be decoded.
pub fn load(source: &str) -> Option<Arc<Picture>> {
    let mut pictures = PICTURES.lock();
    if let Some(known) = pictures.get(source) {
        return known.clone();
    }
    let picture = match source.strip_prefix("data:") {
        Some(uri) => decode(uri),
        None => illustration::named(source),
    };
    let picture = picture.map(Arc::new);
    if pictures.len() >= KEPT {
        pictures.clear();
    }
    pictures.insert(source.to_owned(), picture.clone());
    picture
}

/// Decodes what stands behind `data:` of a PNG's data URI.
fn decode(uri: &str) -> Option<Picture> {
    let encoded = uri.strip_prefix("image/png;base64,").filter(|encoded| encoded.len() <= LONGEST_SOURCE)?;
    let bytes = STANDARD.decode(encoded.trim()).ok()?;
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = (reader.info().width, reader.info().height);
    if width == 0 || height == 0 || width > LONGEST_SIDE || height > LONGEST_SIDE {
        return None;
    }
    let mut raw = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut raw).ok()?;
    raw.truncate(frame.buffer_size());
    Some(Picture { width, height, data: to_rgba(&raw, frame.color_type)? })
}

fn to_rgba(raw: &[u8], kind: png::ColorType) -> Option<Vec<u8>> {
    let gray = |value: u8, alpha: u8| [value, value, value, alpha];
    Some(match kind {
        png::ColorType::Rgba => raw.to_vec(),
        png::ColorType::Rgb => raw.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect(),
        png::ColorType::Grayscale => raw.iter().flat_map(|p| gray(*p, 255)).collect(),
        png::ColorType::GrayscaleAlpha => raw.chunks_exact(2).flat_map(|p| gray(p[0], p[1])).collect(),
        png::ColorType::Indexed => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_in_a_data_uri_is_decoded_and_anything_else_is_not() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&[255, 0, 0, 0, 0, 255]).unwrap();
        let picture = load(&format!("data:image/png;base64,{}", STANDARD.encode(bytes))).unwrap();
        assert_eq!((picture.width(), picture.height()), (2, 1));
        assert_eq!(picture.sample(1.0, 0.0), [0, 0, 255, 255]);
        assert_eq!(load("data:image/png;base64,AAAA"), None);
        assert_eq!(load("http://elsewhere/picture.png"), None);
    }
}
