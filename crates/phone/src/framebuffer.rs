//! The framebuffer service: one picture of the screen, raw. Source: AOSP `daemon/framebuffer_service.cpp` (the header of
//! version 1: sizes, then offset and length in bits of red, blue, green and alpha; 32 bits each, little endian).

use std::sync::Arc;

use tokio::io::AsyncWriteExt as _;

use super::handset::Handset;
use crate::adb::service::Stream;

const VERSION: u32 = 1;
const BITS: u32 = 32;
/// Where each colour lies in a pixel.
const COLOURS: [[u32; 2]; 4] = [[0, 8], [16, 8], [8, 8], [24, 8]];

/// Sends the screen as it is now.
pub(super) async fn run(handset: Arc<Handset>, mut stream: Stream) {
    let (width, height, pixels) = handset.system.lock().await.pixels();
    let written = async {
        stream.write_all(&header(width, height)).await?;
        stream.write_all(&pixels).await?;
        stream.shutdown().await
    };
    if let Err(error) = written.await {
        tracing::debug!("a client of the framebuffer left: {error}");
    }
}

fn header(width: u32, height: u32) -> Vec<u8> {
    let size = width * height * (BITS / 8);
    let words = [[VERSION, BITS].as_slice(), &[size, width, height], COLOURS.as_flattened()].concat();
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}
