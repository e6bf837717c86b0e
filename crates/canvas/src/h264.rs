//! Pixels → H.264 without loss but that of its colors: what is like its neighbour is predicted, what has not changed skipped,
//! the rest stands as it is. Source: ITU-T H.264 (08/2021), constrained baseline; section numbers are its own.
//!
//! Small rather than clever: no transform, no motion. A screen of flat areas suits it well.

/// The side of a macroblock, in luma samples.
const SIDE: usize = 16;
/// Numbers of the profile, of its constraints and of the level (5.1).
const PROFILE: [u8; 3] = [66, 0xc0, 51];
/// `mb_type` (table 7-11): whole prediction of 16 × 16 without residual, by its mode; samples as they are.
const PREDICTED: u32 = 1;
const PLAIN: u32 = 25;
/// What is added to `mb_type` in slices of type P (7.4.5).
const IN_P: u32 = 5;

/// A film's frames, one after the other.
pub struct Encoder {
    width: u32,
    height: u32,
    /// Macroblocks in a row and in a column.
    across: usize,
    down: usize,
    last: Option<Planes>,
    /// `frame_num`, modulo 16.
    number: u32,
}

/// What a decoder must know before the first frame.
pub struct Description {
    pub width: u32,
    pub height: u32,
    pub profile: [u8; 3],
    /// The sequence and the picture parameter set, as NAL units.
    pub sequence: Vec<u8>,
    pub picture: Vec<u8>,
}

/// A frame's samples: luma whole, chroma halved both ways; sides are multiples of a macroblock's.
#[derive(Clone, PartialEq, Eq)]
struct Planes {
    stride: usize,
    luma: Vec<u8>,
    chroma: [Vec<u8>; 2],
}

impl Encoder {
    pub fn new(width: u32, height: u32) -> Self {
        let blocks = |side: u32| (side as usize).div_ceil(SIDE).max(1);
        Self { width, height, across: blocks(width), down: blocks(height), last: None, number: 0 }
    }

    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    pub fn description(&self) -> Description {
        let even = |side: u32| (side & !1).max(2);
        let (width, height) = (even(self.width), even(self.height));
        Description { width, height, profile: PROFILE, sequence: self.sequence(width, height), picture: picture() }
    }

    /// Encodes RGBA pixels as one NAL unit, its length before it (four bytes, big endian).
    pub fn frame(&mut self, pixels: &[u8]) -> Vec<u8> {
        let planes = self.planes(pixels);
        let mut bits = Bits::default();
        self.slice_header(&mut bits);
        self.macroblocks(&mut bits, &planes);
        let head = if self.last.is_none() { 0x65 } else { 0x41 };
        self.last = Some(planes);
        self.number = (self.number + 1) % 16;
        let unit = unit(head, bits);
        [u32::try_from(unit.len()).unwrap_or(u32::MAX).to_be_bytes().to_vec(), unit].concat()
    }

    /// 7.3.2.1.1, with the part of annex E that says which colors are meant.
    fn sequence(&self, width: u32, height: u32) -> Vec<u8> {
        let mut bits = Bits::default();
        for byte in PROFILE {
            bits.put(u32::from(byte), 8);
        }
        let count = |blocks: usize| u32::try_from(blocks).unwrap_or(1);
        // Id, bits of frame_num less 4, order of pictures as of frames, frames that are referred to.
        bits.exps(&[0, 0, 2, 1]);
        bits.put(0, 1);
        bits.exp(count(self.across) - 1);
        bits.exp(count(self.down) - 1);
        bits.put(0b11, 2);
        let side = u32::try_from(SIDE).unwrap_or(16);
        let (right, bottom) = ((count(self.across) * side - width) / 2, (count(self.down) * side - height) / 2);
        bits.put(1, 1);
        bits.exps(&[0, right, 0, bottom]);
        // Usability: nothing but that the colors are those of BT.709, in the narrow range.
        bits.put(1, 1);
        bits.put(0b001, 3);
        bits.put(0b1_0101, 5);
        bits.put(0x01_0101, 24);
        bits.put(0, 6);
        unit(0x67, bits)
    }

    /// 7.3.3: the first frame stands by itself, others refer to the one before.
    fn slice_header(&self, bits: &mut Bits) {
        let first = self.last.is_none();
        bits.exp(0);
        bits.exp(if first { 7 } else { 5 });
        bits.exp(0);
        bits.put(if first { 0 } else { self.number }, 4);
        if first {
            bits.exp(0);
            bits.put(0, 2);
        } else {
            bits.put(0, 3);
        }
        // No change of the quantizer; no filter, which would change what is predicted from.
        bits.exp(0);
        bits.exp(1);
    }

