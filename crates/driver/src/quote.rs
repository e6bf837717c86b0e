//! A word of any text as a device's shell takes it back unchanged.

/// Quotes a word for a POSIX shell: what the shell reads is `word`, whatever is in it.
///
/// Words of letters, digits and `_-./:=,@+` stand as they are. A NUL cannot stand in a shell's word and is left out.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,@+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\0', "").replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_hold_nothing_that_a_shell_reads() {
        for (word, quoted) in [
            ("com.uixt.shop/.MainActivity", "com.uixt.shop/.MainActivity"),
            ("", "''"),
            ("~", "'~'"),
            ("a; reboot", "'a; reboot'"),
            ("$(id) `id` \"x\" \\ \n*", "'$(id) `id` \"x\" \\ \n*'"),
            ("it's", r"'it'\''s'"),
            ("登录", "'登录'"),
            ("a\0b", "'ab'"),
        ] {
            assert_eq!(quote(word), quoted);
        }
    }

    #[test]
    fn a_real_shell_reads_the_word_back() {
        let word = "it's $HOME `id` $(id) \"q\" \\n %s * ~ & | > 登录 \n end'";
        let script = format!("printf %s {}", quote(word));
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
    }
}
