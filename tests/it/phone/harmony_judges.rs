//! The virtual Harmony phone, judged by clients that others wrote: each does many operations, and says which of them came to what they
//! should.

use crate::support::counterparts::{Harmonies, client, client_of, judged};
use crate::support::npm;

#[test]
fn hdctool_by_the_socket_and_by_the_agent() {
    judged(&client("harmony_hdctool.py", &Harmonies::start(&[]).address()), 21);
}

#[test]
fn hdc_rs_by_the_socket() {
    judged(&client("harmony_hdc_rs.py", &Harmonies::start(&[]).address()), 13);
}

#[test]
fn hmdriver2_by_its_commands_and_by_the_agent() {
    judged(&client("harmony_hmdriver2.py", &Harmonies::start(&[]).address()), 40);
}

#[test]
fn handshakes_with_a_version_are_read_too() {
    judged(&client("harmony_hdc_rs.py", &Harmonies::start(&["--fault", "handshake_long"]).address()), 13);
}

#[test]
fn agent_device_by_its_commands() {
    let Some(folder) = npm::clients() else { return };
    if !folder.join("node_modules/agent-device").is_dir() {
        return eprintln!("skipped: tests/all.sh could not install agent-device into target/mcp-clients");
    }
    let harmonies = Harmonies::start(&[]);
    let folder = folder.to_str().expect("a text");
    judged(&client_of("harmony_agent_device.py", &[&harmonies.address(), folder]), 15);
}
