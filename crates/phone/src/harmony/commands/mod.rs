//! The commands that only HarmonyOS's shell has: each returns what it says.

pub(crate) mod aa;
pub(crate) mod bm;
pub(crate) mod device;
pub(crate) mod hidumper;
pub(crate) mod hilog;
pub(crate) mod recorder;
pub(crate) mod screen;
pub(crate) mod uitest;
mod words;
