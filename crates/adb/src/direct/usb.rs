//! Phones on USB: the interface by which an Android device shows its adbd, as bytes and packets.
//!
//! The interface's class is AOSP's `adb/adb.h` (`ADB_CLASS`, …). A packet's header and its payload are transfers of their own,
//! and a transfer that fills its last USB packet is ended by an empty one (`client/usb_linux.cpp`).

use std::io;

use async_trait::async_trait;
use nusb::descriptors::TransferType;
use nusb::io::{EndpointRead, EndpointWrite};
use nusb::transfer::{Bulk, Direction, In, Out};
use nusb::{DeviceInfo, Interface};
use tokio::io::AsyncWriteExt as _;

use super::sink::Sink;
use crate::error::Error;
use crate::packet::{HEADER, Packet};

/// Class, subclass and protocol of adbd's interface.
const KIND: (u8, u8, u8) = (0xff, 0x42, 0x01);
/// Bytes of a transfer.
const TRANSFER: usize = 16 * 1024;
/// Transfers that wait for what the phone sends.
const READS: usize = 4;

/// Packets to a phone.
pub(super) struct Writer(EndpointWrite<Bulk>);

#[async_trait]
impl Sink for Writer {
    async fn send(&mut self, packet: &Packet, sums: bool) -> io::Result<()> {
        for transfer in transfers(&packet.encode(sums)) {
            self.0.write_all(transfer).await?;
            self.0.flush_end_async().await?;
        }
        Ok(())
    }
}

/// Returns what goes out at a time: the header, and the payload where there is one.
fn transfers(packet: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (header, payload) = packet.split_at(HEADER);
    [header, payload].into_iter().filter(|transfer| !transfer.is_empty())
}

/// Returns the serials of the phones that show an adbd; none where USB cannot be asked.
pub(super) async fn serials() -> Vec<String> {
    let Ok(devices) = nusb::list_devices().await else { return Vec::new() };
    devices.filter(|device| interface_of(device).is_some()).map(|device| serial_of(&device)).collect()
}

/// Opens a phone's adbd.
pub(super) async fn open(serial: &str) -> Result<(EndpointRead<Bulk>, Writer), Error> {
    let failed = |error: nusb::Error| refused(serial, &error);
    let mut devices = nusb::list_devices().await.map_err(failed)?;
    let found =
        devices.find_map(|device| Some((interface_of(&device)?, device)).filter(|(_, d)| serial_of(d) == serial));
    let Some((number, device)) = found else {
        return Err(Error::NoDevice { serial: serial.to_owned(), present: Vec::new() });
    };
    let interface = device.open().await.map_err(failed)?.claim_interface(number).await.map_err(failed)?;
    let (from, to) = endpoints(&interface).ok_or_else(|| broken(serial))?;
    let reader = interface.endpoint::<Bulk, In>(from).map_err(failed)?.reader(TRANSFER).with_num_transfers(READS);
    let writer = interface.endpoint::<Bulk, Out>(to).map_err(failed)?.writer(TRANSFER);
    Ok((reader, Writer(writer)))
}

fn interface_of(device: &DeviceInfo) -> Option<u8> {
    let is_adb = |kind| kind == KIND;
    let mut interfaces = device.interfaces();
    interfaces.find(|i| is_adb((i.class(), i.subclass(), i.protocol()))).map(nusb::InterfaceInfo::interface_number)
}

/// Returns a phone's serial; one that has none is named by its place.
fn serial_of(device: &DeviceInfo) -> String {
    let place = || format!("usb-{}-{}", device.bus_id(), device.device_address());
    device.serial_number().filter(|serial| !serial.is_empty()).map_or_else(place, str::to_owned)
}

/// Returns the addresses of both bulk endpoints: from the phone, and to it.
fn endpoints(interface: &Interface) -> Option<(u8, u8)> {
    let descriptor = interface.descriptor()?;
    let of = |direction| {
        let mut endpoints = descriptor.endpoints();
        let found = endpoints.find(|e| e.transfer_type() == TransferType::Bulk && e.direction() == direction);
        found.map(|endpoint| endpoint.address())
    };
    Some((of(Direction::In)?, of(Direction::Out)?))
}

fn refused(serial: &str, error: &nusb::Error) -> Error {
    let hint = match error.kind() {
        nusb::ErrorKind::Busy => ": another program holds it, perhaps an adb server (`adb kill-server`)",
        nusb::ErrorKind::PermissionDenied => ": this user may not use it (on Linux: a udev rule, group `plugdev`)",
        _ => "",
    };
    Error::Refused { message: format!("USB device `{serial}`: {error}{hint}") }
}

fn broken(serial: &str) -> Error {
    Error::Protocol { message: format!("USB device `{serial}` has an adb interface without its endpoints") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Command;

    #[test]
    fn a_header_and_its_payload_are_transfers_of_their_own() {
        let lengths = |payload: &[u8]| {
            let packet = Packet::new(Command::Write, 1, 2, payload).encode(true);
            transfers(&packet).map(<[u8]>::len).collect::<Vec<_>>()
        };
        assert_eq!((lengths(b""), lengths(b"x"), lengths(&[0; 16_384])), (vec![24], vec![24, 1], vec![24, 16_384]));
    }

    #[tokio::test]
    async fn a_phone_that_is_not_plugged_in_is_named() {
        // Where USB cannot be asked at all, that is said instead.
        let error = open("no such serial").await.err().expect("no phone").to_string();
        assert!(error.contains("no such serial"), "{error}");
        assert!(!serials().await.contains(&"no such serial".to_owned()));
    }
}
