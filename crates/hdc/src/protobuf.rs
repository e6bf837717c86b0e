//! The few structs of hdc's files → protobuf, and back: `TransferConfig` and `TransferPayload` (`src/common/serial_struct.h`).

/// Bytes that are kept for the head of a piece of a file.
pub(crate) const HEAD: usize = 64;

/// What is told of a file before it comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TransferConfig {
    pub(crate) size: u64,
    pub(crate) path: String,
    pub(crate) name: String,
}

impl TransferConfig {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        number(&mut bytes, 1, self.size);
        text(&mut bytes, 5, &self.path);
        text(&mut bytes, 6, &self.name);
        text(&mut bytes, 10, "send");
        bytes
    }

    /// Reads the size of what comes; none where it is no such struct.
    pub(crate) fn size_of(bytes: &[u8]) -> Option<u64> {
        let mut size = 0;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (field, value) = field(&mut rest)?;
            if field == 1 {
                size = value?;
            }
        }
        Some(size)
    }
}

/// Writes a piece of a file behind its head: where it begins, and its length, which is not compressed.
pub(crate) fn piece(index: u64, data: &[u8]) -> Vec<u8> {
    let length = data.len() as u64;
    let mut bytes = Vec::with_capacity(HEAD + data.len());
    number(&mut bytes, 1, index);
    number(&mut bytes, 3, length);
    number(&mut bytes, 4, length);
    bytes.resize(HEAD, 0);
    bytes.extend_from_slice(data);
    bytes
}

/// Returns the bytes of a piece; none where it is compressed, or broken.
pub(crate) fn of_piece(bytes: &[u8]) -> Option<&[u8]> {
    let (head, data) = bytes.split_at_checked(HEAD)?;
    let (mut length, mut rest) = (None, head);
    // The head ends where nothing but zeros follows.
    while rest.first().is_some_and(|byte| *byte != 0) {
        match field(&mut rest)? {
            (2, Some(kind)) if kind != 0 => return None,
            (3, value) => length = value,
            _ => {}
        }
    }
    data.get(..usize::try_from(length.unwrap_or(0)).ok()?)
}

fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push((value & 0x7f) as u8);
}

/// Writes a number; a zero is left out, as everywhere in protobuf.
fn number(bytes: &mut Vec<u8>, field: u8, value: u64) {
    if value != 0 {
        bytes.push(field << 3);
        varint(bytes, value);
    }
}

fn text(bytes: &mut Vec<u8>, field: u8, text: &str) {
    bytes.push(field << 3 | 2);
    varint(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Reads a field's number and its value, where that is a number; passes a text.
fn field(rest: &mut &[u8]) -> Option<(u64, Option<u64>)> {
    let tag = read_varint(rest)?;
    match tag & 7 {
        0 => Some((tag >> 3, Some(read_varint(rest)?))),
        2 => {
            let length = usize::try_from(read_varint(rest)?).ok()?;
            *rest = rest.get(length..)?;
            Some((tag >> 3, None))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_are_written_as_protobuf_and_read() {
        let config = TransferConfig { size: 300, path: "/a".to_owned(), name: "b".to_owned() };
        let bytes = config.write();
        assert_eq!(bytes, b"\x08\xac\x02\x2a\x02/a\x32\x01b\x52\x04send");
        assert_eq!(TransferConfig::size_of(&bytes), Some(300));
        assert_eq!(TransferConfig::size_of(b"\x2a\x09/a"), None, "cut");
        let long = vec![7; 70_000];
        for data in [&b""[..], b"hello", &long] {
            let written = piece(1 << 40, data);
            assert_eq!((written.len(), of_piece(&written)), (HEAD + data.len(), Some(data)));
        }
        assert_eq!(of_piece(&[0; 10]), None);
        let mut compressed = piece(0, b"x");
        compressed[4..6].copy_from_slice(&[0x10, 1]);
        assert_eq!(of_piece(&compressed), None);
    }
}
