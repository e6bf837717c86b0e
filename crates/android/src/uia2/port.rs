//! The port of a device where the server listens.

use uixt_lane::{Connector, Lane, Stream};

use crate::adb::{self, Device};

/// A port of a device.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) device: Device,
    pub(super) number: u16,
}

/// One connection to the server.
pub(super) type Http = Lane<Port>;

/// Why there is no answer of the server.
pub(super) type Failure = uixt_lane::Failure<adb::Error>;

impl Connector for Port {
    type Error = adb::Error;

    async fn connect(&self) -> Result<Box<dyn Stream>, adb::Error> {
        Ok(Box::new(self.device.connect(&format!("tcp:{}", self.number)).await?))
    }

    fn hangs_up(&self) -> adb::Error {
        adb::Error::Refused { message: format!("what listens on port {} of the device hangs up", self.number) }
    }
}
