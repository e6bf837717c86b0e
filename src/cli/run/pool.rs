//! `--device`, `-j` → the workers of a run, and what each case needs of them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use clap_complete::engine::ArgValueCandidates;
use parking_lot::Mutex as Lock;
use tokio::sync::Mutex;
use uixt_call::Boxed;
use uixt_locate::Kind;

use super::device_lock::DeviceLock;
use super::lacking;
use super::named_devices::NamedDevices;
use super::plan::{self, Planner, RunSettings};
use super::run_hooks::RunHooks;
use crate::cli::device::config::device_of;
use crate::cli::device::devices::{Devices, Manner, phone_serial};
use crate::cli::device::spec::{DeviceArgs, Spec, Ways};
use crate::cli::exit::Failure;
use crate::cli::help::completions;
use crate::driver::Driver;
use crate::result;
use crate::runner::{CaseRuntime, HookPoint, Planned, Refusal, Worker};
use crate::testcase::TestCase;

/// The serial that stands for all phones.
pub(in crate::cli) const ALL: &str = "*";
/// What a phone that is ready is called.
const ONLINE: &str = "online";
/// The most workers of a run.
const MOST: u16 = 256;

/// What a run's cases run on.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct PoolArgs {
    /// Device to use: `phone`, `iphone` or `harmony-phone` (the embedded virtual ones), `android[:SERIAL]`,
    /// `ios[:UDID|:http://HOST:PORT|:sim:NAME]`, `harmony[:KEY]`, `stf[:SERIAL]` (of a device farm) or `browser[:chrome|firefox|webkit]`. Given again, cases are shared among the devices; `android:*`, `ios:*` and `harmony:*` are all phones of a kind that are ready.
    #[arg(long, value_name = "SPEC", env = "UIXT_DEVICE", add = ArgValueCandidates::new(completions::device_specs))]
    pub device: Vec<Spec>,
    #[command(flatten)]
    pub ways: Ways,
    /// How many cases run at the same time, each on a virtual phone or in a browser of its own.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST)))]
    pub jobs: Option<u16>,
    /// Runs every case on each of the devices.
    #[arg(long, conflicts_with = "jobs")]
    pub each_device: bool,
}

/// What a run needs: its cases, which of them run around the others, and its workers.
pub(in crate::cli) type PlannedRun = (Vec<Planned>, Vec<(HookPoint, usize)>, Vec<Arc<Slot>>);

impl PoolArgs {
    /// Returns what each worker's device is; none where cases name their own.
    async fn specs(&self) -> Result<Vec<Option<Spec>>, Failure> {
        let mut specs = Vec::new();
        for spec in &self.device {
            match spec {
                Spec::Android(Some(serial)) | Spec::Ios(Some(serial)) | Spec::Harmony(Some(serial))
                    if serial == ALL =>
                {
                    specs.extend(self.connected(spec.platform()).await?);
                }
                other if specs.contains(other) && !other.can_be_many() => {}
                other => specs.push(other.clone()),
            }
        }
        let jobs = usize::from(self.jobs.unwrap_or(1));
        if specs.is_empty() {
            return Ok(vec![None; jobs]);
        }
        let more: Vec<Spec> = specs.iter().filter(|spec| spec.can_be_many()).cloned().collect();
        if more.is_empty() && jobs > specs.len() {
            let named = match specs.len() {
                1 => "one device is named".to_owned(),
                count => format!("{count} devices are named"),
            };
            return Err(Failure::usage(format!(
                "-j {jobs}: {named}, and a phone runs one case at a time\n  = name more of them with --device, or leave -j out"
            )));
        }
        let further = more.into_iter().cycle().take(jobs.saturating_sub(specs.len()));
        Ok(specs.into_iter().chain(further).map(Some).collect())
    }

