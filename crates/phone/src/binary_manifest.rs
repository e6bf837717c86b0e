//! `AndroidManifest.xml` as packages hold it, in binary → the package's name and version. Source: AOSP
//! `frameworks/base/libs/androidfw/include/androidfw/ResourceTypes.h`.

/// What a manifest says of its package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) package: String,
    pub(super) version_code: u64,
    pub(super) version_name: String,
}

const XML: usize = 0x0003;
const STRING_POOL: usize = 0x0001;
const START_ELEMENT: usize = 0x0102;
/// The flag of a pool whose texts are UTF-8.
const UTF8: usize = 0x100;
const INTEGER: u8 = 0x10;
/// Texts that a pool may have.
const MAX: usize = 10_000;

/// Reads a manifest; `None` where it is none.
pub(super) fn read(bytes: &[u8]) -> Option<Manifest> {
    if short(bytes, 0)? != XML {
        return None;
    }
    let (mut at, mut texts) = (short(bytes, 2)?, Vec::new());
    loop {
        let (kind, size) = (short(bytes, at)?, word(bytes, at + 4)?);
        let chunk = bytes.get(at..at.checked_add(size)?)?;
        match kind {
            STRING_POOL => texts = pool(chunk)?,
            START_ELEMENT => return manifest(chunk, &texts),
            _ => {}
        }
        at += size.max(8);
    }
}

fn pool(chunk: &[u8]) -> Option<Vec<String>> {
    let (header, count, flags, start) = (short(chunk, 2)?, word(chunk, 8)?, word(chunk, 16)?, word(chunk, 20)?);
    let place = |number: usize| start.checked_add(word(chunk, header + 4 * number)?);
    (0..count.min(MAX)).map(|number| text(chunk, place(number)?, flags & UTF8 != 0)).collect()
}

fn text(chunk: &[u8], at: usize, utf8: bool) -> Option<String> {
    if utf8 {
        // Before the bytes stand how many characters and how many bytes they are.
        let (_, at) = length(chunk, at)?;
        let (count, at) = length(chunk, at)?;
        return Some(String::from_utf8_lossy(chunk.get(at..at + count)?).into_owned());
    }
    let count = short(chunk, at)?;
    let units = chunk.get(at + 2..at + 2 + 2 * count)?.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]]));
    Some(char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect())
}

/// Reads a length of one byte, or of two where the first says so.
fn length(chunk: &[u8], at: usize) -> Option<(usize, usize)> {
    match usize::from(*chunk.get(at)?) {
        first @ 0x80.. => Some(((first & 0x7f) << 8 | usize::from(*chunk.get(at + 1)?), at + 2)),
        first => Some((first, at + 1)),
    }
}

fn manifest(chunk: &[u8], texts: &[String]) -> Option<Manifest> {
    let text = |at: usize| texts.get(word(chunk, at)?);
    if text(20)? != "manifest" {
        return None;
    }
    let (start, size, count) = (16 + short(chunk, 24)?, short(chunk, 26)?, short(chunk, 28)?);
    let mut found = Manifest::default();
    for number in 0..count {
        let at = start + number * size;
        let (name, kind, data) = (text(at + 4)?, *chunk.get(at + 15)?, word(chunk, at + 16)?);
        let value = || texts.get(data).cloned();
        match name.as_str() {
            "package" => found.package = value()?,
            "versionName" => found.version_name = value().unwrap_or_default(),
            "versionCode" if kind == INTEGER => found.version_code = data as u64,
            _ => {}
        }
    }
    (!found.package.is_empty()).then_some(found)
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?)))
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?)).ok()
}

/// Writes the manifest of a package, with texts in UTF-8 or UTF-16.
#[cfg(test)]
pub(super) fn written(of: &Manifest, utf8: bool) -> Vec<u8> {
    let half = |value: usize| u16::try_from(value).unwrap().to_le_bytes();
    let whole = |value: usize| u32::try_from(value).unwrap().to_le_bytes();
    let texts = ["manifest", "package", "versionName", "versionCode", &of.package, &of.version_name];
    let (mut places, mut data) = (Vec::new(), Vec::new());
    for text in texts {
        places.extend(whole(data.len()));
        if utf8 {
            data.extend([text.chars().count(), text.len()].map(|count| u8::try_from(count).unwrap()));
            data.extend([text.as_bytes(), &[0]].concat());
        } else {
            let units: Vec<u16> = text.encode_utf16().collect();
            data.extend(half(units.len()));
            data.extend(units.into_iter().chain([0]).flat_map(u16::to_le_bytes));
        }
    }
    let start = 28 + places.len();
    let pool = [
        [half(STRING_POOL), half(28)].concat(),
        [start + data.len(), texts.len(), 0, if utf8 { UTF8 } else { 0 }, start, 0].map(whole).concat(),
        places,
        data,
    ]
    .concat();
    let attribute = |name: usize, kind: u8, data: usize| {
        [whole(0).as_slice(), &whole(name), &whole(0), &half(8), &[0, kind], &whole(data)].concat()
    };
    let version = usize::try_from(of.version_code).unwrap();
    let attributes = [attribute(1, 3, 4), attribute(2, 3, 5), attribute(3, INTEGER, version)].concat();
    let element = [
        [half(START_ELEMENT), half(16)].concat(),
        [36 + attributes.len(), 1, 0, 0, 0].map(whole).concat(),
        [20, 20, 3, 0, 0, 0].map(half).concat(),
        attributes,
    ]
    .concat();
    [[half(XML), half(8)].concat(), whole(8 + pool.len() + element.len()).to_vec(), pool, element].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_read_and_broken_ones_are_none() {
        let of = Manifest { package: "io.made".to_owned(), version_code: 253, version_name: "10.6.6".to_owned() };
        for utf8 in [true, false] {
            let bytes = written(&of, utf8);
            assert_eq!(read(&bytes).as_ref(), Some(&of), "{utf8}");
            for length in 0..bytes.len() {
                assert_eq!(read(&bytes[..length]), None, "{length}");
            }
            for at in 0..bytes.len() {
                let mut other = bytes.clone();
                other[at] ^= 0xff;
                // Whatever comes of it, nothing panics.
                read(&other);
            }
        }
        assert_eq!(read(b"<manifest/>"), None);
    }
}
