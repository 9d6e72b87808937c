//! The words of a script, as packetdrill's own scanner divides it: the longest that fits wins.

use winnow::LocatingSlice;
use winnow::ascii::digit0;
use winnow::combinator::{alt, delimited, eof, not, opt, peek, preceded, repeat, terminated};
use winnow::error::ContextError;
use winnow::prelude::*;
use winnow::stream::Location;
use winnow::token::{any, none_of, one_of, take_until, take_while};

/// A word and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Octets before it.
    pub(crate) at: usize,
}

/// What a word is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `// ...` or `/* ... */`, without these marks.
    Comment(String),
    /// `--name`, without the dashes.
    Option(String),
    Word(String),
    /// Digits, with a minus or without.
    Integer(String),
    /// Digits with a point, as written.
    Decimal(String),
    /// `0x` and digits, as written.
    Hexadecimal(String),
    /// Four numbers with points between them.
    Address(String),
    /// Within double quotes.
    Text(String),
    /// Within back quotes.
    Shell(String),
    /// Within `%{` and `}%`.
    Code(String),
    /// `...`
    Ellipsis,
    Symbol(char),
}

/// What cannot be divided into words: how much text stands before it, and what is wrong there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LexError {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
}

type Input<'a> = LocatingSlice<&'a str>;
type Lexed<T> = Result<T, ContextError>;

/// Divides a script.
///
/// # Errors
/// At the first sign that begins nothing, or something that does not end.
pub(crate) fn lex(text: &str) -> Result<Vec<Token>, LexError> {
    let mut input = LocatingSlice::new(text);
    let mut tokens = Vec::new();
    loop {
        let _ = spaces(&mut input);
        let at = input.current_token_start();
        if input.is_empty() {
            return Ok(tokens);
        }
        let rest = text.get(at..).unwrap_or_default();
        match token(&mut input) {
            Ok(kind) => tokens.push(Token { kind, at }),
            Err(_) => {
                return Err(LexError {
                    at,
                    what: unfinished(rest),
                });
            }
        }
    }
}

/// What is wrong with text that begins no word.
fn unfinished(rest: &str) -> &'static str {
    let unclosed = [
        ("//", "the comment does not end: its line needs a line break"),
        ("/*", "the comment does not end: `*/` is missing"),
        ("%{", "the code does not end: `}%` is missing"),
        ("\"", "the text does not end: a `\"` is missing"),
        ("`", "the shell command does not end: a back quote is missing"),
        ("#", "`#` begins nothing here; comments begin with `//`"),
    ];
    let found = unclosed.iter().find(|(begin, _)| rest.starts_with(begin));
    found.map_or("this sign begins nothing in a script", |&(_, what)| what)
}

fn spaces<'a>(input: &mut Input<'a>) -> Lexed<&'a str> {
    take_while(0.., [' ', '\t', '\n', '\r']).parse_next(input)
}

fn token(input: &mut Input<'_>) -> Lexed<Kind> {
    alt((comment, quoted, number, name, symbol)).parse_next(input)
}

fn comment(input: &mut Input<'_>) -> Lexed<Kind> {
    let line = preceded("//", terminated(take_while(0.., |c| c != '\n'), "\n"));
    let block = delimited("/*", take_until(0.., "*/"), "*/");
    let text: &str = alt((line, block)).parse_next(input)?;
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    Ok(Kind::Comment(lines.join(" ").trim().to_owned()))
}

fn quoted(input: &mut Input<'_>) -> Lexed<Kind> {
    let code = delimited("%{", take_until(0.., "}%"), "}%").map(|code: &str| Kind::Code(code.trim().to_owned()));
    let within = |quote: char| {
        let escaped = ('\\', any).void();
        let plain = none_of([quote, '\\']).void();
        let inside = repeat::<_, _, (), _, _>(0.., alt((escaped, plain))).take();
        delimited(quote, inside, quote)
    };
    alt((
        code,
        within('"').map(|text: &str| Kind::Text(text.to_owned())),
        within('`').map(|text: &str| Kind::Shell(text.to_owned())),
    ))
    .parse_next(input)
}