    /// Returns the phones of a platform that are connected and ready.
    async fn connected(&self, platform: &str) -> Result<Vec<Spec>, Failure> {
        let registry = Devices::default().ways(Manner::by(&self.ways));
        let listed = registry.list_on(platform).await.map_err(Failure::errored)?;
        let others: Vec<String> =
            listed.iter().map(|device| format!("{platform}:{} is {}", device.serial, device.status)).collect();
        let ready = listed.into_iter().filter(|device| device.status == ONLINE);
        let named = match platform {
            "ios" => Spec::Ios,
            "harmony" => Spec::Harmony,
            _ => Spec::Android,
        };
        let specs: Vec<Spec> = ready.map(|device| named(Some(device.serial))).collect();
        if specs.is_empty() {
            let absence = registry.absence_on(platform).map(|error| error.to_string());
            let why: Vec<String> = others.into_iter().chain(absence).collect();
            let why = if why.is_empty() { String::new() } else { format!(": {}", why.join("; ")) };
            let message =
                format!("--device {platform}:*: no phone is ready{why}\n  = `uixt devices` lists what is connected");
            return Err(Failure::usage(message));
        }
        Ok(specs)
    }

    /// Makes the workers and opens what the cases need on the first of them.
    pub(super) async fn plan(
        &self,
        settings: &Arc<RunSettings>,
        cases: Vec<TestCase>,
        hooks: RunHooks,
    ) -> Result<PlannedRun, Failure> {
        let specs = self.specs().await?;
        let kind = |spec: &Option<Spec>| spec.as_ref().map(std::mem::discriminant);
        let number = |at: usize| specs[..at].iter().filter(|other| kind(other) == kind(&specs[at])).count();
        let slots: Vec<_> =
            (0..specs.len()).map(|at| Arc::new(self.slot(settings, (number(at), specs[at].clone())))).collect();
        Self::plan_on(slots, cases, hooks).await
    }

    /// Opens what the cases need on the first of some workers.
    pub(in crate::cli) async fn plan_on(
        slots: Vec<Arc<Slot>>,
        cases: Vec<TestCase>,
        hooks: RunHooks,
    ) -> Result<PlannedRun, Failure> {
        let (moments, others): (Vec<HookPoint>, Vec<TestCase>) = hooks.into_iter().unzip();
        let hooks: Vec<_> = moments.into_iter().zip(cases.len()..).collect();
        let mut planned = Vec::with_capacity(cases.len());
        for Planned { id, case, lane, .. } in named(cases.into_iter().chain(others)) {
            planned.push(Planned { lane, ..slots[0].look_over(case, id).await? });
        }
        let slots = present(slots, &planned).await?;
        let is_pool = slots.len() > 1;
        for planned in &mut planned {
            if planned.refusal.is_some() {
                continue;
            }
            for lock in slots[0].locks(&planned.case, &slots).await? {
                let locks = if lock.is_of_here { &mut planned.own_locks } else { &mut planned.locks };
                locks.push(lock.name);
            }
            if !slots[0].suits(planned) {
                planned.refusal = nowhere(&slots, planned)?;
                continue;
            }
            match slots[0].open(planned).await? {
                Ok(runtime) => {
                    let is_one_kind = slots[0].platforms.len() < 2;
                    let device = runtime.device.as_ref().filter(|_| is_one_kind);
                    let platform = device.map(|device| device.platform.as_str());
                    let lacks = platform.and_then(|platform| lacking::refusal(&planned.case, platform));
                    planned.refusal = lacks.map(|why| Refusal::Missing(plan::failure(Kind::Unsupported, why)));
                }
                // Another worker may have better luck.
                Err(failure) => planned.refusal = (!is_pool).then_some(Refusal::Missing(failure)),
            }
        }
        Ok((planned, hooks, slots))
    }

    fn slot(&self, settings: &Arc<RunSettings>, (number, device): (usize, Option<Spec>)) -> Slot {
        Slot {
            settings: Arc::clone(settings),
            devices: DeviceArgs { device, ways: self.ways.clone() },
            number,
            platforms: self.device.iter().map(Spec::platform).collect(),
            open_devices: Arc::new(Mutex::new(Devices::numbered(number))),
            seats: Lock::default(),
            last: Lock::default(),
            failed: AtomicBool::new(false),
        }
    }
}

