//! The words on buttons that close a dialog, English and Chinese, by how little they commit to.

use std::sync::LazyLock;

use regex::Regex;

/// What a button's word says, from the least committing to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closing {
    /// Later, skip, no thanks.
    Later,
    Close,
    Cancel,
    Deny,
    /// Never ask again.
    Never,
    /// Wait for an app that does not answer.
    Wait,
    /// I know, got it.
    Known,
    /// End an app that has crashed.
    CloseApp,
    /// OK: it closes what leaves no choice.
    Consent,
}

/// Longest name of a button, in characters: what is longer is a sentence.
const MAX_LEN: usize = 30;

/// Whole names of buttons, in small letters and with straight apostrophes.
const WORDS: &[(Closing, &str)] = &[
    (
        Closing::Later,
        "not now|(maybe |ask me |remind me )?later|no,? thanks|no thank you|skip( ad| for now)?|dismiss|ignore|not interested",
    ),
    (
        Closing::Later,
        "以后再说|下次再说|下次吧|稍后(再说|提醒|提醒我|更新|处理)?|暂不(更新|升级|开启|使用|需要|考虑|设置|登录|绑定)?|暂时不用|先不了|不用了|不了,?谢谢|不需要|不升级|跳过(广告)?|忽略(此版本|本次更新|更新)?|残忍拒绝|以后",
    ),
    (Closing::Close, "close( ad| dialog| popup)?|[×✕✖╳x]|关闭(广告|弹窗)?|关闭按钮"),
    (Closing::Cancel, "cancel|取消"),
    (Closing::Deny, "deny|don't allow|do not allow|decline|拒绝|不允许|禁止|禁止访问"),
    (
        Closing::Never,
        "don't (ask|show|remind me) again|deny (&|and) don't ask again|never|不再(提醒|提示|询问)|拒绝且不再(询问|提示)|禁止后不再(询问|提示)",
    ),
    (Closing::Wait, "wait|等待|继续等待"),
    (Closing::Known, "i know|i see|got it|i got it|i understand|understood|我?知道了|我已知晓|我已了解|明白了|收到"),
    (Closing::CloseApp, "close app|关闭应用|关闭程序"),
    (Closing::Consent, "ok|okay|确定|确认|好|好的|完成|done"),
];

/// A countdown before or after a word: `Skip 5`, `跳过(3s)`, `3秒 关闭`.
const COUNT: &str = r"[(（\[]?\d{1,2} ?(s|sec|秒)?[)）\]]?";

/// Ids of crosses that have no name.
const CROSS: &str = r"^((iv|img|image|btn|button|ib|icon|dialog|popup|pop|view|ad|tv)_?)*(close|dismiss|cancel|skip)(_?(iv|img|image|btn|button|icon|view|ad|dialog))*$";

static PATTERNS: LazyLock<Vec<(Closing, Regex)>> = LazyLock::new(|| {
    let whole = |words: &str| Regex::new(&format!("^({COUNT})? ?({words}) ?({COUNT})?$")).expect("a pattern of ours");
    WORDS.iter().map(|(closing, words)| (*closing, whole(words))).collect()
});

static CROSSES: LazyLock<Regex> = LazyLock::new(|| Regex::new(CROSS).expect("a pattern of ours"));

/// Tells how a button closes its dialog, by its name or, where it has none, its id; none where it does not.
pub fn closing(name: &str, short_id: &str) -> Option<Closing> {
    let name = name.trim().trim_end_matches(['!', '！', '.', '。', '~']);
    if name.is_empty() {
        return CROSSES.is_match(&short_id.to_lowercase()).then_some(Closing::Close);
    }
    if name.chars().count() > MAX_LEN {
        return None;
    }
    let name = name.to_lowercase().replace(['’', '‘'], "'").replace('，', ",");
    PATTERNS.iter().find(|(_, pattern)| pattern.is_match(&name)).map(|(closing, _)| *closing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_close_and_others_do_not() {
        for (name, wanted) in [
            ("Not now", Some(Closing::Later)),
            ("NO THANKS", Some(Closing::Later)),
            ("以后再说", Some(Closing::Later)),
            ("跳过(3)", Some(Closing::Later)),
            ("5s 跳过", Some(Closing::Later)),
            ("暂不更新", Some(Closing::Later)),
            ("×", Some(Closing::Close)),
            ("取消", Some(Closing::Cancel)),
            ("Don’t allow", Some(Closing::Deny)),
            ("不再提醒", Some(Closing::Never)),
            ("Got it!", Some(Closing::Known)),
            ("知道了", Some(Closing::Known)),
            ("OK", Some(Closing::Consent)),
            ("Allow", None),
            ("立即更新", None),
            ("取消订单", None),
            ("Cancel subscription", None),
            ("Skip to content and go on reading there", None),
            ("3", None),
        ] {
            assert_eq!(closing(name, ""), wanted, "{name}");
        }
        for (id, closes) in [
            ("iv_close", true),
            ("btnClose", true),
            ("close", true),
            ("dialog_cancel_btn", true),
            ("enclose", false),
            ("close_account", false),
        ] {
            assert_eq!(closing("", id).is_some(), closes, "{id}");
        }
    }
}
