//! Whom a device lets in: keys that it knows, signatures that prove them. Knows no packets, and asks nobody itself.
//!
//! Source: AOSP `packages/modules/adb/daemon/auth.cpp` (`adbd_auth_verify`, `adbd_auth_confirm_key`).

use parking_lot::Mutex;

use super::Admission;
use crate::public_key::PublicKey;
use crate::service::Trust;

/// Keys that a device keeps; the oldest is forgotten.
const MOST_KEYS: usize = 64;

/// What becomes of a host that has identified itself.
#[derive(Debug)]
pub(super) enum Verdict {
    /// It comes in.
    Known,
    /// It is to try another key.
    Unknown,
    /// Nobody looks.
    Ignored,
    /// The device's owner is asked.
    Ask(PublicKey),
}

/// What all of a device's connections have in common.
#[derive(Debug)]
pub(super) struct Guard {
    admission: Admission,
    known: Mutex<Vec<PublicKey>>,
}

impl Guard {
    pub(super) fn new(admission: Admission) -> Self {
        Self { admission, known: Mutex::default() }
    }

    pub(super) fn lets_everybody_in(&self) -> bool {
        self.admission == Admission::Everybody
    }

    /// Looks at what a host says is the token signed.
    pub(super) fn check_signature(&self, token: &[u8], signature: &[u8]) -> Verdict {
        let is_known = self.known.lock().iter().any(|key| key.has_signed(token, signature));
        if is_known { Verdict::Known } else { Verdict::Unknown }
    }

    /// Looks at a key that a host offers; one that cannot be read is told from none.
    pub(super) fn check_key(&self, payload: &[u8]) -> Verdict {
        let Some(key) = PublicKey::read(payload) else {
            tracing::warn!("an adb host offered an invalid key");
            return Verdict::Ignored;
        };
        match self.admission {
            Admission::Everybody => Verdict::Known,
            Admission::AnyKey => {
                self.take(key, Trust::Always);
                Verdict::Known
            }
            Admission::Ask => Verdict::Ask(key),
            Admission::Nobody => Verdict::Ignored,
        }
    }

    /// Takes in what the owner thinks of a key; returns whether its host comes in.
    pub(super) fn take(&self, key: PublicKey, trust: Trust) -> bool {
        let mut known = self.known.lock();
        if trust == Trust::Always && !known.contains(&key) {
            if known.len() >= MOST_KEYS {
                known.remove(0);
            }
            known.push(key);
        }
        trust != Trust::Refused
    }
}
