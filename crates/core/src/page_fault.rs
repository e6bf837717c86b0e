//! What went wrong in a page, as a line: `request: 500 …: GET http://…`, `console: …`, `download: …`.

/// How many characters of a fault tell whether a message holds it.
const TOLD: usize = 30;

/// Tells whether a message says a fault already, so that it need not be told again.
pub fn is_told(message: &str, fault: &str) -> bool {
    let core: String = fault.split_once(": ").map_or(fault, |(_, core)| core).chars().take(TOLD).collect();
    // Fewer say nothing.
    core.chars().count() >= TOLD / 2 && message.contains(&core)
}

#[cfg(test)]
mod tests {
    use super::is_told;

    #[test]
    fn a_fault_is_told_where_a_message_holds_its_core() {
        let fault = "download: it was cut off after 0 of 1000 bytes: http://127.0.0.1/cut";
        assert!(is_told("no file came; the page's downloads: x.csv (it was cut off after 0 of 1000 bytes)", fault));
        assert!(!is_told("no file came", fault) && !is_told("late", "console: late"));
    }
}
