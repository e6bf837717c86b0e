//! Recording: what an agent or a person does, written as a testcase.

mod fingers;
mod page;
mod phone;
