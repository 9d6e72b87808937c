//! System calls.

use crate::lex::Kind;
use crate::read::Reader;
use crate::read::tokens::ReadError;
use crate::script::{Call, Errno, Expression};

/// So deep may values stand in each other. System calls need three levels; a text of brackets alone would otherwise
/// exhaust the stack.
const DEEPEST: usize = 16;

/// The system calls that packetdrill makes.
const CALLS: [&str; 30] = [
    "accept",
    "bind",
    "cap_set",
    "close",
    "connect",
    "epoll_create",
    "epoll_ctl",
    "epoll_wait",
    "fcntl",
    "getsockopt",
    "ioctl",
    "listen",
    "open",
    "pipe",
    "poll",
    "read",
    "readv",
    "recv",
    "recvfrom",
    "recvmsg",
    "send",
    "sendfile",
    "sendmsg",
    "sendto",
    "setsockopt",
    "shutdown",
    "socket",
    "splice",
    "write",
    "writev",
];

impl Reader<'_> {
    /// A system call, behind the event's time.
    pub(super) fn call(&mut self) -> Result<Call, ReadError> {
        let returns = if matches!(self.tokens.peek(), Some(Kind::Ellipsis)) {
            self.tokens.skip();
            Some(self.time()?)
        } else {
            None
        };
        let Some(Kind::Word(name)) = self.tokens.peek() else {
            return self.tokens.wrong("the name of a system call is expected");
        };
        let name = name.clone();
        if !CALLS.contains(&name.as_str()) {
            return self.tokens.unknown("system call", &name, &CALLS);
        }
        self.tokens.skip();
        self.tokens
            .expect('(', "`(` and the arguments are expected behind the system call")?;
        let arguments = self.list(')')?;
        self.tokens.expect('=', "`=` and what the call returns are expected")?;
        let result = self.expression()?;
        let errno = match self.tokens.peek() {
            Some(Kind::Word(name)) => {
                let name = name.clone();
                self.tokens.skip();
                let words = self.note(
                    "the error's words in parentheses are expected, as `EAGAIN (Resource temporarily unavailable)`",
                )?;
                Some(Errno { name, words })
            }
            _ => None,
        };
        let note = match self.tokens.peek() {
            Some(Kind::Symbol('(')) => Some(self.note("a note in parentheses is expected")?),
            _ => None,
        };
        Ok(Call {
            returns,
            name,
            arguments,
            result,
            errno,
            note,
        })
    }

    fn note(&mut self, expected: &str) -> Result<String, ReadError> {
        self.tokens.expect('(', expected)?;
        let mut words: Vec<String> = Vec::new();
        while let Some(Kind::Word(word)) = self.tokens.peek() {
            words.push(word.clone());
            self.tokens.skip();
        }
        if words.is_empty() {
            return self.tokens.wrong("a word is expected within the parentheses");
        }
        self.tokens.expect(')', "another word, or `)` is expected")?;
        Ok(words.join(" "))
    }

    /// Expressions with commas between them, up to `close`; there may be none.
    fn list(&mut self, close: char) -> Result<Vec<Expression>, ReadError> {
        let mut elements = Vec::new();
        if self.tokens.takes(close) {
            return Ok(elements);
        }
        loop {
            elements.push(self.expression()?);
            if self.tokens.takes(close) {
                return Ok(elements);
            }
            self.tokens
                .expect(',', &format!("`,` and another value, or `{close}` is expected"))?;
        }
    }

    fn expression(&mut self) -> Result<Expression, ReadError> {
        let first = self.operand()?;
        if !matches!(self.tokens.peek(), Some(Kind::Symbol('|'))) {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.tokens.takes('|') {
            operands.push(self.operand()?);
        }
        Ok(Expression::Or(operands))
    }

    fn operand(&mut self) -> Result<Expression, ReadError> {
        if self.depth == DEEPEST {
            return self
                .tokens
                .wrong(&format!("values stand in each other at most {DEEPEST} deep"));
        }
        self.depth += 1;
        let operand = self.operand_within();
        self.depth -= 1;
        operand
    }

    fn operand_within(&mut self) -> Result<Expression, ReadError> {
        let expected = "a value is expected: a number, a word, a text, `...`, `[...]` or `{...}`";
        let operand = match self.tokens.peek() {
            Some(Kind::Ellipsis) => Expression::Ellipsis,
            Some(Kind::Integer(text)) => match text.parse() {
                Ok(number) => Expression::Integer(number),
                Err(_) => return self.tokens.wrong("the number does not fit 64 bits"),
            },
            Some(Kind::Hexadecimal(text)) => {
                match text.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16)) {
                    Some(Ok(number)) => Expression::Hexadecimal(number),
                    _ => return self.tokens.wrong("the number does not fit 64 bits"),
                }
            }
            Some(Kind::Text(text)) => Expression::Text(text.clone()),
            Some(Kind::Symbol('[')) => {
                self.tokens.skip();
                return Ok(Expression::List(self.list(']')?));
            }
            Some(Kind::Symbol('{')) => {
                self.tokens.skip();
                return Ok(Expression::Structure(self.list('}')?));
            }
            Some(Kind::Word(_)) => return self.word_operand(),
            _ => return self.tokens.wrong(expected),
        };
        self.tokens.skip();
        Ok(operand)
    }

    /// A word, and what is said of it: `name = value`, `name(value)`.
    fn word_operand(&mut self) -> Result<Expression, ReadError> {
        let Some(Kind::Word(word)) = self.tokens.peek() else {
            return self.tokens.wrong("a word is expected");
        };
        let word = word.clone();
        let behind = self.tokens.peek_second().cloned();
        self.tokens.skip();
        match behind {
            Some(Kind::Symbol('=')) => {
                self.tokens.skip();
                Ok(Expression::Named(word, Box::new(self.operand()?)))
            }
            // Of words, these alone are applied to a value; behind a result parentheses hold a note.
            Some(Kind::Symbol('('))
                if ["htons", "inet_addr", "inet6_addr", "msg_name", "msg_iov"].contains(&word.as_str()) =>
            {
                self.tokens.skip();
                let value = self.operand()?;
                self.tokens.expect(')', "`)` is expected")?;
                Ok(Expression::Applied(word, Box::new(value)))
            }
            _ => Ok(Expression::Word(word)),
        }
    }
}