/// Leaves the workers whose devices are there; all of them where none is, so that each case says so.
async fn present(slots: Vec<Arc<Slot>>, planned: &[Planned]) -> Result<Vec<Arc<Slot>>, Failure> {
    if slots.len() < 2 || slots[0].devices.device.is_none() {
        return Ok(slots);
    }
    let mut there = Vec::new();
    for slot in &slots {
        let first = planned
            .iter()
            .find(|planned| planned.refusal.is_none() && plan::uses_devices(&planned.case) && slot.suits(planned));
        match first {
            Some(first) => match slot.open(first).await? {
                Ok(_) => there.push(Arc::clone(slot)),
                Err(failure) => eprintln!("warning: {} is left out: {}", slot.name(), failure.message),
            },
            None => there.push(Arc::clone(slot)),
        }
    }
    Ok(if there.is_empty() { slots } else { there })
}

/// Says why none of the devices suits a case; nothing where one does.
fn nowhere(slots: &[Arc<Slot>], planned: &Planned) -> Result<Option<Refusal>, Failure> {
    if slots.iter().any(|slot| slot.suits(planned)) {
        return Ok(None);
    }
    let refused = |message: String| match slots[0].settings.no_skip {
        true => Refusal::Missing(plan::failure(Kind::Unsupported, message)),
        false => Refusal::Skip(message),
    };
    if slots.iter().any(|slot| slot.is_of_platform(planned)) {
        let groups: Vec<String> =
            planned.case.groups().iter().map(|(name, of)| format!("{name} ({})", of.join(", "))).collect();
        let message = format!("requires a device of {}, and none of the devices is one", groups.join(" and "));
        return Ok(Some(refused(message)));
    }
    let Some(platform) = declared(&planned.case) else {
        return Err(Failure::usage(format!(
            "{}: the devices are of several platforms, and this testcase does not say which it is for\n  = write `requires: [browser]` or `requires: [android]` in its config",
            planned.case.file
        )));
    };
    Ok(Some(refused(format!("requires {platform}, and none of the devices is one"))))
}

/// Names cases, and says what each of them needs; nothing else is known of them yet.
pub(in crate::cli) fn named(cases: impl Iterator<Item = TestCase>) -> Vec<Planned> {
    let mut numbers = HashMap::new();
    let name = |case: TestCase| {
        let number = numbers.entry(case.file.clone()).or_insert(0u32);
        *number += 1;
        let id = if *number > 1 { format!("{} ({number})", case.file) } else { case.file.clone() };
        let (lane, refusal) = (lane(&case), None);
        let (own_locks, locks, warnings, secrets) = Default::default();
        Planned { id, case, refusal, lane, own_locks, locks, warnings, secrets }
    };
    cases.map(name).collect()
}

/// Says what a case needs to run, in words that mean the same on every machine: `browser`, `android + ocr`, `anything`.
fn lane(case: &TestCase) -> String {
    let platform = if plan::uses_devices(case) { Some(declared(case).unwrap_or("a device")) } else { None };
    let mut needs: BTreeSet<&str> = case.required().into_iter().filter(|word| Spec::of_kind(word).is_none()).collect();
    needs.extend(platform);
    if needs.is_empty() { "anything".to_owned() } else { needs.into_iter().collect::<Vec<_>>().join(" + ") }
}

/// Returns the platform that a case is for, where it or its project says so.
fn declared(case: &TestCase) -> Option<&'static str> {
    let known = |word: &str| Spec::of_kind(word).map(|spec| spec.platform());
    let named = case.config.device.as_ref().and_then(|named| named.value.as_str()?.parse::<Spec>().ok());
    let of_config = || device_of(case).and_then(|entry| known(&entry.platform));
    let of_own_words = || plan::required_device(case).map(|spec| spec.platform());
    let of_words = || case.required().into_iter().find_map(known);
    let of_project = || case.project.device.as_deref()?.parse::<Spec>().ok().map(|spec| spec.platform());
    let of_name = named.map(|spec| spec.platform());
    of_name.or_else(of_config).or_else(of_own_words).or_else(of_words).or_else(of_project)
}

