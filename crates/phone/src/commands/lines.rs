//! Commands that work on lines: `head`, `tail`, `wc`, `sort`, `cut`.

use std::io;

use super::call::{Call, LARGEST_INPUT};
use super::files::unknown_option;

/// Reads all files of the arguments, or standard input; tells about those that cannot be read.
async fn inputs(call: &Call<'_>, name: &str) -> io::Result<(Vec<(String, Vec<u8>)>, u8)> {
    let (mut found, mut status) = (Vec::new(), 0);
    if call.arguments.is_empty() {
        found.push((String::new(), call.io.input.all(LARGEST_INPUT).await?));
    }
    for argument in &call.arguments {
        match call.content(argument).await {
            Ok(content) => found.push((argument.clone(), content)),
            Err(error) => status = call.fail(1, &format!("{name}: {argument}: {error}")).await?,
        }
    }
    Ok((found, status))
}

/// How much `head` and `tail` show.
struct Amount {
    count: usize,
    bytes: bool,
    /// `tail -n +N`: from line N on.
    from_start: bool,
}

/// Takes `-n N`, `-nN`, `-N`, `-c N` and `-n +N` off the arguments.
fn amount(arguments: &mut Vec<String>) -> Result<Amount, String> {
    let mut amount = Amount { count: 10, bytes: false, from_start: false };
    while let Some(first) = arguments.first().filter(|first| first.len() > 1 && first.starts_with('-')).cloned() {
        arguments.remove(0);
        let rest = first.trim_start_matches('-');
        let value = match rest.chars().next() {
            Some(kind @ ('n' | 'c')) => {
                amount.bytes = kind == 'c';
                if rest.len() > 1 {
                    rest[1..].to_owned()
                } else if arguments.is_empty() {
                    return Err(format!("Missing argument to {first}"));
                } else {
                    arguments.remove(0)
                }
            }
            Some('0'..='9') => rest.to_owned(),
            _ => return Err(format!("Unknown option '{rest}'")),
        };
        amount.from_start = value.starts_with('+');
        amount.count = value.trim_start_matches('+').parse().map_err(|_| format!("not integer: {value}"))?;
    }
    Ok(amount)
}

pub(super) async fn head(call: &mut Call<'_>) -> io::Result<u8> {
    ends(call, "head", |bytes, amount| {
        let end = if amount.bytes {
            amount.count.min(bytes.len())
        } else {
            match amount.count.checked_sub(1) {
                None => 0,
                Some(nth) => line_ends(bytes).nth(nth).unwrap_or(bytes.len()),
            }
        };
        &bytes[..end]
    })
    .await
}

pub(super) async fn tail(call: &mut Call<'_>) -> io::Result<u8> {
    ends(call, "tail", |bytes, amount| {
        if amount.bytes {
            let start = if amount.from_start {
                amount.count.saturating_sub(1)
            } else {
                bytes.len().saturating_sub(amount.count)
            };
            return &bytes[start.min(bytes.len())..];
        }
        let whole = line_ends(bytes).count() + usize::from(bytes.last().is_some_and(|byte| *byte != b'\n'));
        let skipped =
            if amount.from_start { amount.count.saturating_sub(1) } else { whole.saturating_sub(amount.count) };
        let start = skipped.checked_sub(1).map_or(0, |nth| line_ends(bytes).nth(nth).unwrap_or(bytes.len()));
        &bytes[start..]
    })
    .await
}

/// Where each line ends, behind its line feed.
fn line_ends(bytes: &[u8]) -> impl Iterator<Item = usize> {
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1)
}

