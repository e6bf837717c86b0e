//! The ids of cases: `login.yaml#3`; of the second of several runs `login.yaml#3~2`; on each of several devices `login.yaml#3@Pixel 8`.

/// Returns the id of a row of a testcase; that of a testcase without rows has the number 0.
pub fn of_row(planned: &str, number: u64) -> String {
    format!("{planned}#{number}")
}

/// Returns the id of a run of a case, counted from 1.
pub(super) fn of_run(case: &str, run: u32) -> String {
    format!("{case}~{run}")
}

/// Returns the id of a case on a device, where it runs on several.
pub(super) fn on_device(case: &str, device: &str) -> String {
    format!("{case}@{device}")
}

/// Takes an id apart: the testcase, and the row as it is written, whichever run it was and on whichever device.
pub fn parts(id: &str) -> Option<(&str, &str)> {
    let (planned, row) = id.rsplit_once('#')?;
    Some((planned, row.split(['~', '@']).next().unwrap_or(row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_made_and_taken_apart() {
        let row = of_row("ann@home~1.yaml", 3);
        for id in [row.clone(), of_run(&row, 2), on_device(&of_run(&row, 2), "Pixel 8")] {
            assert_eq!(parts(&id), Some(("ann@home~1.yaml", "3")), "{id}");
        }
        assert_eq!(parts("none"), None);
    }
}
