//! Where cases run, and what a case gets there.

use std::collections::HashMap;
use std::sync::Arc;

use uixt_call::{Boxed, Caller, Carried};

use super::plan::Planned;
use crate::result::{Device, Failure};

/// Makes whom calls go to, each time in a session of its own, for one case; or in one that goes on where an earlier one was.
pub type CallerFactory = Arc<dyn Fn(Option<Arc<Carried>>) -> Arc<dyn Caller> + Send + Sync>;

/// What a case runs with.
#[derive(Clone)]
pub struct CaseRuntime {
    /// The device, where it needs one.
    pub device: Option<Device>,
    /// The devices that the config names, by their names; `device` is among them where the config names it.
    pub devices: Arc<HashMap<String, Device>>,
    pub calls: CallerFactory,
    /// Makes the device ready for a case before each of its tries; returns what there is to tell of that.
    pub ready: Option<Ready>,
}

impl CaseRuntime {
    /// Makes one for a case that needs no device.
    pub fn deviceless(calls: CallerFactory) -> Self {
        Self { device: None, devices: Arc::default(), calls, ready: None }
    }
}

/// Makes a device ready for a case.
pub type Ready = Arc<dyn Fn() -> Boxed<'static, Vec<String>> + Send + Sync>;

/// Where cases run, one after the other: a device, or whatever each of them names.
pub trait Worker: Send + Sync {
    /// What people call it: `virtual phone 2`.
    fn name(&self) -> String;

    /// Tells whether a case can run there.
    fn suits(&self, planned: &Planned) -> bool;

    /// Opens what a case needs.
    fn seat<'a>(&'a self, planned: &'a Planned) -> Boxed<'a, Result<CaseRuntime, Failure>>;

    /// Tells whether the device that was used last still answers.
    fn answers(&self) -> Boxed<'_, bool>;

    /// Says what is to be seen of that device; empty where there is none.
    fn examine(&self) -> Boxed<'_, String> {
        Box::pin(async { String::new() })
    }
}

/// A worker that any case can run on, without a device of its own.
pub struct Deviceless(pub CallerFactory);

impl Worker for Deviceless {
    fn name(&self) -> String {
        String::new()
    }

    fn suits(&self, _: &Planned) -> bool {
        true
    }

    fn seat<'a>(&'a self, _: &'a Planned) -> Boxed<'a, Result<CaseRuntime, Failure>> {
        Box::pin(async { Ok(CaseRuntime::deviceless(Arc::clone(&self.0))) })
    }

    fn answers(&self) -> Boxed<'_, bool> {
        Box::pin(async { true })
    }
}
