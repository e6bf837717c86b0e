//! Devices that are described side by side, in the order in which they were listed.

use std::pin::Pin;

use tokio::task::JoinSet;

use crate::DeviceInfo;

/// What comes to the description of a device.
pub type Described = Pin<Box<dyn Future<Output = DeviceInfo> + Send>>;

/// Waits for all; returns what each came to, in their order.
pub async fn all_of(devices: Vec<Described>) -> Vec<DeviceInfo> {
    let mut found: Vec<Option<DeviceInfo>> = devices.iter().map(|_| None).collect();
    let mut asked = JoinSet::new();
    for (number, device) in devices.into_iter().enumerate() {
        asked.spawn(async move { (number, device.await) });
    }
    while let Some(told) = asked.join_next().await {
        if let Ok((number, device)) = told {
            found[number] = Some(device);
        }
    }
    found.into_iter().flatten().collect()
}
