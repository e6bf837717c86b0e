//! Cases → what the page shows of them all: which device ran what when, and which steps took longest.

use std::ops::Range;

use minijinja::{Value, context};

use super::super::wording;
use super::case::put;
use super::escape;
use super::step::class;
use crate::result::{CaseResult, Device, Outcome, RunResult, StepResult};

/// How many devices are named.
const DEVICES: usize = 64;
/// How many cases are drawn as bars; of those that did not pass, as many more.
const BARS: usize = 5_000;
/// How many steps are named.
const SLOWEST: usize = 10;
/// How long a step must take to be named, in milliseconds.
const SLOW_MS: u64 = 100;
/// By how much a case may seem to begin before another has ended, in milliseconds.
const ROUNDED: u64 = 5;
/// How many characters of a step are shown.
const TITLE: usize = 120;

/// What is gathered while cases pass by.
pub(super) struct Overview {
    run: RunResult,
    lanes: Vec<Lane>,
    bars: usize,
    slowest: Vec<Slow>,
}

/// A device and its cases, as the page shows them. Browsers that are called the same and run at the same time have a lane each.
struct Lane {
    device: Device,
    name: String,
    /// How many lanes of such a device came before it.
    before: usize,
    bars: String,
    /// When its cases ran, in milliseconds of the run.
    taken: Vec<Range<u64>>,
}

/// A step that took long.
struct Slow {
    ms: u64,
    /// The case's number on the page.
    case: usize,
    step: u32,
    title: String,
    of: String,
}

impl Overview {
    pub(super) fn of(run: &RunResult) -> Self {
        Self { run: run.clone(), lanes: Vec::new(), bars: 0, slowest: Vec::with_capacity(SLOWEST + 1) }
    }

    /// Takes note of the case `number` of the page.
    pub(super) fn case(&mut self, case: &CaseResult, number: usize) {
        if let Some(device) = &case.device {
            self.draw(case, device, number);
        }
        for step in &case.steps {
            if step.elapsed_ms >= SLOW_MS && self.is_among_the_slowest(step) {
                self.keep(case, step, number);
            }
        }
    }

    /// Returns what the devices are called.
    pub(super) fn devices(&self) -> Vec<String> {
        self.lanes.iter().filter(|lane| lane.before == 0).map(|lane| lane.name.clone()).collect()
    }

    /// Returns the devices with their cases.
    pub(super) fn lanes(&self) -> Vec<Value> {
        self.lanes.iter().map(|lane| context! { name => &lane.name, bars => &lane.bars }).collect()
    }

    /// Returns the steps that took longest, the slowest first.
    pub(super) fn slowest(&self) -> Vec<Value> {
        self.slowest.iter().map(Slow::value).collect()
    }

    /// Tells whether there are more cases than are drawn.
    pub(super) fn is_cut(&self) -> bool {
        self.bars >= BARS
    }

    fn draw(&mut self, case: &CaseResult, device: &Device, number: usize) {
        let began = u64::try_from((case.at - self.run.at).num_milliseconds()).unwrap_or(0);
        let took = began..began + case.elapsed_ms;
        let is_free = |lane: &Lane| {
            lane.taken.iter().all(|taken| taken.end <= took.start + ROUNDED || took.end <= taken.start + ROUNDED)
        };
        let lane = match self.lanes.iter().position(|lane| lane.device == *device && is_free(lane)) {
            Some(lane) => lane,
            None if self.lanes.len() < DEVICES => {
                let before = self.lanes.iter().filter(|lane| lane.device == *device).count();
                let name = if before == 0 { name(device) } else { format!("{} ({})", name(device), before + 1) };
                let lane = Lane { device: device.clone(), name, before, bars: String::new(), taken: Vec::new() };
                self.lanes.push(lane);
                self.lanes.len() - 1
            }
            None => return,
        };
        let is_one_too_many = self.bars >= if case.outcome < Outcome::Failed { BARS } else { 2 * BARS };
        if is_one_too_many {
            return;
        }
        self.bars += 1;
        self.lanes[lane].taken.push(took);
        let (begin, width) = (self.per_myriad(began), self.per_myriad(case.elapsed_ms));
        let width = width.min(10_000 - begin);
        let out = &mut self.lanes[lane].bars;
        put(out, format_args!("<a class={} href=#c{number} tabindex=-1 ", class(case.outcome)));
        put(
            out,
            format_args!(
                "style=\"left:{}.{:02}%;width:{}.{:02}%\"",
                begin / 100,
                begin % 100,
                width / 100,
                width % 100
            ),
        );
        out.push_str(" title=\"");
        escape::push(out, &wording::shortened(&super::name(case), TITLE));
        put(out, format_args!(", {}, {}\"></a>", wording::outcome(case.outcome), wording::duration(case.elapsed_ms)));
    }