    /// 7.3.4.
    fn macroblocks(&self, bits: &mut Bits, planes: &Planes) {
        let mut plain = vec![false; self.across * self.down];
        let mut skipped = 0;
        for at in 0..plain.len() {
            let (column, row) = (at % self.across, at / self.across);
            let block = Block { column, row };
            let offset = match &self.last {
                Some(last) if block.is_same(planes, last) => {
                    skipped += 1;
                    continue;
                }
                Some(_) => {
                    bits.exp(skipped);
                    skipped = 0;
                    IN_P
                }
                None => 0,
            };
            let Some((luma, chroma)) = block.prediction(planes) else {
                plain[at] = true;
                bits.exp(PLAIN + offset);
                block.write(bits, planes);
                continue;
            };
            bits.exp(PREDICTED + luma + offset);
            bits.exp(chroma);
            bits.exp(0);
            let left = (column > 0).then(|| plain[at - 1]);
            let above = (row > 0).then(|| plain[at - self.across]);
            bits.no_coefficients(left, above);
        }
        if skipped > 0 {
            bits.exp(skipped);
        }
    }

    fn planes(&self, pixels: &[u8]) -> Planes {
        let (stride, rows) = (self.across * SIDE, self.down * SIDE);
        let (width, height) = (self.width as usize, self.height as usize);
        let mut planes =
            Planes { stride, luma: vec![16; stride * rows], chroma: [(); 2].map(|()| vec![128; stride * rows / 4]) };
        for y in (0..height & !1).step_by(2) {
            for x in (0..width & !1).step_by(2) {
                let mut sum = [0; 3];
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let at = ((y + dy) * width + x + dx) * 4;
                    let Some(&[red, green, blue]) = pixels.get(at..at + 3).and_then(|rgb| rgb.first_chunk()) else {
                        continue;
                    };
                    let rgb = [red, green, blue].map(i32::from);
                    planes.luma[(y + dy) * stride + x + dx] = weighed(rgb, [47, 157, 16], 16);
                    sum = [sum[0] + rgb[0], sum[1] + rgb[1], sum[2] + rgb[2]];
                }
                let (mean, at) = (sum.map(|sum| sum / 4), y / 2 * (stride / 2) + x / 2);
                planes.chroma[0][at] = weighed(mean, [-26, -87, 112], 128);
                planes.chroma[1][at] = weighed(mean, [112, -102, -10], 128);
            }
        }
        planes
    }
}

/// A color's share of BT.709 in the narrow range; weights are in parts of 256.
fn weighed([red, green, blue]: [i32; 3], weights: [i32; 3], base: i32) -> u8 {
    let sum = weights[0] * red + weights[1] * green + weights[2] * blue + 128;
    u8::try_from((sum >> 8) + base).unwrap_or(0)
}

/// 7.3.2.2: no entropy coding by contexts, no groups, no weights; the filter is told by each slice.
fn picture() -> Vec<u8> {
    let mut bits = Bits::default();
    bits.exps(&[0, 0]);
    bits.put(0, 2);
    bits.exps(&[0, 0, 0]);
    bits.put(0, 3);
    bits.exps(&[0, 0, 0]);
    bits.put(0b100, 3);
    unit(0x68, bits)
}

/// A macroblock's place.
#[derive(Clone, Copy)]
struct Block {
    column: usize,
    row: usize,
}

/// How a square of a plane is like what lies beside it.
struct Likeness {
    above: bool,
    left: bool,
}

impl Block {
    fn is_same(self, one: &Planes, other: &Planes) -> bool {
        let same = |one: &[u8], other: &[u8], stride: usize, side: usize| {
            self.lines(stride, side).all(|start| one[start..start + side] == other[start..start + side])
        };
        same(&one.luma, &other.luma, one.stride, SIDE)
            && (0..2).all(|index| same(&one.chroma[index], &other.chroma[index], one.stride / 2, SIDE / 2))
    }

    /// Returns the modes by which luma (0 from above, 1 from the left) and chroma (2 from above, 1 from the left) are
    /// predicted whole; none where they cannot be.
    fn prediction(self, planes: &Planes) -> Option<(u32, u32)> {
        let luma = self.likeness(&planes.luma, planes.stride, SIDE);
        let luma = if luma.above { 0 } else { luma.left.then_some(1)? };
        let [blue, red] = [0, 1].map(|index| self.likeness(&planes.chroma[index], planes.stride / 2, SIDE / 2));
        let chroma = if blue.above && red.above { 2 } else { (blue.left && red.left).then_some(1)? };
        Some((luma, chroma))
    }

