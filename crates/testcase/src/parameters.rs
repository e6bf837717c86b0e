//! `parameters`: the rows of variables that a case or a step runs with.
//!
//! Each parameter has one name, or several joined with `-`, and a list of values; the rows are the product of all lists, the
//! first changing most slowly. What is picked at random adds to each row and makes no more of them.

mod index;
mod lists;
mod read;
mod rows;
mod sheet;

pub use lists::Parameters;
pub(super) use read::read;
pub use rows::Rows;
