//! `tesseract` on the PATH: a picture to its standard input, a table of words from its output.

use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use uixt_locate::Error;
use uixt_pictures::{Line, Picture, Place};

use super::bad;
use crate::TextRecognizer;

const PROGRAM: &str = "tesseract";
/// How long reading a picture may take.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Its columns: level, page, block, paragraph, line, word, left, top, width, height, confidence, text.
const COLUMNS: usize = 12;

pub(super) struct Tesseract;

/// Says why it cannot be used; none where it can.
pub(super) fn unmet() -> Option<String> {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let found = FOUND.get_or_init(|| std::process::Command::new(PROGRAM).arg("--version").output().is_ok());
    let install = "Debian: `apt-get install tesseract-ocr tesseract-ocr-chi-sim`";
    (!found).then(|| format!("requires ocr: `{PROGRAM}` is not on the PATH ({install})"))
}

#[async_trait]
impl TextRecognizer for Tesseract {
    async fn lines(&self, picture: Picture) -> Result<Vec<Line>, Error> {
        let png = picture.encode().map_err(|error| bad(error.to_string()))?;
        let read = tokio::time::timeout(TIMEOUT, read(png));
        read.await.map_err(|_| bad(format!("{PROGRAM} read nothing within {} s", TIMEOUT.as_secs())))?
    }
}

async fn read(png: Vec<u8>) -> Result<Vec<Line>, Error> {
    let missing = |error: std::io::Error| bad(format!("{PROGRAM}: {error}"));
    let mut command = Command::new(PROGRAM);
    // Sparse text, as screens have it.
    command.args(["-", "-", "--psm", "11", "-l", &languages().await?, "tsv"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().map_err(missing)?;
    let mut input = child.stdin.take().ok_or_else(|| bad(format!("{PROGRAM} takes no input")))?;
    let write = async move {
        // It may end before it has read all; what it said then tells why.
        let _ = input.write_all(&png).await;
    };
    let ((), output) = tokio::join!(write, child.wait_with_output());
    let output = output.map_err(missing)?;
    match output.status.success() {
        true => Ok(lines(&String::from_utf8_lossy(&output.stdout))),
        false => Err(bad(format!("{PROGRAM}: {}", String::from_utf8_lossy(&output.stderr).trim()))),
    }
}

/// Returns its languages of those that screens are read in.
async fn languages() -> Result<String, Error> {
    let listed = Command::new(PROGRAM).arg("--list-langs").kill_on_drop(true).output().await;
    let listed = listed.map_err(|error| bad(format!("{PROGRAM}: {error}")))?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let known: Vec<&str> =
        ["chi_sim", "eng"].into_iter().filter(|language| text.lines().any(|line| line.trim() == *language)).collect();
    if known.is_empty() { Err(bad(format!("{PROGRAM} has neither chi_sim nor eng"))) } else { Ok(known.join("+")) }
}

/// Joins the words of its table to lines.
fn lines(table: &str) -> Vec<Line> {
    let mut lines: Vec<([u32; 3], Line, f32)> = Vec::new();
    for row in table.lines() {
        let cells: Vec<&str> = row.splitn(COLUMNS, '\t').collect();
        let number = |at: usize| cells.get(at).and_then(|cell| cell.parse::<u32>().ok());
        let (Some(block), Some(paragraph), Some(line)) = (number(2), number(3), number(4)) else { continue };
        let (Some(left), Some(top), Some(width), Some(height)) = (number(6), number(7), number(8), number(9)) else {
            continue;
        };
        let confidence = cells.get(10).and_then(|cell| cell.parse::<f32>().ok()).unwrap_or(-1.0);
        let Some(text) = cells.get(11).map(|text| text.trim()).filter(|text| !text.is_empty() && confidence >= 0.0)
        else {
            continue;
        };
        let place = Place { left, top, right: left + width, bottom: top + height };
        let key = [block, paragraph, line];
        match lines.last_mut().filter(|(known, ..)| *known == key) {
            Some((_, line, words)) => {
                line.text = joined(&line.text, text);
                line.place = line.place.with(&place);
                line.confidence = (line.confidence * *words + confidence / 100.0) / (*words + 1.0);
                *words += 1.0;
            }
            None => lines.push((key, Line { text: text.to_owned(), place, confidence: confidence / 100.0 }, 1.0)),
        }
    }
    lines.into_iter().map(|(_, line, _)| line).collect()
}

/// Joins two words: between Chinese characters there is no space.
fn joined(one: &str, other: &str) -> String {
    let is_wide = |sign: Option<char>| sign.is_some_and(|sign| sign >= '\u{2e80}');
    let gap = if is_wide(one.chars().last()) && is_wide(other.chars().next()) { "" } else { " " };
    format!("{one}{gap}{other}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_lines() {
        let table = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
            5\t1\t1\t1\t1\t1\t10\t20\t30\t10\t90\tBuy\n5\t1\t1\t1\t1\t2\t50\t18\t30\t14\t80\tnow\n\
            5\t1\t1\t1\t2\t1\t10\t60\t20\t10\t96.5\t立即\n5\t1\t1\t1\t2\t2\t30\t60\t20\t10\t93.5\t购买\n\
            4\t1\t2\t1\t1\t0\t0\t0\t9\t9\t-1\t\n";
        let read = lines(table);
        let told: Vec<_> = read.iter().map(|line| (line.text.as_str(), line.place.left, line.place.right)).collect();
        assert_eq!(told, [("Buy now", 10, 80), ("立即购买", 10, 50)]);
        assert!((read[0].confidence - 0.85).abs() < 0.001 && (read[1].confidence - 0.95).abs() < 0.001);
    }
}
