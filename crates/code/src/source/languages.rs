//! The languages whose definitions are found.

use super::language::Escape::{Backslash, Doubled, Nothing};
use super::language::Nesting::{Braces, Indentation};
use super::language::{Bare, Form, Keyword, Language, Quote, Special};

const fn quote(open: &'static str, escape: super::language::Escape) -> Quote {
    Quote { open, close: open, escape, inside: None, lines: false }
}

const fn lines(quote: Quote) -> Quote {
    Quote { lines: true, ..quote }
}

const fn with(quote: Quote, open: &'static str, close: u8) -> Quote {
    Quote { inside: Some((open, close)), ..quote }
}

const fn from_to(open: &'static str, close: &'static str, escape: super::language::Escape) -> Quote {
    Quote { open, close, escape, inside: None, lines: true }
}

const fn word(word: &'static str, kind: &'static str, form: Form) -> Keyword {
    Keyword { word, kind, form }
}

const SLASHES: Language = Language {
    name: "",
    extensions: &[],
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    comments_nest: false,
    quotes: &[quote("\"", Backslash), quote("'", Backslash)],
    specials: &[],
    nesting: Braces,
    lines_end: false,
    keywords: &[],
    bare: Bare::Nothing,
};

const C_KEYWORDS: &[Keyword] = &[
    word("struct", "struct", Form::Body),
    word("union", "union", Form::Body),
    word("enum", "enum", Form::Body),
    word("typedef", "type", Form::Last),
];

const CPP_KEYWORDS: &[Keyword] = &[
    word("class", "class", Form::Body),
    word("struct", "struct", Form::Body),
    word("union", "union", Form::Body),
    word("enum", "enum", Form::Body),
    word("namespace", "module", Form::Path),
    word("typedef", "type", Form::Last),
    word("using", "type", Form::Alias),
    word("concept", "concept", Form::Alias),
];

const SCRIPT_QUOTES: &[Quote] =
    &[quote("\"", Backslash), quote("'", Backslash), with(lines(quote("`", Backslash)), "${", b'}')];

const SCRIPT_KEYWORDS: &[Keyword] = &[
    word("function", "function", Form::Name),
    word("class", "class", Form::Body),
    word("const", "constant", Form::Bound),
    word("let", "variable", Form::Bound),
    word("var", "variable", Form::Bound),
];

const TYPED_KEYWORDS: &[Keyword] = &[
    word("function", "function", Form::Name),
    word("class", "class", Form::Body),
    word("const", "constant", Form::Bound),
    word("let", "variable", Form::Bound),
    word("var", "variable", Form::Bound),
    word("interface", "interface", Form::Body),
    word("enum", "enum", Form::Body),
    word("type", "type", Form::Alias),
    word("namespace", "module", Form::Path),
    word("module", "module", Form::Path),
];

const ARKTS_KEYWORDS: &[Keyword] = &[
    word("struct", "struct", Form::Body),
    word("function", "function", Form::Name),
    word("class", "class", Form::Body),
    word("const", "constant", Form::Bound),
    word("let", "variable", Form::Bound),
    word("var", "variable", Form::Bound),
    word("interface", "interface", Form::Body),
    word("enum", "enum", Form::Body),
    word("type", "type", Form::Alias),
    word("namespace", "module", Form::Path),
];

