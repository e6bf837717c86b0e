//! Matrices of points: fingers moved as `injectMultiPointerAction` has them.

use serde_json::{Value, json};

use super::super::acts::{Act, Point, SPEED, SPEEDS};
use super::calls::{Outcome, Session, index, point, wrong};

/// What the x of a point holds of its time.
const TIME: f64 = 65_536.0;
/// Points that a matrix may have.
const LARGEST: usize = 10_000;

impl Session {
    pub(super) fn create_matrix(&mut self, arguments: &Value) -> Outcome {
        let size = |at: usize| arguments[at].as_u64().and_then(|size| usize::try_from(size).ok());
        let (fingers, steps) = (size(0).unwrap_or(0), size(1).unwrap_or(0));
        if !(1..=10).contains(&fingers) || !(1..=LARGEST).contains(&steps) {
            return Err(wrong("PointerMatrix.create: number of fingers or steps out of range"));
        }
        self.matrices.push(vec![vec![None; steps]; fingers]);
        Ok(json!(format!("PointerMatrix#{}", self.matrices.len() - 1)))
    }

    pub(super) fn set_point(&mut self, this: &Value, arguments: &Value) -> Outcome {
        let place = |at: usize| arguments[at].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX);
        let (x, y) = point(&arguments[2])?;
        let time = (x / TIME).floor();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time in milliseconds")]
        let set = ((x - time * TIME, y), time.clamp(0.0, 60_000.0) as u64);
        let matrix = index(this, "PointerMatrix#").and_then(|at| self.matrices.get_mut(at));
        let slot = matrix.and_then(|matrix| matrix.get_mut(place(0))?.get_mut(place(1)));
        *slot.ok_or_else(|| wrong("PointerMatrix.setPoint: no such matrix, finger or step"))? = Some(set);
        Ok(Value::Null)
    }

    /// Moves fingers along the points of a matrix: one as it is told, two at the same time.
    pub(super) async fn inject(&mut self, arguments: &Value) -> Outcome {
        let matrix = index(&arguments[0], "PointerMatrix#").and_then(|at| self.matrices.get(at));
        let matrix = matrix.ok_or_else(|| wrong("Driver.injectMultiPointerAction: no such matrix"))?;
        let speed = arguments[1]
            .as_f64()
            .unwrap_or(f64::from(SPEED))
            .clamp(f64::from(*SPEEDS.start()), f64::from(*SPEEDS.end()));
        let mut ways = Vec::new();
        for finger in matrix {
            let points: Option<Vec<(Point, u64)>> = finger.iter().copied().collect();
            ways.push(timed(&points.ok_or_else(|| wrong("a point of the matrix is not set"))?, speed));
        }
        let act = if let [one, other, ..] = ways.as_slice() {
            let ends = |way: &[(Point, u64)]| (way[0].0, way[way.len() - 1].0);
            Act::Pair([ends(one), ends(other)], one[one.len() - 1].1)
        } else {
            Act::Path(ways.swap_remove(0))
        };
        self.perform(act).await?;
        Ok(json!(true))
    }
}

/// Returns when a finger is at each of its points, in milliseconds: what each says of itself, else what its speed says.
fn timed(points: &[(Point, u64)], speed: f64) -> Vec<(Point, u64)> {
    let mut at = 0;
    let mut timed: Vec<(Point, u64)> = Vec::new();
    for (place, wait) in points {
        if let Some((before, _)) = timed.last() {
            let way = (place.0 - before.0).hypot(place.1 - before.1);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a short time")]
            let needed = if *wait > 0 { 0 } else { (way / speed * 1000.0) as u64 };
            at += needed;
        }
        timed.push((*place, at));
        at += wait;
    }
    timed
}
