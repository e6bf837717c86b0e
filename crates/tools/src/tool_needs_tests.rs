//! Which tools are found for tasks that testers and agents have, in English and Chinese: `tool_needs/`.

use crate::groups::table;

/// Reads a file of tasks: each with the tools of which one must be among the first.
fn tasks(text: &'static str) -> Vec<(&'static str, Vec<&'static str>)> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| line.split_once('|').unwrap_or((line, "")))
        .map(|(task, tools)| (task.trim(), tools.split_whitespace().collect()))
        .collect()
}

/// Returns the tasks for which none of the right tools is among the first three, with those that are.
fn misses(tasks: &[(&'static str, Vec<&'static str>)]) -> Vec<String> {
    let miss = |(task, right): &(&'static str, Vec<&'static str>)| {
        for tool in right {
            assert!(table().find(tool).is_some(), "{tool} is no tool");
        }
        let first: Vec<_> = uixt_tools_code::ranked(table(), task).into_iter().take(3).collect();
        let is_found = first.iter().any(|one| right.contains(&one.tool.name()));
        let told = || {
            first
                .iter()
                .map(|one| format!("{} {:.1} ({})", one.tool.name(), one.score, one.because.join(" ")))
                .collect::<Vec<_>>()
        };
        (!is_found).then(|| format!("{task}: wanted {}; found {}", right.join(", "), told().join(", ")))
    };
    tasks.iter().filter_map(miss).collect()
}

/// Prints which tasks of a file are missed, and fails where there are more than may be.
fn try_out(text: &'static str, count: usize, most_missed: usize) {
    let tasks = tasks(text);
    assert_eq!(tasks.len(), count);
    let misses = misses(&tasks);
    let told = format!("{} of {count} found; missed:\n{}", count - misses.len(), misses.join("\n"));
    println!("{told}");
    assert!(misses.len() <= most_missed, "{told}");
}

#[test]
fn the_right_tool_is_among_the_first_three() {
    try_out(include_str!("tool_needs/tasks.txt"), 62, 6);
}

/// Tasks that were written when the words of `synonyms.txt` stood; what is missed here is not mended there.
#[test]
fn so_it_is_for_tasks_that_nothing_was_made_for() {
    try_out(include_str!("tool_needs/held_out.txt"), 20, 4);
}

#[test]
fn what_no_tool_does_is_said() {
    let tasks = |text| tasks(text).into_iter().map(|(task, _)| task);
    let is_enough = |task: &&str| uixt_tools_code::is_enough(table(), task);
    let told = |task: &str| {
        let best = uixt_tools_code::ranked(table(), task);
        best.first()
            .map(|one| {
                format!("{task}: {} {:.1} {:.2} ({})", one.tool.name(), one.score, one.share, one.because.join(" "))
            })
            .unwrap_or_default()
    };
    let wrong: Vec<String> = tasks(include_str!("tool_needs/beyond.txt")).filter(is_enough).map(told).collect();
    assert!(wrong.is_empty(), "said to be possible:\n{}", wrong.join("\n"));
    let charts = uixt_tools_code::ranked(table(), "创建数据可视化图表");
    let of_apps = charts.iter().take(3).map(|one| one.tool.name()).find(|name| name.starts_with("app_"));
    assert_eq!(of_apps, None, "data that is drawn is not that of an app");
    let poor: Vec<String> =
        tasks(include_str!("tool_needs/tasks.txt")).filter(|task| !is_enough(task)).map(told).collect();
    assert!(poor.len() <= 3, "{} said to be impossible:\n{}", poor.len(), poor.join("\n"));
}
