//! The words behind `am start` and `am broadcast` → an intent, and an intent as Android prints it. Source: AOSP
//! `Intent.parseCommandArgs` and `Intent.toShortString`.

use std::collections::BTreeMap;

/// What an app is asked to do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Intent {
    pub(super) action: Option<String>,
    pub(super) categories: Vec<String>,
    pub(super) data: Option<String>,
    pub(super) package: Option<String>,
    /// Package and class, as they were written.
    pub(super) component: Option<(String, String)>,
    /// Extras of every type, as text.
    pub(super) extras: BTreeMap<String, String>,
    /// `-W`.
    pub(super) waits: bool,
    /// `-S`: end the app first.
    pub(super) stops: bool,
}

impl Intent {
    /// Reads the arguments; the error is what `am` prints.
    pub(super) fn read(arguments: &[String]) -> Result<Self, String> {
        let mut intent = Self::default();
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            let mut value = || rest.next().cloned().ok_or_else(|| format!("Argument expected after \"{option}\""));
            match option.as_str() {
                "-a" => intent.action = Some(value()?),
                "-d" => intent.data = Some(value()?),
                "-c" => intent.categories.push(value()?),
                "-p" => intent.package = Some(value()?),
                "-n" => intent.component = Some(component(&value()?)?),
                "-W" => intent.waits = true,
                "-S" => intent.stops = true,
                "-t" | "-f" | "--user" | "--display" | "--windowingMode" | "--receiver-permission" | "-i" | "-R" => {
                    value()?;
                }
                "--esn" => {
                    let name = value()?;
                    intent.extras.insert(name, String::new());
                }
                "--ei" | "--el" | "--ef" | "--ed" | "--es" | "-e" | "--ez" | "--eu" | "--ecn" | "--eia" | "--ela"
                | "--esa" => {
                    let name = value()?;
                    let value = value()?;
                    intent.extras.insert(name, value);
                }
                flag if flag.starts_with("--activity-") || flag.starts_with("--receiver-") || flag == "-D" => {}
                "--include-stopped-packages" | "--exclude-stopped-packages" | "--debug-log-resolution" => {}
                unknown if unknown.starts_with('-') => return Err(format!("Unknown option: {unknown}")),
                bare => intent.take_bare(bare),
            }
        }
        Ok(intent)
    }

    /// A word without an option: a URI, a component or a package.
    fn take_bare(&mut self, word: &str) {
        if word.contains(':') {
            self.data = Some(word.to_owned());
        } else if let Ok(component) = component(word) {
            self.component = Some(component);
        } else {
            self.package = Some(word.to_owned());
        }
    }

    /// `Intent { act=… cmp=… }`.
    pub(super) fn shown(&self, flags: &str) -> String {
        let mut parts = Vec::new();
        if let Some(action) = &self.action {
            parts.push(format!("act={action}"));
        }
        if !self.categories.is_empty() {
            parts.push(format!("cat=[{}]", self.categories.join(",")));
        }
        if let Some(data) = &self.data {
            // Android hides what lies behind the host.
            let end = data.match_indices('/').nth(2).map_or(data.len(), |(at, _)| at + 1);
            parts.push(format!("dat={}{}", &data[..end], if end < data.len() { "..." } else { "" }));
        }
        if !flags.is_empty() {
            parts.push(format!("flg={flags}"));
        }
        if let Some(package) = &self.package {
            parts.push(format!("pkg={package}"));
        }
        if let Some((package, class)) = &self.component {
            parts.push(format!("cmp={package}/{}", super::packages::short_class(package, class)));
        }
        if !self.extras.is_empty() {
            parts.push("(has extras)".to_owned());
        }
        format!("Intent {{ {} }}", parts.join(" "))
    }
}

fn component(text: &str) -> Result<(String, String), String> {
    match text.split_once('/') {
        Some((package, class)) if !package.is_empty() && !class.is_empty() => {
            Ok((package.to_owned(), class.to_owned()))
        }
        _ => Err(format!("Bad component name: {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intents_are_read_and_shown() {
        let arguments = ["-W", "-a", "x.VIEW", "-d", "https://a.b/c?d", "-n", "com.x/com.x.Main", "--es", "k", "v"];
        let intent = Intent::read(&arguments.map(str::to_owned)).unwrap();
        assert!(intent.waits);
        assert_eq!(intent.shown(""), "Intent { act=x.VIEW dat=https://a.b/... cmp=com.x/.Main (has extras) }");
        assert!(Intent::read(&["-a".to_owned()]).is_err());
        assert!(Intent::read(&["-n".to_owned(), "nocomponent".to_owned()]).is_err());
    }
}
