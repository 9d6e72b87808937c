//! The words of a script, taken one by one, and what is said of a wrong one.

use std::mem;

use thiserror::Error;

use crate::lex::{Kind, LexError, Token, lex};

/// Why a script cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}:{column}: {message}")]
pub struct ReadError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// A word with the comments before it.
struct Spoken {
    token: Token,
    comments: Vec<String>,
}

pub(super) struct Tokens<'a> {
    text: &'a str,
    /// Backwards: the next one is the last.
    left: Vec<Spoken>,
    /// Comments behind the last word.
    trailing: Vec<String>,
    /// Comments within what was taken.
    heard: Vec<String>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Result<Self, ReadError> {
        let tokens = lex(text).map_err(|LexError { at, what }| error(text, at, what))?;
        let mut left = Vec::with_capacity(tokens.len());
        let mut comments = Vec::new();
        for token in tokens {
            match token.kind {
                Kind::Comment(comment) => comments.push(comment),
                _ => left.push(Spoken {
                    token,
                    comments: mem::take(&mut comments),
                }),
            }
        }
        left.reverse();
        Ok(Self {
            text,
            left,
            trailing: comments,
            heard: Vec::new(),
        })
    }

    /// The next word, which stays the next.
    pub(super) fn peek(&self) -> Option<&Kind> {
        self.left.last().map(|spoken| &spoken.token.kind)
    }

    /// The word behind the next one.
    pub(super) fn peek_second(&self) -> Option<&Kind> {
        let place = self.left.len().checked_sub(2)?;
        self.left.get(place).map(|spoken| &spoken.token.kind)
    }

    /// Goes on to the word behind the next one.
    pub(super) fn skip(&mut self) {
        if let Some(mut spoken) = self.left.pop() {
            self.heard.append(&mut spoken.comments);
        }
    }

    /// Takes the next word if it is this sign.
    pub(super) fn takes(&mut self, symbol: char) -> bool {
        let is_it = matches!(self.peek(), Some(Kind::Symbol(next)) if *next == symbol);
        if is_it {
            self.skip();
        }
        is_it
    }

    /// Takes the next word if it is this one.
    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let is_it = matches!(self.peek(), Some(Kind::Word(next)) if next == word);
        if is_it {
            self.skip();
        }
        is_it
    }

    /// Takes this sign, or says what is expected.
    pub(super) fn expect(&mut self, symbol: char, expected: &str) -> Result<(), ReadError> {
        if self.takes(symbol) {
            Ok(())
        } else {
            self.wrong(expected)
        }
    }

    /// Takes the next word if it is a shell command.
    pub(super) fn shell(&mut self) -> Option<String> {
        let Some(Kind::Shell(command)) = self.peek() else {
            return None;
        };
        let command = command.clone();
        self.skip();
        Some(command)
    }

    /// A whole number that is not negative and at most `most`.
    pub(super) fn number(&mut self, what: &str, most: u64) -> Result<u64, ReadError> {
        let number = match self.peek() {
            Some(Kind::Integer(text)) => text.parse().ok().filter(|number| *number <= most),
            _ => None,
        };
        match number {
            Some(number) => {
                self.skip();
                Ok(number)
            }
            None => self.wrong(&format!("{what} is expected: a whole number up to {most}")),
        }
    }

    /// The comments within what was taken.
    pub(super) fn heard(&mut self) -> Vec<String> {
        mem::take(&mut self.heard)
    }

    /// The same, and those before the next word.
    pub(super) fn comments(&mut self) -> Vec<String> {
        let next = self
            .left
            .last_mut()
            .map_or(&mut self.trailing, |spoken| &mut spoken.comments);
        self.heard.append(next);
        self.heard()
    }

    /// Where the next word begins, in octets of the text.
    pub(super) fn position(&self) -> usize {
        let end = self.text.trim_end().len();
        self.left.last().map_or(end, |spoken| spoken.token.at)
    }

    /// The line of the next word, from 1.
    pub(super) fn line(&self) -> usize {
        place(self.text, self.position()).0
    }

    /// The next word is wrong.
    pub(super) fn wrong<T>(&self, message: &str) -> Result<T, ReadError> {
        Err(self.error_at(self.position(), message))
    }

    pub(super) fn error_at(&self, at: usize, message: &str) -> ReadError {
        error(self.text, at, message)
    }

    /// The next word names something that there is not.
    pub(super) fn unknown<T>(&self, what: &str, name: &str, known: &[&str]) -> Result<T, ReadError> {
        let near = known
            .iter()
            .map(|&word| (strsim::damerau_levenshtein(name, word), word))
            .filter(|(distance, word)| *distance <= word.len() / 3)
            .min();
        match near {
            Some((_, word)) => self.wrong(&format!("there is no {what} `{name}`; did you mean `{word}`?")),
            None => self.wrong(&format!("there is no {what} `{name}`; there is {}", known.join(", "))),
        }
    }
}

fn error(text: &str, at: usize, message: &str) -> ReadError {
    let (line, column) = place(text, at);
    ReadError {
        line,
        column,
        message: message.to_owned(),
    }
}

/// Line and column of what stands behind so many octets.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |place| place + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count();
    (before.matches('\n').count() + 1, column + 1)
}