    fn per_myriad(&self, ms: u64) -> u64 {
        ms.saturating_mul(10_000).checked_div(self.run.elapsed_ms).unwrap_or(0).min(10_000)
    }

    fn is_among_the_slowest(&self, step: &StepResult) -> bool {
        self.slowest.len() < SLOWEST || self.slowest.last().is_some_and(|last| last.ms < step.elapsed_ms)
    }

    fn keep(&mut self, case: &CaseResult, step: &StepResult, number: usize) {
        let at = self.slowest.partition_point(|slow| slow.ms >= step.elapsed_ms);
        let slow = Slow {
            ms: step.elapsed_ms,
            case: number,
            step: step.number,
            title: wording::shortened(&wording::one_line(&wording::title(step)), TITLE).to_string(),
            of: super::name(case),
        };
        self.slowest.insert(at, slow);
        self.slowest.truncate(SLOWEST);
    }
}

impl Slow {
    fn value(&self) -> Value {
        let took = wording::duration(self.ms);
        context! { took, case => self.case, step => self.step, title => &self.title, of => &self.of }
    }
}

fn name(device: &Device) -> String {
    let text = if device.name == device.serial {
        format!("{}, {}", device.name, device.platform)
    } else {
        format!("{}, {} {}", device.name, device.platform, device.serial)
    };
    wording::one_line(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::super::sample;
    use super::*;

    #[test]
    fn the_slowest_steps_stand_first_and_are_few() {
        let mut case = sample::long(1_000);
        for step in &mut case.steps {
            step.elapsed_ms = u64::from(step.number * 7_919 % 1_009) * 10;
        }
        let mut overview = Overview::of(&sample::run().0);
        overview.case(&case, 3);
        let mut all: Vec<u64> = case.steps.iter().map(|step| step.elapsed_ms).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        let kept: Vec<u64> = overview.slowest.iter().map(|slow| slow.ms).collect();
        assert_eq!(kept, all[..SLOWEST]);
        assert!(overview.slowest.iter().all(|slow| slow.case == 3));
    }

    #[test]
    fn a_bar_stands_where_its_case_ran() {
        let (run, _) = sample::run();
        let mut case = sample::case("a.yaml", "<a>", Outcome::Passed);
        case.device = Some(sample::device("1"));
        case.at = run.at + chrono::TimeDelta::milliseconds(i64::try_from(run.elapsed_ms).unwrap() / 2);
        case.elapsed_ms = run.elapsed_ms;
        let mut overview = Overview::of(&run);
        overview.case(&case, 1);
        let bars = &overview.lanes[0].bars;
        assert!(bars.contains("style=\"left:49.99%;width:50.01%\" title=\"&lt;a&gt;, passed, "), "{bars}");
        // Another one that is called the same ran meanwhile.
        overview.case(&case, 2);
        case.at += chrono::TimeDelta::milliseconds(i64::try_from(run.elapsed_ms).unwrap());
        overview.case(&case, 3);
        let lanes: Vec<(&str, usize)> =
            overview.lanes.iter().map(|lane| (lane.name.as_str(), lane.bars.matches("<a ").count())).collect();
        assert!(matches!(lanes[..], [(_, 2), (second, 1)] if second.ends_with(" (2)")), "{lanes:?}");
        assert_eq!(overview.devices().len(), 1);
    }
}
