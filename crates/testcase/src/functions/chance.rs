//! Functions of chance: numbers, identifiers, and made-up people in English and Chinese.

use serde_json::Value;

use super::{Function, Surroundings, first_text, function, number};

pub(super) const FUNCTIONS: &[Function] = &[
    function("uuid", 0, 0, uuid),
    function("random", 2, 2, random),
    function("random_choice", 1, 64, random_choice),
    function("fake_name", 0, 1, fake_name),
    function("fake_email", 0, 0, fake_email),
    function("fake_phone", 0, 1, fake_phone),
    function("fake_address", 0, 1, fake_address),
    function("fake_word", 0, 1, fake_word),
];

const FIRST: [&str; 16] = [
    "Alice", "Ben", "Clara", "David", "Emma", "Frank", "Grace", "Henry", "Irene", "Jack", "Kate", "Liam", "Mia",
    "Noah", "Olivia", "Paul",
];
const LAST: [&str; 16] = [
    "Adams", "Baker", "Clark", "Davis", "Evans", "Fisher", "Green", "Hill", "Irving", "Jones", "King", "Lewis",
    "Moore", "Nash", "Owens", "Parker",
];
const FAMILY: [&str; 16] =
    ["王", "李", "张", "刘", "陈", "杨", "黄", "赵", "吴", "周", "徐", "孙", "马", "朱", "胡", "欧阳"];
const GIVEN: [&str; 20] = [
    "伟", "芳", "娜", "敏", "静", "磊", "洋", "艳", "勇", "军", "小明", "晓红", "建国", "雨桐", "子涵", "浩然", "欣怡",
    "梓轩", "佳琪", "志强",
];
const STREETS: [&str; 8] = ["Oak", "Maple", "Station", "Church", "Park", "River", "Mill", "Garden"];
const CITIES: [&str; 8] =
    ["Springfield", "Riverton", "Lakeside", "Fairview", "Greenville", "Milton", "Ashford", "Newport"];
const CHINESE_CITIES: [&str; 8] = [
    "北京市海淀区",
    "上海市浦东新区",
    "广州市天河区",
    "深圳市南山区",
    "杭州市西湖区",
    "成都市武侯区",
    "南京市鼓楼区",
    "武汉市洪山区",
];
const CHINESE_STREETS: [&str; 8] = ["中山路", "人民路", "解放路", "建设路", "和平路", "长江路", "学院路", "文化路"];
const WORDS: [&str; 16] = [
    "apple", "river", "silver", "garden", "window", "planet", "music", "forest", "bridge", "candle", "market",
    "summer", "pencil", "ocean", "mirror", "paper",
];
const CHINESE_WORDS: [&str; 12] =
    ["苹果", "河流", "花园", "窗户", "星球", "音乐", "森林", "桥梁", "蜡烛", "市场", "夏天", "海洋"];

fn pick<'a>(from: &[&'a str]) -> &'a str {
    from[fastrand::usize(0..from.len())]
}

/// Says whether Chinese is asked for; only the two languages are known.
fn is_chinese(arguments: &[Value]) -> Result<bool, String> {
    match first_text(arguments).to_lowercase().replace('-', "_").as_str() {
        "" | "en" | "en_us" | "en_gb" => Ok(false),
        "zh" | "zh_cn" | "cn" => Ok(true),
        other => Err(format!("`{other}` is not a language here: write 'en' or 'zh'")),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "every function has this form")]
fn uuid(_: &mut dyn Surroundings, _: &[Value]) -> Result<Value, String> {
    let number = fastrand::u128(..) & !(0xf << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{number:032x}");
    Ok(format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]).into())
}

/// `random(a, b)`: a whole number from a to b, both included.
fn random(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let whole = |index: usize| {
        let value = number(arguments, index)?;
        let text = format!("{value:.0}");
        let number = text.parse::<i64>().ok().filter(|_| value.fract() == 0.0);
        number.ok_or_else(|| format!("{value} is not a whole number"))
    };
    let (from, to) = (whole(0)?, whole(1)?);
    if from > to {
        return Err(format!("{from} is greater than {to}"));
    }
    Ok(fastrand::i64(from..=to).into())
}

/// `random_choice(list)` or `random_choice(a, b, …)`.
fn random_choice(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let from: &[Value] = match arguments {
        [Value::Array(items)] => items,
        all => all,
    };
    fastrand::choice(from).cloned().ok_or_else(|| "the list is empty".to_owned())
}

fn fake_name(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    Ok(match is_chinese(arguments)? {
        true => format!("{}{}", pick(&FAMILY), pick(&GIVEN)),
        false => format!("{} {}", pick(&FIRST), pick(&LAST)),
    }
    .into())
}

/// An address below example.com, which belongs to nobody.
#[expect(clippy::unnecessary_wraps, reason = "every function has this form")]
fn fake_email(_: &mut dyn Surroundings, _: &[Value]) -> Result<Value, String> {
    let name = format!("{}.{}{}", pick(&FIRST), pick(&LAST), fastrand::u32(1000..1_000_000)).to_lowercase();
    Ok(format!("{name}@example.com").into())
}

fn fake_phone(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    Ok(match is_chinese(arguments)? {
        true => {
            format!("{}{:08}", pick(&["138", "139", "150", "158", "177", "186", "199"]), fastrand::u32(0..100_000_000))
        }
        // 555-0100 to 555-0199 are kept for fiction.
        false => format!("+1-{}-555-01{:02}", fastrand::u32(201..990), fastrand::u32(0..100)),
    }
    .into())
}

fn fake_address(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let number = fastrand::u32(1..1000);
    Ok(match is_chinese(arguments)? {
        true => format!("{}{}{number}号", pick(&CHINESE_CITIES), pick(&CHINESE_STREETS)),
        false => format!("{number} {} Street, {}", pick(&STREETS), pick(&CITIES)),
    }
    .into())
}

fn fake_word(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    Ok(if is_chinese(arguments)? { pick(&CHINESE_WORDS) } else { pick(&WORDS) }.into())
}
