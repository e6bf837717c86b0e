//! The public keys by which adb's computers are known, and what is signed with their private ones.
//!
//! A key's form is AOSP's `libcrypto_utils/android_pubkey.cpp`: words of the modulus, −1/n mod 2³², n, 2⁴⁰⁹⁶ mod n, the
//! exponent, little endian; in Base64, before a space and who it is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};
use rsa::{BigUint, Pkcs1v15Sign, RsaPublicKey};

/// Bits of a key: adbd takes no other.
pub(super) const BITS: usize = 2048;
/// Bytes of the token that a phone wants signed.
pub(super) const TOKEN: usize = 20;
/// What stands before a SHA-1 sum in a signature (PKCS #1): phones take their token for one.
const SHA1_PREFIX: [u8; 15] = *b"\x30\x21\x30\x09\x06\x05\x2b\x0e\x03\x02\x1a\x05\x00\x04\x14";
/// Bytes of a key before its modulus, and of the whole.
const HEAD: usize = 8;
const WHOLE: usize = HEAD + 2 * BITS / 8 + 4;

/// How tokens are signed.
pub(super) fn padding() -> Pkcs1v15Sign {
    Pkcs1v15Sign { hash_len: Some(TOKEN), prefix: SHA1_PREFIX.into() }
}

/// A computer's public key, as it offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PublicKey {
    key: RsaPublicKey,
    fingerprint: String,
}

impl PublicKey {
    /// Reads `QAAAA… me@here` with or without its zero byte; `None` where it is no key that adbd would take.
    pub(super) fn read(payload: &[u8]) -> Option<Self> {
        let text = str::from_utf8(payload).ok()?.trim_end_matches('\0');
        let bytes = STANDARD.decode(text.split_whitespace().next()?).ok()?;
        let words = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
        if bytes.len() != WHOLE || words != BITS / 32 {
            return None;
        }
        let modulus = BigUint::from_bytes_le(&bytes[HEAD..HEAD + BITS / 8]);
        let exponent = BigUint::from_bytes_le(&bytes[WHOLE - 4..]);
        let key = RsaPublicKey::new(modulus, exponent).ok()?;
        Some(Self { key, fingerprint: fingerprint(&bytes) })
    }

    /// Tells whether a token was signed by this key's owner.
    pub(super) fn has_signed(&self, token: &[u8], signature: &[u8]) -> bool {
        self.key.verify(padding(), token, signature).is_ok()
    }

    /// Returns what a phone's dialog shows of it: `AB:CD:…`.
    pub(super) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

/// Returns the fingerprint of a key's bytes.
pub(super) fn fingerprint(bytes: &[u8]) -> String {
    Md5::digest(bytes).iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::direct::test_keys;

    #[test]
    fn a_key_is_read_and_knows_what_its_owner_signed() {
        let (_folder, keys) = test_keys();
        let line = format!("{}\0", keys.public());
        let key = PublicKey::read(line.as_bytes()).unwrap();
        assert_eq!(key.fingerprint(), keys.fingerprint());
        let signature = keys.sign(0, &[7; TOKEN]).unwrap();
        assert!(key.has_signed(&[7; TOKEN], &signature));
        assert!(!key.has_signed(&[8; TOKEN], &signature) && !key.has_signed(&[7; TOKEN], b"signature"));
        let shorter = &line.as_bytes()[4..];
        for nothing in [&b""[..], b"\0", b"QAAAAKey= me@here\0", b"\xff", shorter, &[b'A'; 700]] {
            assert_eq!(PublicKey::read(nothing), None, "{}", nothing.escape_ascii());
        }
    }
}
