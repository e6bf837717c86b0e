//! `wm`: the screen's size, density and rotation. Source: AOSP `WindowManagerShellCommand.java`.

use std::io;

use super::call::Call;

/// The smallest side that a screen may be given, and how much larger than its own it may become.
const SMALLEST: u32 = 200;
const LARGEST_SCALE: u32 = 2;

pub(super) async fn wm(call: &mut Call<'_>) -> io::Result<u8> {
    let arguments: Vec<&str> = without_display(call.arguments.iter().map(String::as_str));
    match arguments.as_slice() {
        ["size"] => print_size(call).await,
        ["size", "reset"] => set_size(call, None).await,
        ["size", size] => match parsed_size(size) {
            Some(size) => set_size(call, Some(size)).await,
            None => call.fail(255, &format!("Error: bad size {size}")).await,
        },
        ["density"] => print_density(call).await,
        ["density", "reset"] => set_density(call, None).await,
        ["density", density] => match density.parse() {
            Ok(density) if density >= 72 => set_density(call, Some(density)).await,
            Ok(_) => call.fail(255, "Error: density must be >= 72").await,
            Err(_) => call.fail(255, &format!("Error: bad number {density}")).await,
        },
        ["user-rotation" | "set-user-rotation", rest @ ..] => rotate(call, rest).await,
        ["dismiss-keyguard"] => {
            call.handset().system.lock().await.dismiss_lock();
            Ok(0)
        }
        [] | ["help"] => call.done("Window manager (window) commands:\n  size [reset|WxH]\n  density [reset|DENSITY]\n  user-rotation [free|lock [ROTATION]]\n  dismiss-keyguard\n").await,
        [other, ..] => call.fail(255, &format!("Unknown command: {other}")).await,
    }
}

/// Leaves out `-d 0`, which names the only display there is.
fn without_display<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut left: Vec<&str> = Vec::new();
    for word in words {
        match (left.last(), word) {
            (Some(&"-d"), "0") => drop(left.pop()),
            _ => left.push(word),
        }
    }
    left
}

async fn print_size(call: &Call<'_>) -> io::Result<u8> {
    let forced = call.handset().system.lock().await.size_override();
    let (width, height) = call.handset().options.size;
    call.out(format!("Physical size: {width}x{height}\n")).await?;
    match forced {
        Some((width, height)) => call.done(format!("Override size: {width}x{height}\n")).await,
        None => Ok(0),
    }
}

fn parsed_size(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    Some((width.parse().ok().filter(|width| *width > 0)?, height.parse().ok().filter(|height| *height > 0)?))
}

async fn set_size(call: &Call<'_>, size: Option<(u32, u32)>) -> io::Result<u8> {
    let own = call.handset().options.size;
    let largest = own.0.max(own.1) * LARGEST_SCALE;
    let within = |side: u32| side.clamp(SMALLEST, largest);
    let size = size.map(|(width, height)| (within(width), within(height))).filter(|size| *size != own);
    call.handset().system.lock().await.set_size_override(size);
    Ok(0)
}

async fn print_density(call: &Call<'_>) -> io::Result<u8> {
    let forced = call.handset().system.lock().await.density_override();
    call.out(format!("Physical density: {}\n", call.handset().options.density)).await?;
    match forced {
        Some(density) => call.done(format!("Override density: {density}\n")).await,
        None => Ok(0),
    }
}

async fn set_density(call: &Call<'_>, density: Option<u32>) -> io::Result<u8> {
    let density = density.map(|density| density.min(1000)).filter(|density| *density != call.handset().options.density);
    call.handset().system.lock().await.set_density_override(density);
    Ok(0)
}

async fn rotate(call: &Call<'_>, arguments: &[&str]) -> io::Result<u8> {
    let mut system = call.handset().system.lock().await;
    let rotation = match arguments {
        [] => {
            let free = system.settings.get("system/accelerometer_rotation").is_some_and(|value| value == "1");
            let text = if free { "free\n".to_owned() } else { format!("lock {}\n", system.rotation()) };
            drop(system);
            return call.done(text).await;
        }
        ["free"] => {
            system.settings.insert("system/accelerometer_rotation".to_owned(), "1".to_owned());
            system.set_rotation(0);
            return Ok(0);
        }
        ["lock"] | ["lock", "-1"] => Some(system.rotation()),
        ["lock", rotation] => rotation.parse().ok().filter(|rotation| *rotation < 4),
        _ => None,
    };
    let Some(rotation) = rotation else {
        drop(system);
        return call.fail(255, "Error: argument needs to be either -1, 0, 1, 2, 3 behind 'lock'").await;
    };
    system.settings.insert("system/accelerometer_rotation".to_owned(), "0".to_owned());
    system.settings.insert("system/user_rotation".to_owned(), rotation.to_string());
    system.set_rotation(rotation);
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_displays_number_is_left_out() {
        let kept = |line: &str| without_display(line.split(' ')).join(" ");
        assert_eq!(kept("size -d 0"), "size");
        assert_eq!(kept("user-rotation -d 0 lock 0"), "user-rotation lock 0");
        assert_eq!(kept("user-rotation lock 0"), "user-rotation lock 0");
    }
}