    fn likeness(self, plane: &[u8], stride: usize, side: usize) -> Likeness {
        let top = self.row * side * stride + self.column * side;
        let above = self.row > 0 && {
            let upper = &plane[top - stride..top - stride + side];
            self.lines(stride, side).all(|start| plane[start..start + side] == *upper)
        };
        let left = self.column > 0
            && self
                .lines(stride, side)
                .all(|start| plane[start..start + side].iter().all(|sample| *sample == plane[start - 1]));
        Likeness { above, left }
    }

    /// Returns where each line of the block begins in a plane.
    fn lines(self, stride: usize, side: usize) -> impl Iterator<Item = usize> {
        (0..side).map(move |line| (self.row * side + line) * stride + self.column * side)
    }

    /// Writes the samples as they are (7.3.5, `pcm_sample_luma` and `pcm_sample_chroma`).
    fn write(self, bits: &mut Bits, planes: &Planes) {
        bits.align();
        for start in self.lines(planes.stride, SIDE) {
            bits.bytes.extend_from_slice(&planes.luma[start..start + SIDE]);
        }
        for chroma in &planes.chroma {
            for start in self.lines(planes.stride / 2, SIDE / 2) {
                bits.bytes.extend_from_slice(&chroma[start..start + SIDE / 2]);
            }
        }
    }
}

/// Bits that become bytes, the highest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    /// Bits that do not fill a byte yet, and how many.
    rest: u8,
    count: u8,
}

impl Bits {
    fn put(&mut self, value: u32, width: u32) {
        for bit in (0..width).rev() {
            self.rest = self.rest << 1 | u8::from(value >> bit & 1 == 1);
            self.count += 1;
            if self.count == 8 {
                self.bytes.push(self.rest);
                (self.rest, self.count) = (0, 0);
            }
        }
    }

    /// Writes a number as an Exp-Golomb code (9.1).
    fn exp(&mut self, value: u32) {
        let value = value + 1;
        let width = 32 - value.leading_zeros();
        self.put(0, width - 1);
        self.put(value, width);
    }

    fn exps(&mut self, values: &[u32]) {
        values.iter().for_each(|value| self.exp(*value));
    }

    fn align(&mut self) {
        while self.count > 0 {
            self.put(0, 1);
        }
    }

    /// Writes `coeff_token` for no coefficients (table 9-5): its code depends on how many the neighbours have, none or, where
    /// samples stand as they are, 16 (9.2.1).
    fn no_coefficients(&mut self, left: Option<bool>, above: Option<bool>) {
        let count = |plain: bool| if plain { 16 } else { 0 };
        let context = match (left.map(count), above.map(count)) {
            (Some(left), Some(above)) => (left + above + 1) / 2,
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => 0,
        };
        if context < 2 { self.put(1, 1) } else { self.put(0b00_0011, 6) }
    }
}

/// Makes a NAL unit: its head, the bits with their end, and an escape wherever zeros could be taken for a start (7.4.1).
fn unit(head: u8, mut bits: Bits) -> Vec<u8> {
    bits.put(1, 1);
    bits.align();
    let mut unit = Vec::with_capacity(bits.bytes.len() + bits.bytes.len() / 64 + 1);
    unit.push(head);
    let mut zeros = 0;
    for byte in bits.bytes {
        if zeros == 2 && byte <= 3 {
            unit.push(3);
            zeros = 0;
        }
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        unit.push(byte);
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_standard_has_them() {
        let mut bits = Bits::default();
        bits.exps(&[0, 1, 2, 3, 7]);
        bits.align();
        // 1 010 011 00100 0001000
        assert_eq!(bits.bytes, [0b1010_0110, 0b0100_0001, 0b0000_0000]);
        let mut bits = Bits::default();
        bits.bytes.extend([0, 0, 0, 0, 0, 1]);
        assert_eq!(unit(0x65, bits), [0x65, 0, 0, 3, 0, 0, 3, 0, 1, 0x80]);
    }

    #[test]
    fn what_has_not_changed_needs_no_bytes() {
        let mut encoder = Encoder::new(64, 32);
        let pixels = [10, 200, 30, 255].repeat(64 * 32);
        let first = encoder.frame(&pixels).len();
        // One block as it is; the others are predicted from it.
        assert!((385..450).contains(&first), "{first}");
        assert!(encoder.frame(&pixels).len() < 12);
        let mut other = pixels.clone();
        other[4 * 64 * 20] = 0;
        let changed = encoder.frame(&other).len();
        assert!((385..450).contains(&changed), "{changed}");
    }
}
