//! "fn not_this() {}" stands in a comment.
use std::fmt; /* fn nor_this() {} /* nested */ */

pub const LIMIT: usize = 3;
static GREETING: &str = r#"fn raw() { "#;

/// A cart.
#[derive(Debug)]
pub struct Cart<'a, T> where T: fmt::Debug {
    items: Vec<&'a T>,
}

struct Unit;

pub(crate) enum State { Open, Paid { by: char } }

pub trait Price {
    type Money;
    fn price(&self) -> u32;
    fn total(&self) -> u32 { self.price() }
}

impl<'a, T: fmt::Debug> Cart<'a, T> {
    pub const fn new() -> Self {
        Self { items: Vec::new() }
    }

    async unsafe fn add(&mut self, item: &'a T) -> Result<(), impl fmt::Display + use<'a, T>> {
        let quote = '"';
        fn inner(c: char) -> bool { c == '{' }
        Ok::<(), &str>(())
    }
}

impl<T> Price for Vec<T> {
    type Money = u32;
    fn price(&self) -> u32 { 1 }
}

mod pages {
    pub type Name = String;
    pub(super) fn open(_: fn(u32) -> u32) {}
}
mod elsewhere;

macro_rules! sum {
    ($a:expr) => { fn $a() {} };
}

union Bits { a: u32, b: f32 }
