//! Eight phones at once, each driven by a program of its own.

use crate::support::counterparts::client_of;

#[test]
fn eight_phones_at_once_are_not_mixed_up() {
    let seen = client_of("eight_phones.py", &[env!("CARGO_BIN_EXE_uixt"), "6"]);
    let rounds = seen["rounds"].as_array().expect("rounds");
    assert!(rounds.len() == 8 && rounds.iter().all(|rounds| rounds.as_u64() > Some(0)), "{seen}");
    assert!(seen["pictures"].as_u64() >= Some(8), "{seen}");
}
