//! Places on a picture, as models write them: `(100,200)`, `[1,2,3,4]`, `<point>1 2</point>`, `<bbox>1 2 3 4</bbox>`, lists.

use serde_json::Value;

/// What a model's coordinates mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Thousandths of the picture's width and height.
    Thousand,
    /// Fractions of them.
    Ratio,
    /// Pixels of the picture that it was shown: its width and height.
    Pixels(f64, f64),
}

impl Scale {
    fn fraction(self, (x, y): (f64, f64)) -> (f64, f64) {
        match self {
            Self::Thousand => (x / 1000.0, y / 1000.0),
            Self::Ratio => (x, y),
            Self::Pixels(width, height) => (x / width, y / height),
        }
    }
}

/// Reads a place as fractions of the picture: a point, or the middle of a box. None where it is no place on it.
pub(super) fn read(value: &Value, scale: Scale) -> Option<(f64, f64)> {
    let numbers = match value {
        Value::Array(list) => list.iter().map(number).collect::<Option<Vec<_>>>()?,
        Value::String(text) => numbers(text)?,
        Value::Object(map) => vec![number(map.get("x")?)?, number(map.get("y")?)?],
        _ => return None,
    };
    let (x, y) = match numbers[..] {
        [x, y] => (x, y),
        [left, top, right, bottom] if left <= right && top <= bottom => {
            (f64::midpoint(left, right), f64::midpoint(top, bottom))
        }
        _ => return None,
    };
    let (x, y) = scale.fraction((x, y));
    let is_there = (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y);
    // The last pixel of a side is on the screen, its end is not.
    is_there.then(|| (x.min(0.9999), y.min(0.9999)))
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|number| number.is_finite())
}

/// Returns the numbers of a text that holds nothing else but marks and brackets.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let mut rest = String::with_capacity(text.len());
    let (mut in_tag, mut signs) = (false, text.chars());
    // Marks such as `<point>` and `<|box_start|>`.
    for sign in signs.by_ref() {
        match sign {
            '<' => in_tag = true,
            '>' if in_tag => {
                in_tag = false;
                rest.push(' ');
            }
            _ if in_tag => {}
            '(' | ')' | '[' | ']' | ',' | '（' | '）' | '，' | '【' | '】' => rest.push(' '),
            sign => rest.push(sign),
        }
    }
    if in_tag {
        return None;
    }
    rest.split_whitespace().map(|word| word.parse().ok().filter(|number: &f64| number.is_finite())).collect()
}