/// A worker: a device that was named, or whatever each case names; one case at a time.
pub(in crate::cli) struct Slot {
    settings: Arc<RunSettings>,
    devices: DeviceArgs,
    number: usize,
    /// The platforms of all devices that were named.
    platforms: HashSet<&'static str>,
    open_devices: Arc<Mutex<Devices>>,
    /// What was opened, by the ids of testcases.
    seats: Lock<HashMap<String, CaseRuntime>>,
    /// The device that was used last.
    last: Lock<Option<Arc<dyn Driver>>>,
    /// Whether it could not be opened when that was tried last.
    failed: AtomicBool,
}

impl Slot {
    /// Tells whether its device can be that of a case, as far as the platform goes.
    fn is_of_platform(&self, planned: &Planned) -> bool {
        let Some(spec) = self.devices.device.as_ref() else { return true };
        let wanted = match self.platforms.len() > 1 {
            true => declared(&planned.case),
            // The command line decides, but for what a case cannot do without.
            false => plan::needed_device(&planned.case).map(|needed| needed.platform()).or(Some(spec.platform())),
        };
        !plan::uses_devices(&planned.case) || wanted == Some(spec.platform())
    }

    /// Tells whether a device is named in a group: by its serial, or as `--device` takes it.
    fn is_among(&self, spec: &Spec, group: &[String]) -> bool {
        let serial = match spec {
            Spec::Phone => Some(phone_serial(self.number)),
            other => other.serial().map(str::to_owned),
        };
        group.iter().any(|of| Some(of) == serial.as_ref() || of.parse::<Spec>().as_ref() == Ok(spec))
    }

    /// Makes a worker of one device, which is opened already.
    pub(in crate::cli) fn on(
        settings: &Arc<RunSettings>,
        devices: DeviceArgs,
        open_devices: Arc<Mutex<Devices>>,
    ) -> Self {
        Self {
            settings: Arc::clone(settings),
            platforms: devices.device.iter().map(Spec::platform).collect(),
            devices,
            number: 0,
            open_devices,
            seats: Lock::default(),
            last: Lock::default(),
            failed: AtomicBool::new(false),
        }
    }

    /// Returns the worker of a later run, with the devices that this one has open.
    pub(super) fn again(&self, settings: &Arc<RunSettings>) -> Self {
        Self {
            settings: Arc::clone(settings),
            devices: self.devices.clone(),
            number: self.number,
            platforms: self.platforms.clone(),
            open_devices: Arc::clone(&self.open_devices),
            seats: Lock::default(),
            last: Lock::new(self.last.lock().clone()),
            failed: AtomicBool::new(false),
        }
    }

    async fn look_over(&self, case: TestCase, id: String) -> Result<Planned, Failure> {
        let open_devices = &mut *self.open_devices.lock().await;
        Planner { settings: &self.settings, devices: &self.devices, open_devices }.look_over(case, id).await
    }

    /// Tells whether the phone that could not be opened can be by now.
    async fn can_be_opened(&self) -> bool {
        let Some(spec @ (Spec::Android(_) | Spec::Ios(_) | Spec::Harmony(_))) = &self.devices.device else {
            return true;
        };
        let open_devices = &mut *self.open_devices.lock().await;
        let opened = open_devices.open(spec, Manner::by(&self.devices.ways), Path::new(".")).await;
        matches!(opened, Ok((_, Ok(_))))
    }

    /// Opens what a case needs, once.
    async fn open(&self, planned: &Planned) -> Result<Result<CaseRuntime, result::Failure>, Failure> {
        if let Some(seat) = self.seats.lock().get(&planned.id) {
            return Ok(Ok(seat.clone()));
        }
        let open_devices = &mut *self.open_devices.lock().await;
        let device = Planner { settings: &self.settings, devices: &self.devices, open_devices }
            .case_device(&planned.case)
            .await?;
        self.failed.store(device.is_err(), Ordering::Relaxed);
        Ok(device.map(|device| {
            if device.driver.is_some() {
                *self.last.lock() = device.driver;
            }
            self.seats.lock().insert(planned.id.clone(), device.seat.clone());
            device.seat
        }))
    }