fn number(input: &mut Input<'_>) -> Lexed<Kind> {
    let is_digit = |c: char| c.is_ascii_digit();
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let digits = || take_while(1.., is_digit);
    let end = || peek(alt((not(one_of(in_word)), eof.void())));
    let address = (digits(), '.', digits(), '.', digits(), '.', digits()).take();
    let decimal = (opt('-'), digit0, '.', digits()).take();
    let hexadecimal = ("0x", take_while(1.., |c: char| c.is_ascii_hexdigit()), end()).take();
    let integer = alt((('-', digits()).take(), (digits(), end()).take()));
    alt((
        address.map(|text: &str| Kind::Address(text.to_owned())),
        decimal.map(|text: &str| Kind::Decimal(text.to_owned())),
        hexadecimal.map(|text: &str| Kind::Hexadecimal(text.to_owned())),
        integer.map(|text: &str| Kind::Integer(text.to_owned())),
    ))
    .parse_next(input)
}

fn name(input: &mut Input<'_>) -> Lexed<Kind> {
    let word = || take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '_');
    alt((
        preceded("--", word()).map(|name: &str| Kind::Option(name.to_owned())),
        word().map(|word: &str| Kind::Word(word.to_owned())),
    ))
    .parse_next(input)
}

fn symbol(input: &mut Input<'_>) -> Lexed<Kind> {
    alt((
        "...".value(Kind::Ellipsis),
        one_of("<>+*~:()[]{}=,|.-;".chars().collect::<Vec<_>>().as_slice()).map(Kind::Symbol),
    ))
    .parse_next(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let tokens = lex(text).expect("it is words");
        tokens.into_iter().map(|token| token.kind).collect()
    }

    fn word(text: &str) -> Kind {
        Kind::Word(text.to_owned())
    }

    fn integer(text: &str) -> Kind {
        Kind::Integer(text.to_owned())
    }

    #[test]
    fn flags_and_numbers_are_told_apart() {
        assert_eq!(kinds("S."), [word("S"), Kind::Symbol('.')]);
        assert_eq!(
            kinds("P. 1:1001(1000)"),
            [
                word("P"),
                Kind::Symbol('.'),
                integer("1"),
                Kind::Symbol(':'),
                integer("1001"),
                Kind::Symbol('('),
                integer("1000"),
                Kind::Symbol(')'),
            ]
        );
        assert_eq!(kinds("+.1"), [Kind::Symbol('+'), Kind::Decimal(".1".to_owned())]);
        assert_eq!(kinds("P.5"), [word("P"), Kind::Decimal(".5".to_owned())]);
        assert_eq!(
            kinds("-1 - 5ab 0x1F 0xyz"),
            [
                integer("-1"),
                Kind::Symbol('-'),
                word("5ab"),
                Kind::Hexadecimal("0x1F".to_owned()),
                word("0xyz"),
            ]
        );
        assert_eq!(
            kinds("--local_ip=192.0.2.1"),
            [
                Kind::Option("local_ip".to_owned()),
                Kind::Symbol('='),
                Kind::Address("192.0.2.1".to_owned()),
            ]
        );
    }

    #[test]
    fn quotes_hold_what_they_hold() {
        assert_eq!(kinds("`a\\`b\n c`"), [Kind::Shell("a\\`b\n c".to_owned())]);
        assert_eq!(kinds("\"\""), [Kind::Text(String::new())]);
        assert_eq!(kinds("%{ assert x }%"), [Kind::Code("assert x".to_owned())]);
        assert_eq!(
            kinds("/* a\n   b */ // c\n"),
            [Kind::Comment("a b".to_owned()), Kind::Comment("c".to_owned()),]
        );
    }

    #[test]
    fn what_does_not_end_is_told() {
        for (text, at, what) in [
            ("1 // x", 2, "line break"),
            ("/* x", 0, "`*/`"),
            ("`x", 0, "back quote"),
            ("# x\n", 0, "comments begin with `//`"),
            ("é", 0, "begins nothing"),
        ] {
            let error = lex(text).expect_err("it is not words");
            assert_eq!(error.at, at, "{text}");
            assert!(error.what.contains(what), "{text}: {}", error.what);
        }
    }
}
