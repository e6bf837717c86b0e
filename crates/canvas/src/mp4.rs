//! Encoded frames → an MP4 file with one track. Source: ISO/IEC 14496-12 (the boxes) and 14496-15 (`avc1`).

use crate::h264::Description;

/// One frame.
pub struct Sample {
    /// When it is shown, in milliseconds from the start.
    pub at_ms: u32,
    pub data: Vec<u8>,
}

/// Units of time in a second.
const SCALE: u32 = 1000;
/// The matrix that changes nothing.
const UPRIGHT: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

/// Writes a film of `length_ms` milliseconds; the first sample stands by itself, others need those before.
pub fn film(description: &Description, samples: &[Sample], length_ms: u32) -> Vec<u8> {
    let brand = boxed(*b"ftyp", &[b"isom", &512_u32.to_be_bytes(), b"isomiso2avc1mp41"]);
    let data: Vec<&[u8]> = samples.iter().map(|sample| sample.data.as_slice()).collect();
    let offset = u32::try_from(brand.len() + 8).unwrap_or(u32::MAX);
    let media = boxed(*b"mdat", &data);
    let tables = tables(description, samples, (offset, length_ms));
    let movie = boxed(*b"moov", &[&movie_header(length_ms), &track(description, length_ms, &tables)]);
    [brand, media, movie].concat()
}

fn movie_header(length: u32) -> Vec<u8> {
    let head = words(&[0, 0, SCALE, length, 0x1_0000]);
    boxed(*b"mvhd", &[&[0; 4], &head, &[1, 0], &[0; 10], &words(&UPRIGHT), &[0; 24], &words(&[2])])
}

fn track(description: &Description, length: u32, tables: &[u8]) -> Vec<u8> {
    let size = words(&[description.width << 16, description.height << 16]);
    let head = boxed(*b"tkhd", &[&words(&[3, 0, 0, 1, 0, length]), &[0; 16], &words(&UPRIGHT), &size]);
    let times = boxed(*b"mdhd", &[&words(&[0, 0, 0, SCALE, length]), &[0x55, 0xc4, 0, 0]]);
    let handler = boxed(*b"hdlr", &[&[0; 8], b"vide", &[0; 12], b"screen\0"]);
    let place = boxed(*b"dinf", &[&boxed(*b"dref", &[&words(&[0, 1]), &boxed(*b"url ", &[&words(&[1])])])]);
    let video = boxed(*b"vmhd", &[&words(&[1, 0, 0])]);
    let information = boxed(*b"minf", &[&video, &place, tables]);
    boxed(*b"trak", &[&head, &boxed(*b"mdia", &[&times, &handler, &information])])
}

/// Where the samples lie, how long each lasts, and what decodes them.
fn tables(description: &Description, samples: &[Sample], (offset, length): (u32, u32)) -> Vec<u8> {
    let count = u32::try_from(samples.len()).unwrap_or(u32::MAX);
    let ends = samples.iter().skip(1).map(|sample| sample.at_ms).chain([length]);
    let lasting = samples.iter().zip(ends).flat_map(|(sample, end)| [1, end.saturating_sub(sample.at_ms).max(1)]);
    let lasting: Vec<u32> = [0, count].into_iter().chain(lasting).collect();
    let sizes = samples.iter().map(|sample| u32::try_from(sample.data.len()).unwrap_or(u32::MAX));
    let sizes: Vec<u32> = [0, 0, count].into_iter().chain(sizes).collect();
    let kinds = boxed(*b"stsd", &[&words(&[0, 1]), &entry(description)]);
    boxed(
        *b"stbl",
        &[
            &kinds,
            &boxed(*b"stts", &[&words(&lasting)]),
            &boxed(*b"stss", &[&words(&[0, 1, 1])]),
            &boxed(*b"stsc", &[&words(&[0, 1, 1, count, 1])]),
            &boxed(*b"stsz", &[&words(&sizes)]),
            &boxed(*b"stco", &[&words(&[0, 1, offset])]),
        ],
    )
}

fn entry(description: &Description) -> Vec<u8> {
    let side = |pixels: u32| u16::try_from(pixels).unwrap_or(u16::MAX).to_be_bytes();
    let size = [side(description.width), side(description.height)].concat();
    let set = |unit: &[u8]| [&u16::try_from(unit.len()).unwrap_or(0).to_be_bytes(), unit].concat();
    let decoder = boxed(
        *b"avcC",
        &[&[1], &description.profile, &[0xff, 0xe1], &set(&description.sequence), &[1], &set(&description.picture)],
    );
    let dots_per_inch = words(&[72 << 16, 72 << 16, 0]);
    boxed(
        *b"avc1",
        &[
            &[0, 0, 0, 0, 0, 0, 0, 1],
            &[0; 16],
            &size,
            &dots_per_inch,
            &[0, 1],
            &[0; 32],
            &[0, 24, 0xff, 0xff],
            &decoder,
        ],
    )
}

/// Writes a box: its length, its name and its parts.
fn boxed(name: [u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let length = 8 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    bytes.extend(name);
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::h264::Encoder;

    #[test]
    fn boxes_fill_the_file_and_samples_lie_where_they_are_said_to() {
        let mut encoder = Encoder::new(32, 32);
        let data = encoder.frame(&[0; 32 * 32 * 4]);
        let film = film(&encoder.description(), &[Sample { at_ms: 0, data: data.clone() }], 1000);
        let (mut at, mut names) = (0, Vec::new());
        while at < film.len() {
            names.push(String::from_utf8_lossy(&film[at + 4..at + 8]).into_owned());
            at += u32::from_be_bytes(film[at..at + 4].try_into().unwrap()) as usize;
        }
        assert_eq!((at, names.join(" ").as_str()), (film.len(), "ftyp mdat moov"));
        let table = film.windows(4).position(|name| name == b"stco").unwrap();
        let offset = u32::from_be_bytes(film[table + 12..table + 16].try_into().unwrap()) as usize;
        assert_eq!(film[offset..offset + data.len()], data);
    }
}
