//! Pixels, and places among them.

use std::io::Cursor;

use png::{ColorType, Decoder, Limits, Transformations};

use super::Error;

/// The longest side of a picture, in pixels: a screen has at most half of it.
const LONGEST: u32 = 10_000;
/// The most pixels of a picture.
const MOST: u64 = 40_000_000;

/// A rectangle of pixels; `right` and `bottom` stand behind the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub left: u32,
    pub top: u32,
    pub right: u32,
    pub bottom: u32,
}

impl Place {
    pub fn width(&self) -> u32 {
        self.right.saturating_sub(self.left)
    }

    pub fn height(&self) -> u32 {
        self.bottom.saturating_sub(self.top)
    }

    /// Tells whether two places have a pixel in common.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    /// Returns the smallest place that holds both.
    pub(crate) fn with(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// A picture: red, green, blue and alpha of 8 bits each, row by row.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
}

impl Picture {
    /// Takes the pixels. One side of at most 10,000 pixels and 40 million pixels in all are read; more, none, or another number than
    /// the size says is an error.
    pub fn new(width: u32, height: u32, rgba: Vec<u8>) -> Result<Self, Error> {
        let pixels = check(width, height)?;
        if rgba.len() as u64 != pixels * 4 {
            let message = format!("a picture of {width}×{height} pixels has {} bytes, not {}", rgba.len(), pixels * 4);
            return Err(Error::BadPicture(message));
        }
        Ok(Self { width, height, rgba })
    }

    /// Unpacks a PNG of any kind of colours; of 16 bits, the upper 8 count. One that is cut off or larger than [`Picture::new`] takes is
    /// an error.
    pub fn decode(png: &[u8]) -> Result<Self, Error> {
        let broken = |error: &dyn std::fmt::Display| Error::BadPicture(format!("not a PNG that can be read: {error}"));
        let mut decoder = Decoder::new_with_limits(Cursor::new(png), Limits { bytes: MOST as usize * 8 });
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(|error| broken(&error))?;
        let (width, height) = reader.info().size();
        check(width, height)?;
        let mut data = vec![0; reader.output_buffer_size().ok_or_else(|| broken(&"it is too large"))?];
        let frame = reader.next_frame(&mut data).map_err(|error| broken(&error))?;
        data.truncate(frame.buffer_size());
        let rgba = match frame.color_type {
            ColorType::Rgba => data,
            ColorType::Rgb => data.chunks_exact(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect(),
            ColorType::GrayscaleAlpha => {
                data.chunks_exact(2).flat_map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]]).collect()
            }
            ColorType::Grayscale | ColorType::Indexed => {
                data.iter().flat_map(|value| [*value, *value, *value, 255]).collect()
            }
        };
        Self::new(width, height, rgba)
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the place of all of it.
    pub fn whole(&self) -> Place {
        Place { left: 0, top: 0, right: self.width, bottom: self.height }
    }

    /// Returns the bytes of a row, from one column to another.
    pub(crate) fn row(&self, y: u32, left: u32, right: u32) -> &[u8] {
        let at = |x: u32| (y as usize * self.width as usize + x as usize) * 4;
        &self.rgba[at(left)..at(right)]
    }
}

/// Returns how many pixels a picture has, where that are not too many.
fn check(width: u32, height: u32) -> Result<u64, Error> {
    let pixels = u64::from(width) * u64::from(height);
    if width == 0 || height == 0 || width.max(height) > LONGEST || pixels > MOST {
        return Err(Error::BadPicture(format!(
            "a picture of {width}×{height} pixels is not read: sides of 1 to {LONGEST}, and at most {MOST} pixels, are"
        )));
    }
    Ok(pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(width: u32, height: u32, color: ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(data).expect("pixels");
        writer.finish().expect("an end");
        bytes
    }

    #[test]
    fn pictures_of_every_kind_are_taken() {
        let eight = png::BitDepth::Eight;
        for (color, depth, data, wanted) in [
            (ColorType::Rgb, eight, &[1, 2, 3][..], [1, 2, 3, 255]),
            (ColorType::Rgba, eight, &[1, 2, 3, 4], [1, 2, 3, 4]),
            (ColorType::Grayscale, eight, &[9], [9, 9, 9, 255]),
            (ColorType::GrayscaleAlpha, eight, &[9, 7], [9, 9, 9, 7]),
            (ColorType::Rgb, png::BitDepth::Sixteen, &[1, 200, 2, 200, 3, 200], [1, 2, 3, 255]),
        ] {
            let picture = Picture::decode(&encoded(1, 1, color, depth, data)).expect("a picture");
            assert_eq!(picture.row(0, 0, 1), wanted, "{color:?}");
        }
    }

    #[test]
    fn bad_pictures_are_refused() {
        let whole = encoded(3, 5, ColorType::Grayscale, png::BitDepth::Eight, &[7; 15]);
        // The checksum of what comes last is no part of the pixels.
        for length in 0..whole.len() - 12 {
            assert!(Picture::decode(&whole[..length]).is_err(), "{length} bytes");
        }
        let refused =
            |width, height, bytes| Picture::new(width, height, vec![0; bytes]).err().map(|error| error.to_string());
        assert!(refused(20_000, 20_000, 0).is_some_and(|said| said.contains("20000×20000")));
        assert!(
            refused(0, 5, 0).is_some() && refused(2, 2, 15).is_some_and(|said| said.contains("has 15 bytes, not 16"))
        );
        let bomb = encoded(12_000, 1, ColorType::Grayscale, png::BitDepth::One, &[0; 1_500]);
        assert!(Picture::decode(&bomb).is_err_and(|error| error.to_string().contains("12000×1")));
    }
}
