//! Texts as they happened → texts as a testcase writes them: secrets and saved values as variables, other dollar signs doubled.

use serde_json::Value;

use crate::secrets::Secrets;

/// Variables that every environment has, and that hold no secret of a test.
const TAKEN: [&str; 14] = [
    "USER", "USERNAME", "LOGNAME", "NAME", "HOME", "PATH", "PWD", "LANG", "SHELL", "HOST", "HOSTNAME", "TERM",
    "EDITOR", "MAIL",
];

/// What must not be written, and what is known by another name.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    /// Values and the variables that stand for them.
    names_of: Vec<(String, String)>,
    secrets: Secrets,
    /// What only calls that failed were given: no step needs it.
    unused: Secrets,
    /// What steps saved: values and variables.
    saved: Vec<(String, String)>,
    names: Vec<String>,
    /// Secrets of other recordings that are read from the same environment.
    elsewhere: Vec<super::Secret>,
}

impl Variables {
    /// Begins beside other recordings, from whose environment the secrets of this one are read, too.
    pub(super) fn beside(elsewhere: Vec<super::Secret>) -> Self {
        Self { elsewhere, ..Self::default() }
    }

    /// Begins anew, beside the same.
    pub(super) fn anew(&self) -> Self {
        Self::beside(self.elsewhere.clone())
    }

    /// Keeps a secret under a name that is made of the words of its field.
    pub(super) fn keep(&mut self, secret: &str, words: &str) {
        if self.secrets.add_marked(secret) {
            let known = self.elsewhere.iter().find(|other| other.value == secret).map(|other| other.variable.clone());
            let known = known.filter(|name| !self.names.contains(name)).inspect(|name| self.names.push(name.clone()));
            let name = known.unwrap_or_else(|| self.free_name(words));
            self.names_of.push((secret.to_owned(), name));
        }
    }

    /// Keeps a secret of a call that is no step.
    pub(super) fn hide(&mut self, secret: &str) {
        self.unused.add_marked(secret);
    }

    /// Lets a variable stand for a value wherever that is typed.
    pub(super) fn share(&mut self, value: &str, name: &str) {
        self.saved.push((value.to_owned(), name.to_owned()));
    }

    /// Returns a name that no other variable has.
    pub(super) fn free_name(&mut self, words: &str) -> String {
        let name = identifier(words);
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let is_elsewhere = |name: &String| self.elsewhere.iter().any(|other| other.variable == *name);
        let free = names.find(|name| !self.names.contains(name) && !is_elsewhere(name)).unwrap_or_default();
        self.names.push(free.clone());
        free
    }

    /// Returns the secrets' variables, and those of the environment that hold them.
    pub(super) fn secrets(&self) -> Vec<(String, String)> {
        self.names_of.iter().map(|(_, name)| (name.clone(), environment(name))).collect()
    }

    /// Returns the secrets with the variables that stand for them.
    pub(super) fn kept(&self) -> Vec<super::Secret> {
        let secret = |(value, name): &(String, String)| super::Secret {
            variable: name.clone(),
            environment: environment(name),
            value: value.clone(),
        };
        self.names_of.iter().map(secret).collect()
    }

    /// Returns how many variables there are; more may change how a text is written.
    pub(super) fn size(&self) -> usize {
        self.names_of.len() + self.saved.len()
    }

    /// Writes every text in a value; `typed` tells whether what was read before may be typed in it.
    pub(super) fn write(&self, value: &Value, typed: bool) -> Value {
        match value {
            Value::String(text) => match self.saved.iter().find(|(known, _)| typed && known == text) {
                Some((_, name)) => format!("${name}").into(),
                None => self.written(text).into(),
            },
            Value::Number(number) if typed => match self.name_of(&number.to_string()) {
                Some(name) => format!("${name}").into(),
                None => value.clone(),
            },
            Value::Array(items) => items.iter().map(|item| self.write(item, typed)).collect(),
            Value::Object(map) => {
                map.iter().map(|(key, value)| (key.clone(), self.write(value, typed && key == "text"))).collect()
            }
            other => other.clone(),
        }
    }

    /// Writes a text: a variable wherever a secret stands in it as it is, since a testcase may compare all the rest.
    pub(super) fn written(&self, text: &str) -> String {
        if let Some(name) = self.name_of(text) {
            return format!("${name}");
        }
        match self.secrets.split(text).and_then(|(before, secret, after)| Some((before, self.name_of(secret)?, after)))
        {
            Some((before, name, after)) => format!("{}${{{name}}}{}", self.written(before), self.written(after)),
            None => escaped(text),
        }
    }

