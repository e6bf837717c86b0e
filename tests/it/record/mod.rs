//! Recording: what an agent or a person does, written as a testcase.

mod page;
mod phone;
