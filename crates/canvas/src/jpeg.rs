//! A picture → JPEG: baseline, colours at half the size, the tables of the standard. Source: ITU-T T.81, annexes A, F and K.

use std::borrow::Cow;

/// The way through a block, from its mean to its finest detail.
const ZIGZAG: [usize; 64] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63,
];
/// Tables K.1 and K.2, row by row.
const BRIGHT: [u8; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
];
const COLOUR: [u8; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99,
];
/// Tables K.3 and K.4: how many codes there are of each length, and what they stand for.
const MEANS: [([u8; 16], [u8; 12]); 2] = [
    ([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    ([0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
];
/// Codes of what is left: as many of each length as their number allows, in the order of (zeros before, bits).
///
/// The tables of annex K are tuned to photographs; these give short codes to short runs and small values, and are written into
/// the file as any.
fn rests() -> ([u8; 16], Vec<u8>) {
    let mut all: Vec<u8> =
        (0..16).flat_map(|run| (1..=10).map(move |size| run << 4 | size)).chain([0x00, 0xf0]).collect();
    all.sort_by_key(|code| (u16::from(code >> 4) * 2 + u16::from(code & 15) * 2, *code));
    let lengths = [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125];
    (lengths, all)
}

/// The codes of a table, by what they stand for: bits and their number.
type Codes = [(u16, u8); 256];

fn codes(lengths: &[u8; 16], values: &[u8]) -> Codes {
    let mut codes = [(0, 0); 256];
    let (mut code, mut values) = (0_u16, values.iter());
    for (count, bits) in lengths.iter().zip(1_u8..) {
        for value in values.by_ref().take(usize::from(*count)) {
            codes[usize::from(*value)] = (code, bits);
            code += 1;
        }
        code <<= 1;
    }
    codes
}

/// What is written: bits, the highest first.
struct Bits {
    out: Vec<u8>,
    held: u32,
    count: u8,
}

impl Bits {
    fn put(&mut self, bits: u16, count: u8) {
        self.held = self.held << count | u32::from(bits);
        self.count += count;
        while self.count >= 8 {
            let byte = (self.held >> (self.count - 8)).to_le_bytes()[0];
            self.out.push(byte);
            if byte == 0xff {
                self.out.push(0);
            }
            self.count -= 8;
        }
    }

    /// Writes a number without its sign: how many bits it has is written before.
    fn number(&mut self, number: i32, bits: u8) {
        let number = if number < 0 { number + (1 << bits) - 1 } else { number };
        self.put(u16::try_from(number).unwrap_or(0), bits);
    }
}

fn size_of(number: i32) -> u8 {
    u8::try_from(32 - number.unsigned_abs().leading_zeros()).unwrap_or(0)
}

/// A colour's tables, and the mean of its block before.
struct Channel {
    /// In the order of rows.
    steps: [f32; 64],
    means: Codes,
    before: i32,
}

/// Makes a picture smaller, to a percentage of its sides.
pub fn smaller((width, height): (u32, u32), pixels: &[u8], percent: u32) -> ((u32, u32), Cow<'_, [u8]>) {
    if percent >= 100 {
        return ((width, height), Cow::Borrowed(pixels));
    }
    let (wide, high) = ((width * percent / 100).max(1), (height * percent / 100).max(1));
    let mut out = Vec::with_capacity((wide * high * 4) as usize);
    for y in 0..high {
        let line = (y * height / high) as usize * width as usize;
        for x in 0..wide {
            let first = (line + (x * width / wide) as usize) * 4;
            out.extend_from_slice(&pixels[first..first + 4]);
        }
    }
    ((wide, high), Cow::Owned(out))
}

/// Encodes raw RGBA, row by row; `quality` goes from 1 to 100.
pub fn encoded((width, height): (u32, u32), pixels: &[u8], quality: u32) -> Vec<u8> {
    let (bright, colour) = (scaled(&BRIGHT, quality), scaled(&COLOUR, quality));
    let (lengths, values) = rests();
    let rest = codes(&lengths, &values);
    let channel = |steps: &[u8; 64], number: usize| Channel {
        steps: steps.map(f32::from),
        means: codes(&MEANS[number].0, &MEANS[number].1),
        before: 0,
    };
    let mut channels = [channel(&bright, 0), channel(&colour, 1), channel(&colour, 1)];
    let out = head((width, height), [&bright, &colour], (&lengths, &values));
    let mut bits = Bits { out, held: 0, count: 0 };
    let cosines = cosines();
    let (wide, high) = (width as usize, height as usize);
    let mut planes = [[0.0_f32; 256], [0.0; 256], [0.0; 256]];
    for top in (0..high).step_by(16) {
        for left in (0..wide).step_by(16) {
            gather((wide, high), pixels, (left, top), &mut planes);
            for quarter in 0..4 {
                let (x, y) = (quarter % 2 * 8, quarter / 2 * 8);
                let block = std::array::from_fn(|at| planes[0][(y + at / 8) * 16 + x + at % 8]);
                write(&mut bits, &mut channels[0], &rest, transformed(block, &cosines));
            }
            for (channel, plane) in channels.iter_mut().zip(&planes).skip(1) {
                let block = std::array::from_fn(|at| {
                    let first = at / 8 * 32 + at % 8 * 2;
                    (plane[first] + plane[first + 1] + plane[first + 16] + plane[first + 17]) / 4.0
                });
                write(&mut bits, channel, &rest, transformed(block, &cosines));
            }
        }
    }
    bits.put(0x7f, 7);
    bits.out.extend([0xff, 0xd9]);
    bits.out
}

/// Takes 16 × 16 pixels as brightness and two colours; what lies outside is as the pixel at the edge.
fn gather((wide, high): (usize, usize), pixels: &[u8], (left, top): (usize, usize), planes: &mut [[f32; 256]; 3]) {
    let [bright, blueish, reddish] = planes;
    for (at, ((bright, blueish), reddish)) in bright.iter_mut().zip(blueish).zip(reddish).enumerate() {
        let (x, y) = ((left + at % 16).min(wide - 1), (top + at / 16).min(high - 1));
        let first = (y * wide + x) * 4;
        let [red, green, blue] = [0, 1, 2].map(|part| f32::from(pixels.get(first + part).copied().unwrap_or(0)));
        *bright = 0.299 * red + 0.587 * green + 0.114 * blue - 128.0;
        *blueish = -0.168_736 * red - 0.331_264 * green + 0.5 * blue;
        *reddish = 0.5 * red - 0.418_688 * green - 0.081_312 * blue;
    }
}

/// Returns the tables' steps for a quality, as most encoders reckon them.
fn scaled(table: &[u8; 64], quality: u32) -> [u8; 64] {
    let quality = quality.clamp(1, 100);
    let percent = if quality < 50 { 5000 / quality } else { 200 - quality * 2 };
    table.map(|step| u8::try_from(((u32::from(step) * percent + 50) / 100).clamp(1, 255)).unwrap_or(255))
}

/// Returns what each place weighs in each wave.
#[expect(clippy::cast_precision_loss, reason = "numbers up to 15")]
fn cosines() -> [[f32; 8]; 8] {
    std::array::from_fn(|wave| {
        let scale = if wave == 0 { std::f32::consts::FRAC_1_SQRT_2 / 2.0 } else { 0.5 };
        std::array::from_fn(|place| scale * ((2 * place + 1) as f32 * wave as f32 * std::f32::consts::PI / 16.0).cos())
    })
}

/// Turns places into waves, first along rows, then along columns.
fn transformed(block: [f32; 64], cosines: &[[f32; 8]; 8]) -> [f32; 64] {
    let mut rows = [0.0; 64];
    for (row, line) in block.chunks_exact(8).enumerate() {
        for (wave, weights) in cosines.iter().enumerate() {
            rows[row * 8 + wave] = line.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        }
    }
    let mut waves = [0.0; 64];
    for (wave, weights) in cosines.iter().enumerate() {
        for (row, weight) in weights.iter().enumerate() {
            for column in 0..8 {
                waves[wave * 8 + column] += rows[row * 8 + column] * weight;
            }
        }
    }
    waves
}

#[expect(clippy::cast_possible_truncation, reason = "small numbers")]
fn write(bits: &mut Bits, channel: &mut Channel, rest: &Codes, waves: [f32; 64]) {
    let whole = |at: usize| (waves[at] / channel.steps[at]).round() as i32;
    let mean = whole(0);
    let size = size_of(mean - channel.before);
    let (code, count) = channel.means[usize::from(size)];
    bits.put(code, count);
    bits.number(mean - channel.before, size);
    let mut zeros = 0;
    for at in &ZIGZAG[1..] {
        let value = whole(*at).clamp(-1023, 1023);
        if value == 0 {
            zeros += 1;
            continue;
        }
        for _ in 0..zeros / 16 {
            bits.put(rest[0xf0].0, rest[0xf0].1);
        }
        let size = size_of(value);
        let (code, count) = rest[(zeros % 16) << 4 | usize::from(size)];
        bits.put(code, count);
        bits.number(value, size);
        zeros = 0;
    }
    if zeros > 0 {
        bits.put(rest[0].0, rest[0].1);
    }
    channel.before = mean;
}

/// Writes what stands before the picture itself.
fn head((width, height): (u32, u32), steps: [&[u8; 64]; 2], (lengths, values): (&[u8; 16], &[u8])) -> Vec<u8> {
    let mut out = vec![0xff, 0xd8];
    let mut part = |mark: u8, content: &[u8]| {
        out.extend([0xff, mark]);
        out.extend(u16::try_from(content.len() + 2).unwrap_or(0).to_be_bytes());
        out.extend(content);
    };
    part(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
    for (number, steps) in (0..).zip(steps) {
        let ordered: Vec<u8> = [number].into_iter().chain(ZIGZAG.iter().map(|at| steps[*at])).collect();
        part(0xdb, &ordered);
    }
    let side = |length: u32| u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes();
    let [h, w] = [side(height), side(width)];
    part(0xc0, &[8, h[0], h[1], w[0], w[1], 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
    for (number, (lengths, values)) in (0..).zip(MEANS) {
        part(0xc4, &[&[number][..], &lengths, &values].concat());
    }
    for number in [0x10, 0x11] {
        part(0xc4, &[&[number][..], lengths, values].concat());
    }
    part(0xda, &[3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_made_smaller() {
        let pixels: Vec<u8> = (0..16_u8).flat_map(|pixel| [pixel, 0, 0, 255]).collect();
        let (size, small) = smaller((4, 4), &pixels, 50);
        assert_eq!((size, small[0], small[4], small[8]), ((2, 2), 0, 2, 8));
        assert_eq!(smaller((4, 4), &pixels, 100), ((4, 4), Cow::Borrowed(&pixels[..])));
    }
}
