//! A picture → the same picture small enough for whoever looks at it: each pixel is the mean of the area that it stands for.

use std::io::Cursor;

use crate::driver;

/// The largest picture that is scaled, in bytes of its pixels: a device's screen has a tenth of it.
const LARGEST: usize = 512 << 20;

/// Pixels of 8 bits a channel.
pub(super) struct Pixels {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) channels: usize,
    pub(super) color: png::ColorType,
    pub(super) data: Vec<u8>,
}

impl From<driver::Pixels> for Pixels {
    fn from(driver::Pixels { size, rgba }: driver::Pixels) -> Self {
        Self { width: size.width, height: size.height, channels: 4, color: png::ColorType::Rgba, data: rgba }
    }
}

/// Scales a PNG down until its longest side has `most` pixels; none where it is small enough, or no picture that can be read.
pub(super) fn down(png: &[u8], most: u32) -> Option<Vec<u8>> {
    let (width, height) = size(png)?;
    let longest = width.max(height);
    if most == 0 || longest <= most {
        return None;
    }
    let side = |pixels: u32| u32::try_from(u64::from(pixels) * u64::from(most) / u64::from(longest)).ok();
    let (to_width, to_height) = (side(width)?.max(1), side(height)?.max(1));
    let small = shrink(&read(png)?, to_width, to_height);
    write(&small)
}

/// Returns the width and height that a PNG announces.
fn size(png: &[u8]) -> Option<(u32, u32)> {
    let side = |at: usize| Some(u32::from_be_bytes(png.get(at..at + 4)?.try_into().ok()?));
    png.starts_with(b"\x89PNG\r\n\x1a\n").then_some((side(16)?, side(20)?))
}

/// Reads a PNG; none where it cannot be read.
pub(super) fn read(bytes: &[u8]) -> Option<Pixels> {
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: LARGEST });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let length = reader.output_buffer_size().filter(|length| *length <= LARGEST)?;
    let mut data = vec![0; length];
    let frame = reader.next_frame(&mut data).ok()?;
    data.truncate(frame.buffer_size());
    let (color, channels) = (frame.color_type, frame.color_type.samples());
    Some(Pixels { width: frame.width, height: frame.height, channels, color, data })
}

/// Averages the areas, first of the lines and then of the columns.
fn shrink(pixels: &Pixels, width: u32, height: u32) -> Pixels {
    let (columns, rows) = (spans(pixels.width, width), spans(pixels.height, height));
    let stride = pixels.width as usize * pixels.channels;
    let mut data = Vec::with_capacity(width as usize * height as usize * pixels.channels);
    let mut line = vec![0_u32; stride];
    for (top, bottom) in rows {
        line.fill(0);
        for row in pixels.data[top * stride..bottom * stride].chunks_exact(stride) {
            line.iter_mut().zip(row).for_each(|(sum, value)| *sum += u32::from(*value));
        }
        for (left, right) in &columns {
            let count = u64::try_from((right - left) * (bottom - top)).unwrap_or(u64::MAX);
            for channel in 0..pixels.channels {
                let values = (*left..*right).map(|column| line[column * pixels.channels + channel]);
                let sum: u64 = values.map(u64::from).sum();
                data.push(u8::try_from((sum + count / 2) / count).unwrap_or(u8::MAX));
            }
        }
    }
    Pixels { width, height, data, ..*pixels }
}

/// Divides a side into as many spans as there are to be pixels, each of one pixel at least.
fn spans(from: u32, to: u32) -> Vec<(usize, usize)> {
    let edge = |at: u32| usize::try_from(u64::from(at) * u64::from(from) / u64::from(to)).unwrap_or(0);
    (0..to).map(|at| (edge(at), edge(at + 1))).collect()
}

fn write(pixels: &Pixels) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width, pixels.height);
    encoder.set_color(pixels.color);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().ok()?.write_image_data(&pixels.data).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a picture of which each pixel is what `color` says.
    fn picture(width: u32, height: u32, color: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
        let data = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| color(x, y)).collect();
        write(&Pixels { width, height, channels: 3, color: png::ColorType::Rgb, data }).expect("a picture")
    }

    #[test]
    fn each_pixel_is_the_mean_of_its_area() {
        let board = picture(8, 4, |x, y| if (x + y) % 2 == 0 { [255, 0, 10] } else { [0, 100, 10] });
        let small = read(&down(&board, 4).expect("smaller")).expect("a picture");
        assert_eq!((small.width, small.height), (4, 2));
        assert!(small.data.chunks(3).all(|pixel| pixel == [128, 50, 10]), "{:?}", small.data);
    }

    #[test]
    fn the_longest_side_is_what_was_asked_and_nothing_grows() {
        for (width, height, most, expected) in
            [(1080, 2400, 1024, (460, 1024)), (2400, 1080, 1024, (1024, 460)), (3, 1000, 10, (1, 10))]
        {
            let small = down(&picture(width, height, |_, _| [7; 3]), most).expect("smaller");
            assert_eq!(size(&small), Some(expected));
        }
        let small = picture(10, 20, |_, _| [0; 3]);
        assert!(down(&small, 20).is_none() && down(&small, 0).is_none());
        assert!(down(b"no picture", 1).is_none() && down(&small[..30], 1).is_none());
    }
}