async fn ends(call: &mut Call<'_>, name: &str, part: for<'a> fn(&'a [u8], &Amount) -> &'a [u8]) -> io::Result<u8> {
    let amount = match amount(&mut call.arguments) {
        Ok(amount) => amount,
        Err(message) => return call.fail(1, &format!("{name}: {message}")).await,
    };
    let (inputs, status) = inputs(call, name).await?;
    let titled = inputs.len() > 1;
    for (index, (name, bytes)) in inputs.iter().enumerate() {
        if titled {
            call.out(format!("{}==> {name} <==\n", if index > 0 { "\n" } else { "" })).await?;
        }
        call.out(part(bytes, &amount)).await?;
    }
    Ok(status)
}

pub(super) async fn wc(call: &mut Call<'_>) -> io::Result<u8> {
    let mut switches = match call.switches("lwcm") {
        Ok(switches) => switches,
        Err(unknown) => return unknown_option(call, "wc", unknown).await,
    };
    if switches.is_empty() {
        switches.push_str("lwc");
    }
    let (inputs, status) = inputs(call, "wc").await?;
    let mut total = [0; 4];
    let mut text = String::new();
    for (name, bytes) in &inputs {
        let lines = line_ends(bytes).count();
        let content = String::from_utf8_lossy(bytes);
        let counts = [lines, content.split_whitespace().count(), bytes.len(), content.chars().count()];
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        text.push_str(&counted(counts, &switches, name));
    }
    if inputs.len() > 1 {
        text.push_str(&counted(total, &switches, "total"));
    }
    call.out(text).await?;
    Ok(status)
}

fn counted(counts: [usize; 4], switches: &str, name: &str) -> String {
    let wanted: Vec<usize> = counts
        .into_iter()
        .zip("lwcm".chars())
        .filter(|(_, letter)| switches.contains(*letter))
        .map(|(count, _)| count)
        .collect();
    let shown: Vec<String> = match wanted.as_slice() {
        [single] => vec![single.to_string()],
        many => many.iter().map(|count| format!("{count:>7}")).collect(),
    };
    let gap = if name.is_empty() { "" } else { " " };
    format!("{}{gap}{name}\n", shown.join(" "))
}

pub(super) async fn sort(call: &mut Call<'_>) -> io::Result<u8> {
    let switches = match call.switches("rnuf") {
        Ok(switches) => switches,
        Err(unknown) => return unknown_option(call, "sort", unknown).await,
    };
    let (inputs, status) = inputs(call, "sort").await?;
    let texts: Vec<String> = inputs.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect();
    let mut lines: Vec<&str> = texts.iter().flat_map(|text| text.lines()).collect();
    if switches.contains('n') {
        lines.sort_by(|a, b| leading_number(a).total_cmp(&leading_number(b)).then(a.cmp(b)));
    } else if switches.contains('f') {
        lines.sort_by_cached_key(|line| line.to_lowercase());
    } else {
        lines.sort_unstable();
    }
    if switches.contains('r') {
        lines.reverse();
    }
    if switches.contains('u') {
        lines.dedup();
    }
    let text: String = lines.into_iter().flat_map(|line| [line, "\n"]).collect();
    call.out(text).await?;
    Ok(status)
}

fn leading_number(line: &str) -> f64 {
    let line = line.trim_start();
    let end = line.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-'))).unwrap_or(line.len());
    line[..end].parse().unwrap_or(0.0)
}

/// `cut -d X -f LIST` and `cut -c LIST`.
pub(super) async fn cut(call: &mut Call<'_>) -> io::Result<u8> {
    let (mut delimiter, mut list, mut characters) = ('\t', None, false);
    while let Some(first) = call.arguments.first().filter(|first| first.len() > 1 && first.starts_with('-')).cloned() {
        call.arguments.remove(0);
        let value = if first.len() > 2 {
            first.get(2..).unwrap_or_default().to_owned()
        } else if call.arguments.is_empty() {
            return call.fail(1, &format!("cut: Missing argument to {first}")).await;
        } else {
            call.arguments.remove(0)
        };
        match first.get(..2) {
            Some("-d") => delimiter = value.chars().next().unwrap_or('\t'),
            Some("-f") => list = Some(value),
            Some("-c" | "-b") => (list, characters) = (Some(value), true),
            _ => return call.fail(1, &format!("cut: Unknown option '{first}'")).await,
        }
    }
    let Some(ranges) = list.as_deref().and_then(ranges) else {
        return call.fail(1, "cut: Needs -fc").await;
    };
    let (inputs, status) = inputs(call, "cut").await?;
    let mut text = String::new();
    for (_, bytes) in &inputs {
        for line in String::from_utf8_lossy(bytes).lines() {
            text.push_str(&cut_line(line, delimiter, &ranges, characters));
            text.push('\n');
        }
    }
    call.out(text).await?;
    Ok(status)
}

fn cut_line(line: &str, delimiter: char, ranges: &[(usize, usize)], characters: bool) -> String {
    let chosen = |index: &usize| ranges.iter().any(|(from, to)| (*from..=*to).contains(&(index + 1)));
    if characters {
        return line.chars().enumerate().filter(|(index, _)| chosen(index)).map(|(_, c)| c).collect();
    }
    if !line.contains(delimiter) {
        return line.to_owned();
    }
    let fields = line.split(delimiter).enumerate().filter(|(index, _)| chosen(index)).map(|(_, field)| field);
    fields.collect::<Vec<_>>().join(&delimiter.to_string())
}

/// Reads `1,3-5,7-`.
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    let number = |text: &str, default: usize| if text.is_empty() { Some(default) } else { text.parse().ok() };
    list.split(',')
        .map(|part| match part.split_once('-') {
            Some((from, to)) => Some((number(from, 1)?, number(to, usize::MAX)?)),
            None => part.parse().ok().map(|single| (single, single)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_cut() {
        let cut = |list, line| cut_line(line, ':', &ranges(list).unwrap(), false);
        assert_eq!(cut("2", "a:b:c"), "b");
        assert_eq!(cut("1,3-", "a:b:c:d"), "a:c:d");
        assert_eq!(cut("2", "abc"), "abc");
        assert!(ranges("x").is_none());
    }
}
