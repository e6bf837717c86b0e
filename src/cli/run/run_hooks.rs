//! What projects run before and after all cases, or those of each device → testcases.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::cli::exit::Failure;
use crate::cli::mcp::servers::CalledArgs;
use crate::cli::testcases::loading;
use crate::cli::testcases::messages;
use crate::runner::HookPoint;
use crate::testcase::{NamedFile, Overrides, TestCase};

/// Testcases and when they run.
pub(in crate::cli) type RunHooks = Vec<(HookPoint, TestCase)>;

/// Loads what the projects of cases name, and takes it out of the cases themselves.
pub(in crate::cli) fn load(
    cases: &mut Vec<TestCase>,
    overrides: &Overrides,
    servers: &CalledArgs,
) -> Result<RunHooks, Failure> {
    let (mut hooks, mut seen) = (RunHooks::new(), HashSet::new());
    let mut own = HashSet::new();
    let overrides = Overrides { are_for_others: true, ..overrides.clone() };
    for case in &*cases {
        let project = &case.project;
        if !seen.insert(project.file.clone()) {
            continue;
        }
        let named = &project.around;
        let moments = [
            (HookPoint::BeforeRun, &named.before_run),
            (HookPoint::AfterRun, &named.after_run),
            (HookPoint::BeforeDevice, &named.before_device),
            (HookPoint::AfterDevice, &named.after_device),
        ];
        for (moment, files) in moments {
            for file in files {
                let path = path_of(project.folder(), file);
                if !path.is_file() {
                    return Err(missing(project.file.as_deref(), moment, file));
                }
                let loaded =
                    loading::load(&[path], &overrides, servers).map_err(|errors| messages::failure(&errors))?;
                own.extend(loaded.iter().map(|case| resolved(&case.path)));
                hooks.extend(loaded.into_iter().map(|case| (moment, case)));
            }
        }
    }
    cases.retain(|case| own.is_empty() || !own.contains(&resolved(&case.path)));
    Ok(hooks)
}

/// Returns a path by which a file is known, however it is named.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

fn path_of(folder: &Path, file: &NamedFile) -> PathBuf {
    if folder == Path::new(".") { PathBuf::from(&file.path) } else { folder.join(&file.path) }
}

fn missing(project: Option<&str>, moment: HookPoint, file: &NamedFile) -> Failure {
    let (place, key) = (file.place, moment.key());
    let project = project.unwrap_or("uixt.yaml");
    Failure::usage(format!(
        "{project}:{}:{}: `{key}`: there is no file {}\n  = it is a testcase, named from the folder of {project}",
        place.line, place.column, file.path
    ))
}