    /// Puts variables in place of secrets in what a person wrote for a testcase, where dollar signs mean what they mean there.
    pub(super) fn replace(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.replaced(text).into(),
            Value::Number(number) => {
                self.name_of(&number.to_string()).map_or_else(|| value.clone(), |name| format!("${name}").into())
            }
            Value::Array(items) => items.iter().map(|item| self.replace(item)).collect(),
            Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), self.replace(value))).collect(),
            other => other.clone(),
        }
    }

    fn replaced(&self, text: &str) -> String {
        let mut replaced = text.to_owned();
        for (secret, name) in &self.names_of {
            for written in [secret.clone(), escaped(secret)] {
                replaced = match replaced == written {
                    true => format!("${name}"),
                    false => replaced.replace(&written, &format!("${{{name}}}")),
                };
            }
        }
        replaced
    }

    /// Tells whether a secret stands in a text, however it is written.
    pub(super) fn holds(&self, text: &str) -> bool {
        self.secrets.stand_in(text) || self.unused.stand_in(text)
    }

    /// Hides secrets in a text that nobody evaluates.
    pub(super) fn masked(&self, text: &str) -> String {
        self.unused.text(self.secrets.masked(text).into_owned())
    }

    fn name_of(&self, secret: &str) -> Option<&str> {
        self.names_of.iter().find_map(|(known, name)| (known == secret).then_some(name.as_str()))
    }
}

/// Doubles the dollar signs that would begin a variable or stand for one dollar sign.
fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        written.push(character);
        let begins = |next: &char| next.is_ascii_alphabetic() || matches!(next, '_' | '{' | '$');
        if character == '$' && characters.peek().is_some_and(begins) {
            written.push('$');
        }
    }
    written
}

/// Returns the environment's variable for one of ours.
fn environment(name: &str) -> String {
    let name = name.to_uppercase();
    if TAKEN.contains(&name.as_str()) { format!("{name}_SECRET") } else { name }
}

/// Makes a name of words: letters, digits and `_`.
fn identifier(words: &str) -> String {
    let parts = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let name = parts.collect::<Vec<_>>().join("_").to_ascii_lowercase();
    let name: String = name.chars().take(40).collect();
    match name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        true => name,
        false => "secret".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::{MASK, SAMPLES};
    use serde_json::json;

    #[test]
    fn another_secret_of_the_same_words_is_read_from_another_name_of_the_environment() {
        let mut first = Variables::default();
        first.keep("secret123", "password");
        let mut second = Variables::beside(first.kept());
        second.keep("pw", "password");
        second.keep("secret123", "again");
        let names = |variables: &Variables| variables.secrets().into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(
            (names(&first), names(&second)),
            (vec!["PASSWORD".to_owned()], vec!["PASSWORD_2".to_owned(), "PASSWORD".to_owned()])
        );
        assert_eq!(
            names(&{
                let mut again = second.anew();
                again.keep("pw", "password");
                again
            }),
            ["PASSWORD_2"]
        );
    }

    #[test]
    fn secrets_are_nowhere_and_dollar_signs_stay_what_they_were() {
        let mut variables = Variables::default();
        variables.keep("hunter2", "com.app:id/Pass-Word");
        variables.keep("hunter2", "again");
        variables.keep("12", "密码");
        assert_eq!(variables.secrets()[0], ("com_app_id_pass_word".to_owned(), "COM_APP_ID_PASS_WORD".to_owned()));
        assert_eq!(variables.secrets()[1].0, "secret");
        let written = |text: &str| variables.write(&json!(text), false);
        assert_eq!(written("hunter2"), "$com_app_id_pass_word");
        assert_eq!(written("is hunter2?"), "is ${com_app_id_pass_word}?");
        assert_eq!(written("12"), "$secret");
        assert_eq!(written("12 items"), "12 items");
        for (text, expected) in
            [("$5", "$5"), ("$user", "$$user"), ("${a}", "$${a}"), ("$$", "$$$"), ("a$", "a$"), ("$$x", "$$$$x")]
        {
            assert_eq!(written(text), expected);
        }
        assert_eq!(variables.masked("it said hunter2"), format!("it said {MASK}"));
    }

    #[test]
    fn a_secret_is_masked_however_it_is_written_but_a_testcase_keeps_its_data() {
        for (secret, text, shown) in SAMPLES {
            let mut variables = Variables::default();
            variables.keep(secret, "pin");
            assert_eq!(variables.masked(text), *shown);
            assert!(variables.holds(text) && !variables.written(text).contains(secret), "{text}");
        }
        let mut variables = Variables::default();
        variables.keep("hunter2", "pin");
        variables.keep("hunter2-long", "pin");
        variables.keep("1234", "code");
        assert_eq!(variables.written("hunter2-long, hunter2"), "${pin_2}, ${pin}");
        assert_eq!(
            variables.write(&json!({"text": 1234, "timeout": 1234}), true),
            json!({"text": "$code", "timeout": 1234})
        );
        variables.keep("pa\"ss", "quoted");
        assert_eq!(variables.written(r#"{"a": "pa\"ss"}"#), r#"{"a": "pa\"ss"}"#);
    }

    #[test]
    fn a_secret_is_not_read_from_what_every_environment_has() {
        assert_eq!((environment("user"), environment("pin")), ("USER_SECRET".to_owned(), "PIN".to_owned()));
    }

    #[test]
    fn names_are_given_once() {
        let mut variables = Variables::default();
        assert_eq!(
            [variables.free_name("Code"), variables.free_name("code"), variables.free_name("1")],
            ["code", "code_2", "secret"]
        );
    }
}
