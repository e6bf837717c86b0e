//! `sleep`, as toybox has it: seconds with a fraction, or with `s`, `m`, `h`.

use std::io;
use std::time::Duration;

use super::call::Call;

/// Nothing sleeps longer.
const MAX_SECONDS: f64 = 3600.0;

pub(super) async fn sleep(call: &mut Call<'_>) -> io::Result<u8> {
    let [time] = call.arguments.as_slice() else {
        return call.fail(1, "sleep: Needs 1 argument (see \"sleep --help\")").await;
    };
    match seconds(time) {
        Some(seconds) => {
            let time = Duration::from_secs_f64(seconds);
            tokio::time::sleep(time).await;
            call.shell.sleep_on(time);
            Ok(0)
        }
        None => call.fail(1, &format!("sleep: not float: {time}")).await,
    }
}

fn seconds(text: &str) -> Option<f64> {
    let (number, unit) = match text.chars().last()? {
        's' => (&text[..text.len() - 1], 1.0),
        'm' => (&text[..text.len() - 1], 60.0),
        'h' => (&text[..text.len() - 1], 3600.0),
        _ => (text, 1.0),
    };
    let seconds = number.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)? * unit;
    Some(seconds.min(MAX_SECONDS))
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_are_bounded() {
        assert_eq!(super::seconds("0.25"), Some(0.25));
        assert_eq!(super::seconds("2m"), Some(120.0));
        assert_eq!(super::seconds("1e300"), Some(super::MAX_SECONDS));
        assert_eq!([super::seconds("-1"), super::seconds("NaN"), super::seconds("é")], [None; 3]);
    }
}