pub(super) const LANGUAGES: &[Language] = &[
    Language {
        name: "Rust",
        extensions: &["rs"],
        comments_nest: true,
        quotes: &[lines(quote("\"", Backslash))],
        specials: &[Special::RustTexts],
        keywords: &[
            word("fn", "function", Form::Name),
            word("struct", "struct", Form::Name),
            word("enum", "enum", Form::Name),
            word("union", "union", Form::Body),
            word("trait", "trait", Form::Name),
            word("type", "type", Form::Name),
            word("mod", "module", Form::Name),
            word("const", "constant", Form::Name),
            word("static", "constant", Form::Name),
            word("impl", "", Form::Owner),
            word("macro_rules", "macro", Form::Bang),
        ],
        ..SLASHES
    },
    Language {
        name: "Python",
        extensions: &["py", "pyi", "pyw"],
        line_comments: &["#"],
        block_comments: &[],
        quotes: &[
            lines(quote("\"\"\"", Backslash)),
            lines(quote("'''", Backslash)),
            quote("\"", Backslash),
            quote("'", Backslash),
        ],
        nesting: Indentation,
        lines_end: true,
        keywords: &[word("def", "function", Form::Name), word("class", "class", Form::Name)],
        ..SLASHES
    },
    Language {
        name: "Go",
        extensions: &["go"],
        quotes: &[quote("\"", Backslash), quote("'", Backslash), lines(quote("`", Nothing))],
        lines_end: true,
        keywords: &[
            word("func", "function", Form::Receiver),
            word("type", "type", Form::Group),
            word("const", "constant", Form::Group),
        ],
        bare: Bare::OfInterfaces,
        ..SLASHES
    },
    Language {
        name: "Java",
        extensions: &["java"],
        quotes: &[lines(quote("\"\"\"", Backslash)), quote("\"", Backslash), quote("'", Backslash)],
        keywords: &[
            word("class", "class", Form::Body),
            word("interface", "interface", Form::Body),
            word("enum", "enum", Form::Body),
            word("record", "record", Form::Record),
        ],
        bare: Bare::Methods,
        ..SLASHES
    },
    Language {
        name: "Kotlin",
        extensions: &["kt", "kts"],
        comments_nest: true,
        quotes: &[
            with(lines(quote("\"\"\"", Nothing)), "${", b'}'),
            with(quote("\"", Backslash), "${", b'}'),
            quote("'", Backslash),
        ],
        lines_end: true,
        keywords: &[
            word("fun", "function", Form::BeforeArguments),
            word("class", "class", Form::Name),
            word("interface", "interface", Form::Name),
            word("object", "object", Form::Name),
            word("typealias", "type", Form::Name),
            word("val", "constant", Form::Name),
        ],
        ..SLASHES
    },
    Language {
        name: "Swift",
        extensions: &["swift"],
        comments_nest: true,
        quotes: &[with(lines(quote("\"\"\"", Backslash)), "\\(", b')'), with(quote("\"", Backslash), "\\(", b')')],
        specials: &[Special::SwiftTexts],
        lines_end: true,
        keywords: &[
            word("func", "function", Form::Name),
            word("class", "class", Form::Body),
            word("struct", "struct", Form::Body),
            word("enum", "enum", Form::Body),
            word("actor", "class", Form::Body),
            word("protocol", "protocol", Form::Body),
            word("extension", "extension", Form::Path),
            word("typealias", "type", Form::Name),
            word("associatedtype", "type", Form::Name),
            word("init", "method", Form::Itself),
            word("deinit", "method", Form::Itself),
            word("subscript", "method", Form::Itself),
        ],
        ..SLASHES
    },
    Language {
        name: "JavaScript",
        extensions: &["js", "mjs", "cjs", "jsx"],
        quotes: SCRIPT_QUOTES,
        specials: &[Special::Regexes],
        lines_end: true,
        keywords: SCRIPT_KEYWORDS,
        bare: Bare::Members,
        ..SLASHES
    },
    Language {
        name: "TypeScript",
        extensions: &["ts", "mts", "cts", "tsx"],
        quotes: SCRIPT_QUOTES,
        specials: &[Special::Regexes],
        lines_end: true,
        keywords: TYPED_KEYWORDS,
        bare: Bare::Members,
        ..SLASHES
    },
    Language {
        name: "ArkTS",
        extensions: &["ets"],
        quotes: SCRIPT_QUOTES,
        specials: &[Special::Regexes],
        lines_end: true,
        keywords: ARKTS_KEYWORDS,
        bare: Bare::Members,
        ..SLASHES
    },
    Language {
        name: "C",
        extensions: &["c"],
        specials: &[Special::Preprocessor],
        keywords: C_KEYWORDS,
        bare: Bare::Functions,
        ..SLASHES
    },
    Language {
        name: "C++",
        extensions: &["cpp", "cc", "cxx", "c++", "h", "hh", "hpp", "hxx", "inl", "ipp"],
        specials: &[Special::Preprocessor, Special::CppTexts],
        keywords: CPP_KEYWORDS,
        bare: Bare::Functions,
        ..SLASHES
    },
    Language {
        name: "C#",
        extensions: &["cs"],
        quotes: &[
            with(from_to("$@\"", "\"", Doubled), "{", b'}'),
            with(from_to("@$\"", "\"", Doubled), "{", b'}'),
            from_to("@\"", "\"", Doubled),
            Quote { open: "$\"", close: "\"", escape: Backslash, inside: Some(("{", b'}')), lines: false },
            quote("\"", Backslash),
            quote("'", Backslash),
        ],
        specials: &[Special::Preprocessor, Special::CSharpTexts],
        keywords: &[
            word("class", "class", Form::Body),
            word("interface", "interface", Form::Body),
            word("struct", "struct", Form::Body),
            word("enum", "enum", Form::Body),
            word("record", "record", Form::Record),
            word("namespace", "module", Form::Path),
            word("delegate", "type", Form::BeforeArguments),
        ],
        bare: Bare::Methods,
        ..SLASHES
    },
    Language {
        name: "Ruby",
        extensions: &["rb", "rake", "gemspec", "ru"],
        line_comments: &["#"],
        block_comments: &[],
        quotes: &[
            with(lines(quote("\"", Backslash)), "#{", b'}'),
            lines(quote("'", Backslash)),
            with(lines(quote("`", Backslash)), "#{", b'}'),
        ],
        specials: &[Special::RubyTexts, Special::Regexes],
        nesting: Indentation,
        lines_end: true,
        keywords: &[
            word("def", "method", Form::Name),
            word("class", "class", Form::Name),
            word("module", "module", Form::Name),
        ],
        ..SLASHES
    },
    Language {
        name: "PHP",
        extensions: &["php", "phtml", "inc"],
        line_comments: &["//", "#"],
        quotes: &[lines(quote("\"", Backslash)), lines(quote("'", Backslash)), lines(quote("`", Backslash))],
        specials: &[Special::PhpTexts],
        keywords: &[
            word("function", "function", Form::Name),
            word("class", "class", Form::Body),
            word("interface", "interface", Form::Body),
            word("trait", "trait", Form::Body),
            word("enum", "enum", Form::Body),
            word("namespace", "module", Form::Path),
            word("const", "constant", Form::Alias),
        ],
        ..SLASHES
    },
];

/// The names of all.
pub(crate) fn names() -> Vec<&'static str> {
    LANGUAGES.iter().map(|language| language.name).collect()
}
