//! Tools that name elements by the refs of snapshots, and whatever else names one → those refs: one finder of elements, one converter
//! of arguments, for testcases and agents alike. What is done then is done by the rows for elements.

mod converter;
pub(crate) mod element_finder;
mod fault;
mod tools;

pub use fault::coded;
pub use tools::TOOLS;
