//! XPath 1.0 over a screen's elements, as Appium Inspector writes it: `//android.widget.Button[@content-desc="OK"]`.
//!
//! An element answers to its class, its class without the package, its role and `node`; its attributes bear Android's names
//! and ours, and its text is what `text()` gives. All axes but `namespace`, all operators, and the functions that a screen
//! has a use for. Variables and namespaces are not supported. Written here because the crates for XPath have a document
//! model of their own, to which every screen would have to be copied, and no bound on the work that an expression makes.

mod evaluate;
mod functions;
mod lexer;
mod parser;
mod value;

use crate::tree::Tree;

/// A parsed XPath.
#[derive(Debug)]
pub(super) struct XPath {
    text: String,
    expression: parser::Expression,
}

impl XPath {
    /// Parses an XPath; the error says what is wrong and where (characters, counted from 1).
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let tokens = lexer::tokens(text).map_err(|error| error.of(text))?;
        let expression = parser::parse(&tokens, text.len()).map_err(|error| error.of(text))?;
        Ok(Self { text: text.to_owned(), expression })
    }

    /// Tells of every element whether it is selected.
    pub(super) fn select(&self, tree: &Tree) -> Result<Vec<bool>, String> {
        evaluate::select(&self.expression, tree).map_err(|message| format!("XPath `{}`: {message}", self.text))
    }
}

pub(super) fn is_xpath(text: &str) -> bool {
    text.starts_with(['/', '('])
        || text.starts_with("./")
        || text.starts_with("../")
        || text == ".."
        || text.contains("::")
}

/// What is wrong with an XPath's text, and at which byte.
#[derive(Debug)]
struct Wrong {
    at: usize,
    message: String,
}

