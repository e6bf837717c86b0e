//! The two structures of a transfer, as protobuf codes them. Source: `src/common/serial_struct.h` of hdc.

/// A field: a number, or bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Number(u64),
    Bytes(Vec<u8>),
}

/// Writes fields with their tags.
pub(super) fn write(fields: &[(u64, Field)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (tag, field) in fields {
        match field {
            Field::Number(number) => {
                write_number(&mut out, tag << 3);
                write_number(&mut out, *number);
            }
            Field::Bytes(bytes) => {
                write_number(&mut out, tag << 3 | 2);
                write_number(&mut out, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
        }
    }
    out
}

fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        #[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    #[expect(clippy::cast_possible_truncation, reason = "what is left has seven bits")]
    out.push(number as u8);
}

/// Reads fields; nothing where the bytes are none. Zeros behind them are no fields.
pub(super) fn read(mut bytes: &[u8]) -> Option<Vec<(u64, Field)>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() && bytes[0] != 0 {
        let key = read_number(&mut bytes)?;
        let field = match key & 7 {
            0 => Field::Number(read_number(&mut bytes)?),
            2 => {
                let length = usize::try_from(read_number(&mut bytes)?).ok()?;
                let (own, rest) = bytes.split_at_checked(length)?;
                bytes = rest;
                Field::Bytes(own.to_vec())
            }
            _ => return None,
        };
        fields.push((key >> 3, field));
    }
    Some(fields)
}

fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Returns a number of the fields; 0 where it is not there.
pub(super) fn number(fields: &[(u64, Field)], tag: u64) -> u64 {
    let found = fields.iter().find(|(known, _)| *known == tag);
    if let Some((_, Field::Number(number))) = found { *number } else { 0 }
}

/// Returns a text of the fields; an empty one where it is not there.
pub(super) fn text(fields: &[(u64, Field)], tag: u64) -> String {
    let found = fields.iter().find(|(known, _)| *known == tag);
    if let Some((_, Field::Bytes(bytes))) = found { String::from_utf8_lossy(bytes).into_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back_as_they_were() {
        let fields = vec![(1, Field::Number(300)), (5, Field::Bytes(b"/data/x".to_vec())), (8, Field::Number(0))];
        let mut bytes = write(&fields);
        assert_eq!(bytes, b"\x08\xac\x02\x2a\x07/data/x\x40\x00");
        bytes.resize(64, 0);
        assert_eq!(read(&bytes), Some(fields.clone()));
        assert_eq!((number(&fields, 1), text(&fields, 5).as_str(), number(&fields, 9)), (300, "/data/x", 0));
        assert_eq!(read(&[0x2a, 200, 1]), None);
        assert_eq!(read(&[0x80]), None);
    }
}
