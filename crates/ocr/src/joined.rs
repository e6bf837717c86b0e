//! Regions of which several are one line → one region for each line: what stands beside each other closely belongs together. The first model
//! tears words apart where a font sets them wide.

use super::detection::Region;

/// The most that lies between two parts of a line, and the least that they share from top to bottom, in heights of the higher one.
const GAP: f32 = 0.6;
const SHARED: f32 = 0.6;

/// Joins the regions that are parts of one line.
pub(crate) fn joined(mut regions: Vec<Region>) -> Vec<Region> {
    regions.sort_by(|one, other| one.left.total_cmp(&other.left));
    let mut lines: Vec<Region> = Vec::with_capacity(regions.len());
    for region in regions {
        match lines.iter_mut().find(|line| continues(line, &region)) {
            Some(line) => {
                line.top = line.top.min(region.top);
                line.right = line.right.max(region.right);
                line.bottom = line.bottom.max(region.bottom);
            }
            None => lines.push(region),
        }
    }
    lines
}

/// Tells whether a region that begins no further left goes on with a line.
fn continues(line: &Region, region: &Region) -> bool {
    let high = line.height().max(region.height());
    let shared = line.bottom.min(region.bottom) - line.top.max(region.top);
    let is_upright = |region: &Region| region.height() > region.width() * 2.0;
    let both_stand = is_upright(line) && is_upright(region);
    region.left - line.right <= GAP * high && shared >= SHARED * high && !both_stand
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(left: f32, right: f32, top: f32, bottom: f32) -> Region {
        Region { left, top, right, bottom }
    }

    #[test]
    fn words_that_are_set_wide_are_one_line() {
        let words = vec![region(40.0, 60.0, 11.0, 20.0), region(0.0, 35.0, 10.0, 20.0), region(66.0, 90.0, 10.0, 21.0)];
        assert_eq!(joined(words), [region(0.0, 90.0, 10.0, 21.0)]);
    }

    #[test]
    fn what_stands_apart_above_or_on_its_side_is_another_line() {
        let apart = [region(0.0, 30.0, 10.0, 20.0), region(37.0, 60.0, 10.0, 20.0)];
        let above = [region(0.0, 30.0, 10.0, 20.0), region(5.0, 60.0, 16.0, 26.0)];
        let larger = [region(0.0, 30.0, 10.0, 20.0), region(32.0, 60.0, 0.0, 40.0)];
        let sides = [region(0.0, 10.0, 0.0, 90.0), region(14.0, 24.0, 0.0, 90.0)];
        for lines in [apart, above, larger, sides] {
            assert_eq!(joined(lines.to_vec()), lines);
        }
    }
}