impl Wrong {
    fn of(self, text: &str) -> String {
        let at = text.get(..self.at).map_or(0, |before| before.chars().count()) + 1;
        format!("XPath `{text}`, character {at}: {}", self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests_screen::selected;
    use super::*;

    #[test]
    fn what_inspectors_write_is_understood() {
        for (path, expected) in [
            ("//android.widget.Button[@content-desc='Add tea']", &["Add tea"][..]),
            ("//android.widget.Button[@content-desc=\"Add milk\" and @enabled='false']", &["Add milk"]),
            ("//*[@resource-id=\"com.a:id/title\"]", &["Shop"]),
            ("//button[@id='add'] | //heading", &["Shop"]),
            ("//android.widget.TextView[@text=\"Milk\"]", &["Milk"]),
            ("/hierarchy/android.widget.ListView/android.widget.LinearLayout[2]/android.widget.TextView", &["Milk"]),
            ("(//android.widget.Button[@resource-id=\"com.a:id/add\"])[2]", &["Add milk"]),
            ("//node[@text='Gift']", &["Gift"]),
            ("//*[@class='android.widget.Switch'][@checked='true']", &["Gift"]),
            ("//*[contains(@text, 'tea')]", &["Green tea"]),
            ("//*[starts-with(@content-desc, 'Add') and not(@enabled='true')]", &["Add milk"]),
            ("//*[@bounds='[0,0][100,20]']", &["Shop"]),
        ] {
            assert_eq!(selected(path).unwrap_or_else(|message| panic!("{message}")), expected, "{path}");
        }
    }

    #[test]
    fn the_whole_grammar_works() {
        for (path, expected) in [
            ("//text[text()='Milk']", &["Milk"][..]),
            ("//text[.='Milk']", &["Milk"]),
            ("//group[contains(., 'Green')]", &["group"]),
            ("//text[@text='Milk']/following-sibling::button", &["Add milk"]),
            ("//button[preceding-sibling::text[@text='Milk']]", &["Add milk"]),
            ("//text[@text='Milk']/..", &["group"]),
            ("//text[@text='Milk']/parent::*/parent::list", &["list"]),
            ("//button[1]/ancestor::list", &["list"]),
            ("//text[@text='Milk']/ancestor::*[1]", &["group"]),
            ("//text[@text='Milk']/ancestor-or-self::*[last()]", &["list"]),
            ("//list/group[last()]/text", &["Milk"]),
            ("//list/group[position()<2]/text", &["Green tea"]),
            ("//list/group[last()-1]/button", &["Add tea"]),
            ("//list//text[1]", &["Green tea", "Milk"]),
            ("(//list//text)[1]", &["Green tea"]),
            ("//switch/following::text", &["Total: 3"]),
            ("//switch/preceding::text[1]", &["Milk"]),
            ("//text[string-length(@text) > 8]", &["Green tea"]),
            ("//text[substring-after(@text, ': ') = 3]", &["Total: 3"]),
            ("//text[substring-after(@text, ': ') * 2 + 1 >= 7]", &["Total: 3"]),
            ("//*[name()='android.widget.Switch' or local-name()='ListView']", &["list", "Gift"]),
            ("//text[translate(@text, 'MILK', 'milk')='milk']", &["Milk"]),
            ("//text[lower-case(@text)='milk']", &["Milk"]),
            ("//text[ends-with(@text,'k')]", &["Milk"]),
            ("//text[matches(@text,'^M.l')]", &["Milk"]),
            ("//text[normalize-space(concat(' ', @text, '  '))='Milk']", &["Milk"]),
            ("//list[count(.//button)=2]", &["list"]),
            ("//list[not(button)]", &["list"]),
            ("//group[text/@text='Milk']/button", &["Add milk"]),
            ("//*[self::switch]", &["Gift"]),
            ("./list/descendant::button[2]", &["Add milk"]),
            ("//text[(position() mod 2) = 1 and true()][@text!='Milk']", &["Green tea", "Total: 3"]),
        ] {
            assert_eq!(selected(path).unwrap_or_else(|message| panic!("{message}")), expected, "{path}");
        }
        assert_eq!(selected("//button[@text='OK']"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_wrong_with_an_xpath_is_said() {
        for (path, part) in [
            ("//", "a step is missing"),
            ("//button[", "character 10"),
            ("//button[@text='OK'", "`]` is missing"),
            ("//button[@colour='red']", "unknown attribute `colour`"),
            ("//buton", "did you mean `button`"),
            ("//div", "no role or class `div`"),
            ("//button[@text='OK]", "a quote is not closed"),
            ("//button[id(3)]", "the function `id`"),
            ("//button[foo(3)]", "valid: "),
            ("//button[contains(@text)]", "takes 2 arguments, not 1"),
            ("//button[$x]", "variables are not supported"),
            ("//a:button", "namespaces are not supported"),
            ("//namespace::a", "axis"),
            ("//button]", "`]`"),
            ("//button[@text ! 'a']", "`!`"),
            ("//heading/text()", "selects texts"),
            ("//button/@text", "selects attributes"),
            ("/", "selects the screen"),
            ("(1 + 1)", "gives a number"),
            ("//button[matches(@text, '(')]", "regular expression"),
            ("//*[@enabled='True']", "write [@enabled='true'] or [@enabled='false']"),
            ("//*['yes' = @checked]", "`@checked` is never 'yes'"),
            ("//*[@clickable!='TRUE']", "`@clickable` is never 'TRUE'"),
            ("//list[group/@selected=1]", "never the number 1"),
            ("//*[@enabled=false()]", "write [@enabled='false']"),
            ("//*[@enabled]", "write [@enabled='true']"),
            ("//button[@text='a' and not(@checked)]", "write [@checked='true']"),
            (
                "//*[@content-desc or @text]",
                "every element has `@label`, so that it alone says nothing; write [@label!='']",
            ),
            ("//*[@role='buton']", "did you mean `button`?"),
            ("//*[@role='Button']", "write 'button'"),
        ] {
            let message = selected(path).expect_err(path);
            assert!(message.contains(part), "{path}: {message}");
        }
        let deep = format!("//*[{}1{}]", "(".repeat(200), ")".repeat(200));
        assert!(selected(&deep).is_err_and(|message| message.contains("deep")));
    }

    #[test]
    fn the_work_of_an_expression_is_bounded() {
        let rows = (0..3_000).map(|_| crate::driver::Element { role: "text", ..Default::default() }).collect();
        let screen = crate::driver::Screen {
            package: String::new(),
            size: crate::driver::Size::default(),
            lit: true,
            roots: rows,
            ..Default::default()
        };
        let tree = Tree::of(&screen);
        let began = std::time::Instant::now();
        let path = XPath::parse("//*[//*[//*[//*[@text='x']]]]").expect("an XPath");
        assert!(path.select(&tree).is_err_and(|message| message.contains("too much work")));
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }
}
