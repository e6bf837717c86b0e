//! The keys of the keyboard: what each does, and which of them are shown.

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cap {
    Type(char),
    Shift,
    /// Letters ↔ digits and signs.
    Signs,
    Erase,
    Enter,
}

/// Which keys are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layer {
    pub(super) shift: bool,
    pub(super) signs: bool,
    /// The pad of a number field.
    pub(super) digits: bool,
}
