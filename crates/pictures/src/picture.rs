//! Pixels, and places among them.

use std::io::Cursor;
use std::sync::Arc;

use png::{ColorType, Decoder, Encoder, Limits, Transformations};

use super::Error;

/// The longest side of a picture, in pixels: of whole pages, too.
const LONGEST: u32 = 32_767;
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
    pub fn meets(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    /// Returns the smallest place that holds both.
    pub fn with(&self, other: &Self) -> Self {
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
    /// Shared, so that a copy costs nothing.
    rgba: Arc<Vec<u8>>,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture of {}×{}", self.width, self.height)
    }
}

impl Picture {
    /// Takes the pixels. Sides of at most 32,767 pixels and 40 million pixels in all are read; more, none, or another number than
    /// the size says is an error.
    pub fn new(width: u32, height: u32, rgba: Vec<u8>) -> Result<Self, Error> {
        let pixels = check(width, height)?;
        if rgba.len() as u64 != pixels * 4 {
            let message = format!("a picture of {width}×{height} pixels has {} bytes, not {}", rgba.len(), pixels * 4);
            return Err(Error(message));
        }
        Ok(Self { width, height, rgba: Arc::new(rgba) })
    }

    /// Unpacks a PNG of any kind of colours; of 16 bits, the upper 8 count. One that is cut off or larger than [`Picture::new`] takes is
    /// an error.
    pub fn decode(png: &[u8]) -> Result<Self, Error> {
        let broken = |error: &dyn std::fmt::Display| Error(format!("not a PNG that can be read: {error}"));
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
    pub fn row(&self, y: u32, left: u32, right: u32) -> &[u8] {
        let at = |x: u32| (y as usize * self.width as usize + x as usize) * 4;
        &self.rgba[at(left)..at(right)]
    }

    /// Returns red, green, blue and alpha of a pixel.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        let row = self.row(y, x, x + 1);
        [row[0], row[1], row[2], row[3]]
    }

    /// Returns a part as a picture of its own. A part of no pixels, or that is not all in the picture, is an error.
    pub fn part(&self, place: Place) -> Result<Self, Error> {
        if place.right > self.width || place.bottom > self.height {
            return Err(Error(format!("{place:?} is not all in a picture of {}×{} pixels", self.width, self.height)));
        }
        let rows = (place.top..place.bottom).flat_map(|y| self.row(y, place.left, place.right.max(place.left)));
        Self::new(place.width(), place.height(), rows.copied().collect())
    }

    /// Returns it in another size: each pixel is the mean of the area that it stands for. It cannot grow.
    #[must_use]
    pub fn shrunk(&self, width: u32, height: u32) -> Self {
        let (width, height) = (width.clamp(1, self.width), height.clamp(1, self.height));
        let (columns, rows) = (spans(self.width, width), spans(self.height, height));
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
        let mut line = vec![0_u32; self.width as usize * 4];
        for (top, bottom) in rows {
            line.fill(0);
            for y in top..bottom {
                line.iter_mut().zip(self.row(y, 0, self.width)).for_each(|(sum, value)| *sum += u32::from(*value));
            }
            for (left, right) in &columns {
                let count = u64::from((right - left) * (bottom - top));
                let mut sums = [0_u64; 4];
                for pixel in line[*left as usize * 4..*right as usize * 4].chunks_exact(4) {
                    sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u64::from(*value));
                }
                rgba.extend(sums.map(|sum| ((sum + count / 2) / count) as u8));
            }
        }
        Self { width, height, rgba: Arc::new(rgba) }
    }

    /// Returns the same with places that are transparent; what of them is not in the picture is left out.
    #[must_use]
    pub fn cleared(&self, places: &[Place]) -> Self {
        let mut picture = self.clone();
        let rgba = Arc::make_mut(&mut picture.rgba);
        for place in places {
            let (left, right) = (place.left.min(self.width) as usize, place.right.min(self.width) as usize);
            for y in place.top.min(self.height)..place.bottom.min(self.height) {
                let row = y as usize * self.width as usize * 4;
                rgba[row + left * 4..row + right.max(left) * 4].fill(0);
            }
        }
        picture
    }

    /// Packs it as a PNG, without an alpha channel where nothing shines through.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        self.packed(png::Compression::default())
    }

    /// Packs it as [`Picture::encode`] does, in a fraction of the time, larger: for one that is shown once.
    pub fn encode_quickly(&self) -> Result<Vec<u8>, Error> {
        self.packed(png::Compression::Fast)
    }

    fn packed(&self, compression: png::Compression) -> Result<Vec<u8>, Error> {
        let is_opaque = self.rgba.chunks_exact(4).all(|pixel| pixel[3] == u8::MAX);
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(if is_opaque { ColorType::Rgb } else { ColorType::Rgba });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(compression);
        let broken = |error: png::EncodingError| Error(format!("no PNG could be made of a picture: {error}"));
        let mut writer = encoder.write_header().map_err(broken)?;
        match is_opaque {
            true => {
                let rgb: Vec<u8> = self.rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
                writer.write_image_data(&rgb).map_err(broken)?;
            }
            false => writer.write_image_data(&self.rgba).map_err(broken)?,
        }
        writer.finish().map_err(broken)?;
        Ok(bytes)
    }
}

/// Divides a side into as many spans as there are to be pixels, each of one pixel at least.
fn spans(from: u32, to: u32) -> Vec<(u32, u32)> {
    let edge = |at: u32| (u64::from(at) * u64::from(from) / u64::from(to)) as u32;
    (0..to).map(|at| (edge(at), edge(at + 1))).collect()
}

/// Returns how many pixels a picture has, where that are not too many.
fn check(width: u32, height: u32) -> Result<u64, Error> {
    let pixels = u64::from(width) * u64::from(height);
    if width == 0 || height == 0 || width.max(height) > LONGEST || pixels > MOST {
        return Err(Error(format!(
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
        let bomb = encoded(40_000, 1, ColorType::Grayscale, png::BitDepth::One, &[0; 5_000]);
        assert!(Picture::decode(&bomb).is_err_and(|error| error.to_string().contains("40000×1")));
    }

    #[test]
    fn each_pixel_of_a_small_one_is_the_mean_of_its_area() {
        let board = (0..32).flat_map(|at| if (at + at / 8) % 2 == 0 { [255, 0, 10, 255] } else { [0, 100, 10, 255] });
        let small = Picture::new(8, 4, board.collect()).expect("a picture").shrunk(4, 2);
        assert_eq!((small.width(), small.height()), (4, 2));
        assert!(small.rgba.chunks(4).all(|pixel| pixel == [128, 50, 10, 255]), "{:?}", small.rgba);
        assert_eq!(small.shrunk(9, 9).whole(), small.whole(), "nothing grows");
    }

    #[test]
    fn what_is_packed_is_the_same_again() {
        for alpha in [255, 7] {
            let picture = Picture::new(3, 2, (0..24).map(|at| if at % 4 == 3 { alpha } else { at }).collect());
            let picture = picture.expect("a picture");
            let again = Picture::decode(&picture.encode().expect("a PNG")).expect("a picture");
            assert!(again == picture, "alpha {alpha}");
        }
        let picture = Picture::new(3, 2, (0..24).collect()).expect("a picture");
        let part = picture.part(Place { left: 1, top: 1, right: 3, bottom: 2 }).expect("a part");
        assert_eq!(part.row(0, 0, 2), picture.row(1, 1, 3));
        assert!(picture.part(Place { left: 1, top: 1, right: 4, bottom: 2 }).is_err());
        assert!(picture.part(Place { left: 2, top: 1, right: 2, bottom: 2 }).is_err());
    }
}
