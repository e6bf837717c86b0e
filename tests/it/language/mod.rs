//! What a testcase may say: control flow, values, paths, functions, and the spellings of `HttpRunner`.

mod comparisons;
mod control_flow;
mod device_of_a_step;
mod files_made_to_hurt;
mod host_tools;
mod httprunner_false_passes;
mod httprunner_files;
mod httprunner_options;
mod own_tools;
mod paths_and_empty_texts;
mod python_functions;