    /// Returns the devices that a case shares with all that run on them: phones that only the case names, or the only one there is.
    async fn locks(&self, case: &TestCase, all: &[Arc<Self>]) -> Result<Vec<DeviceLock>, Failure> {
        if !plan::uses_devices(case) {
            return Ok(Vec::new());
        }
        let open_devices = &mut *self.open_devices.lock().await;
        let planner = Planner { settings: &self.settings, devices: &self.devices, open_devices };
        let (spec, server) = planner.choice(case)?;
        let platform = spec.as_ref().map(Spec::platform);
        let lock = |spec, server: &str| DeviceLock::of(spec, server, &self.devices.ways);
        let own = if self.devices.device.is_some() { None } else { lock(spec, &server) };
        let further = NamedDevices::phones(case, platform, &self.settings.overrides)?;
        // Cases of that worker would act on it at the same time.
        let is_of_run =
            |spec: &&Spec| all.len() > 1 && all.iter().any(|slot| slot.devices.device.as_ref() == Some(*spec));
        if let Some(serial) = further.iter().find(is_of_run).and_then(Spec::serial) {
            return Err(Failure::usage(format!(
                "{}: its steps go to {serial}, which --device gives to all cases\n  = leave {serial} out of --device",
                case.file
            )));
        }
        let further = further.into_iter().filter_map(|spec| lock(Some(spec), &server));
        Ok(own.into_iter().chain(further).collect())
    }

    /// Ends what runs on its devices.
    pub(super) async fn close(&self) {
        self.seats.lock().clear();
        self.open_devices.lock().await.close().await;
    }
}

impl Worker for Slot {
    fn name(&self) -> String {
        if let Some(serial) = self.devices.device.as_ref().and_then(Spec::serial) {
            return serial.to_owned();
        }
        let device = self.last.lock().as_ref().map(|driver| driver.info().clone());
        match (device, &self.devices.device) {
            (Some(device), _) if device.platform != "browser" => device.name,
            (Some(device), _) if self.number == 0 => device.name,
            (Some(device), _) => format!("{} {}", device.name, self.number + 1),
            (None, Some(spec)) => format!("{} {}", spec.platform(), self.number + 1),
            (None, None) => format!("worker {}", self.number + 1),
        }
    }

    fn suits(&self, planned: &Planned) -> bool {
        let of_project = || planned.case.project.device.as_deref()?.parse().ok();
        let device = self.devices.device.clone().or_else(of_project);
        let is_in = |of: &[String]| device.as_ref().is_some_and(|spec| self.is_among(spec, of));
        self.is_of_platform(planned)
            && (!plan::uses_devices(&planned.case) || planned.case.groups().iter().all(|(_, of)| is_in(of)))
    }

    fn seat<'a>(&'a self, planned: &'a Planned) -> Boxed<'a, Result<CaseRuntime, result::Failure>> {
        Box::pin(async move {
            let wrong = |failure: Failure| plan::failure(Kind::Device, failure.to_string());
            self.open(planned).await.map_err(wrong)?
        })
    }

    fn answers(&self) -> Boxed<'_, bool> {
        Box::pin(async move {
            let driver = self.last.lock().clone();
            match driver {
                Some(driver) => driver.screen_size().await.is_ok(),
                None => !self.failed.load(Ordering::Relaxed) || self.can_be_opened().await,
            }
        })
    }

    fn examine(&self) -> Boxed<'_, String> {
        Box::pin(async move {
            let driver = self.last.lock().clone();
            // A browser ends with its case.
            match driver.filter(|driver| driver.info().platform != "browser") {
                Some(driver) => uixt_toolkit::examine(&*driver).await,
                None => String::new(),
            }
        })
    }
}
