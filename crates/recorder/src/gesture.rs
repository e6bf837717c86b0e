//! Where a finger went, in fractions of the screen → a direction where it is one, else the fractions.

/// How much of its length a swipe may stray to the side and still be one in a direction.
const STRAY: f64 = 0.25;
/// Where on the screen a swipe lies that means all of it: as far from its edges.
const MIDDLE: std::ops::RangeInclusive<f64> = 0.2..=0.8;
/// Swipes that are shorter move no page.
const SHORT: f64 = 0.12;
/// What begins so near to an edge is for the system: back, the notifications.
const EDGE: f64 = 0.04;

/// Returns where the finger of a swipe over the middle of the screen goes.
pub(super) fn direction(points: &[[f64; 2]]) -> Option<&'static str> {
    let &[from, to] = points else { return None };
    let (across, down) = (to[0] - from[0], to[1] - from[1]);
    let is_inside = |at: f64| (EDGE..=1.0 - EDGE).contains(&at);
    if !from.iter().all(|at| is_inside(*at)) {
        return None;
    }
    let is_straight = |along: f64, aside: f64| along.abs() >= SHORT && aside.abs() <= along.abs() * STRAY;
    match () {
        () if is_straight(down, across) && MIDDLE.contains(&from[0]) => Some(if down < 0.0 { "up" } else { "down" }),
        () if is_straight(across, down) && MIDDLE.contains(&from[1]) => {
            Some(if across < 0.0 { "left" } else { "right" })
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swipe_over_the_middle_has_a_direction() {
        for (points, expected) in [
            ([[0.5, 0.8], [0.5, 0.2]], Some("up")),
            ([[0.4, 0.3], [0.45, 0.9]], Some("down")),
            ([[0.9, 0.5], [0.1, 0.52]], Some("left")),
            ([[0.1, 0.1], [0.9, 0.1]], None),
            ([[0.5, 0.5], [0.5, 0.45]], None),
            ([[0.5, 0.0], [0.5, 0.7]], None),
            ([[0.0, 0.5], [0.6, 0.5]], None),
            ([[0.3, 0.3], [0.7, 0.7]], None),
        ] {
            assert_eq!(direction(&points), expected, "{points:?}");
        }
    }
}
