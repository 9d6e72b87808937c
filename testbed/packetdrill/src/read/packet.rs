//! Segments.

use windlull_units::Ecn;
use windlull_wire::{Flags, MAX_SACK_BLOCKS};

use crate::lex::Kind;
use crate::options::length;
use crate::read::Reader;
use crate::read::tokens::ReadError;
use crate::script::{Direction, ExpectedOptions, Ip, Packet, TcpOption};
use crate::write::LETTERS;

/// Octets that a header has for options (RFC 9293, section 3.1).
const ROOM: usize = 40;
const SIXTEEN_BITS: u64 = u16::MAX as u64;
const THIRTY_TWO_BITS: u64 = u32::MAX as u64;

/// What may stand where a segment's flags do, and Windlull does not read.
const OTHER_PACKETS: [&str; 7] = ["udp", "icmp", "ipv4", "ipv6", "gre", "GREv0", "mpls"];

impl Reader<'_> {
    /// A segment, behind its direction.
    pub(super) fn packet(&mut self, direction: Direction) -> Result<Packet, ReadError> {
        let ip = self.ip(direction)?;
        let flags = self.flags()?;
        let (seq, payload_len) = self.sequence()?;
        let ack = if self.tokens.takes_word("ack") {
            Some(self.number_32("the acknowledgement number")?)
        } else {
            None
        };
        let window = self.window(direction)?;
        if matches!(self.tokens.peek(), Some(Kind::Word(word)) if word == "urg") {
            return self.tokens.wrong("Windlull reads no urgent pointer (`urg`)");
        }
        let options = self.options(direction)?;
        if matches!(self.tokens.peek(), Some(Kind::Symbol('{'))) {
            return self.tokens.wrong("Windlull reads no fuzzing (`{ }` behind a segment)");
        }
        Ok(Packet {
            ip,
            flags,
            seq,
            payload_len,
            ack,
            window,
            options,
        })
    }

    fn ip(&mut self, direction: Direction) -> Result<Option<Ip>, ReadError> {
        let close = match self.tokens.peek() {
            Some(Kind::Symbol('[')) => ']',
            Some(Kind::Symbol('(')) => ')',
            _ => return Ok(None),
        };
        self.tokens.skip();
        let ip = match self.tokens.peek() {
            Some(Kind::Word(word)) => match word.as_str() {
                "noecn" => Ip::Ecn(Ecn::NotEct),
                "ect0" => Ip::Ecn(Ecn::Ect0),
                "ect1" => Ip::Ecn(Ecn::Ect1),
                "ce" => Ip::Ecn(Ecn::Ce),
                "ect01" if direction == Direction::Outbound => Ip::AnyCapable,
                "ect01" => {
                    return self
                        .tokens
                        .wrong("`ect01` is for segments that are expected; give `ect0` or `ect1`");
                }
                _ => {
                    return self
                        .tokens
                        .wrong("Windlull reads `noecn`, `ect0`, `ect1`, `ce` and `ect01` here");
                }
            },
            _ => {
                return self
                    .tokens
                    .wrong("`noecn`, `ect0`, `ect1`, `ce` or `ect01` is expected");
            }
        };
        self.tokens.skip();
        self.tokens
            .expect(close, &format!("`{close}` is expected behind the codepoint"))?;
        Ok(Some(ip))
    }

    fn flags(&mut self) -> Result<Flags, ReadError> {
        let mut flags = Flags::default();
        match self.tokens.peek() {
            Some(Kind::Word(word)) if OTHER_PACKETS.contains(&word.as_str()) => {
                let message = format!("Windlull reads segments of TCP, not `{word}`");
                self.tokens.wrong(&message)
            }
            Some(Kind::Word(word)) => {
                for letter in word.chars() {
                    match LETTERS.iter().find(|(known, _)| *known == letter) {
                        Some((_, flag)) => flags = flags.with(*flag),
                        None => {
                            return self
                                .tokens
                                .wrong(&format!("`{letter}` is no flag; those are {}", letters()));
                        }
                    }
                }
                self.tokens.skip();
                if self.tokens.takes('.') {
                    return Ok(flags.with(Flags::ACK));
                }
                if matches!(self.tokens.peek(), Some(Kind::Decimal(_))) {
                    return Ok(flags.with(self.counted()?));
                }
                Ok(flags)
            }
            Some(Kind::Decimal(_)) => self.counted(),
            Some(Kind::Symbol('.')) => {
                self.tokens.skip();
                Ok(Flags::ACK)
            }
            Some(Kind::Symbol('-')) => {
                self.tokens.skip();
                Ok(flags)
            }
            Some(Kind::Integer(_)) => self
                .tokens
                .wrong("a segment begins with its flags, as `S`, `P.` or `.`; ports are packetdrill's own choice"),
            _ => self
                .tokens
                .wrong(&format!("the segment's flags are expected: {}", letters())),
        }
    }

    /// ACK with the three bits of accurate ECN as a digit: `.5` (RFC 9768, section 3.2.2).
    fn counted(&mut self) -> Result<Flags, ReadError> {
        let digit = match self.tokens.peek() {
            Some(Kind::Decimal(text)) => text.strip_prefix('.').and_then(|digit| digit.parse::<u16>().ok()),
            _ => None,
        };
        let Some(count @ 0..=7) = digit else {
            return self
                .tokens
                .wrong("behind the dot of ACK stands one digit from 0 to 7, or none");
        };
        self.tokens.skip();
        let bits = [(1, Flags::ECE), (2, Flags::CWR), (4, Flags::AE)];
        let set = bits.iter().filter(|(bit, _)| count & bit != 0);
        Ok(set.fold(Flags::ACK, |flags, (_, flag)| flags.with(*flag)))
    }

    fn sequence(&mut self) -> Result<(u32, u16), ReadError> {
        let at = self.tokens.position();
        let seq = self.number_32("the segment's first sequence number, as in `1:1001(1000)`,")?;
        self.tokens.expect(
            ':',
            "`:` and the number after the last octet are expected, as in `1:1001(1000)`",
        )?;
        let end = self.number_32("the number after the segment's last octet")?;
        self.tokens.expect(
            '(',
            "the octets of payload in parentheses are expected, as in `1:1001(1000)`",
        )?;
        let len = self.tokens.number("the segment's payload in octets", SIXTEEN_BITS)?;
        self.tokens
            .expect(')', "`)` is expected behind the octets of payload")?;
        let sum = u64::from(seq) + len;
        if sum != u64::from(end) {
            let message = format!("{seq} and {len} octets are {sum}, not {end}; SYN and FIN do not count here");
            return Err(self.tokens.error_at(at, &message));
        }
        Ok((seq, u16::try_from(len).unwrap_or(u16::MAX)))
    }

    fn window(&mut self, direction: Direction) -> Result<Option<u16>, ReadError> {
        if self.tokens.takes_word("win") {
            let window = self.tokens.number("the window field", SIXTEEN_BITS)?;
            return Ok(Some(u16::try_from(window).unwrap_or(u16::MAX)));
        }
        match direction {
            Direction::Inbound => self
                .tokens
                .wrong("a segment that comes in needs its window, as `win 65535`"),
            Direction::Outbound => Ok(None),
        }
    }

    fn options(&mut self, direction: Direction) -> Result<ExpectedOptions, ReadError> {
        let at = self.tokens.position();
        if !self.tokens.takes('<') {
            return Ok(ExpectedOptions::These(Vec::new()));
        }
        if matches!(self.tokens.peek(), Some(Kind::Ellipsis)) {
            if direction == Direction::Inbound {
                return self
                    .tokens
                    .wrong("`<...>` is for segments that are expected; list the options of this one");
            }
            self.tokens.skip();
            self.tokens.expect('>', "`>` is expected behind `<...`")?;
            return Ok(ExpectedOptions::Any);
        }
        let mut options = vec![self.tcp_option()?];
        while self.tokens.takes(',') {
            options.push(self.tcp_option()?);
        }
        self.tokens.expect('>', "`,` and another option, or `>` is expected")?;
        let octets = length(&options);
        if octets % 4 != 0 {
            let missing = 4 - octets % 4;
            let message = format!("the options take {octets} octets, which is no multiple of 4; add {missing} nop");
            return Err(self.tokens.error_at(at, &message));
        }
        if octets > ROOM {
            let message = format!("the options take {octets} octets; a header has room for {ROOM}");
            return Err(self.tokens.error_at(at, &message));
        }
        Ok(ExpectedOptions::These(options))
    }

    fn tcp_option(&mut self) -> Result<TcpOption, ReadError> {
        const KNOWN: &str = "nop, eol, mss, wscale, sackOK, sack, TS";
        let Some(Kind::Word(word)) = self.tokens.peek() else {
            return self.tokens.wrong(&format!("a TCP option is expected: {KNOWN}"));
        };
        let word = word.clone();
        match word.as_str() {
            "nop" | "eol" | "mss" | "wscale" | "sackOK" | "sack" | "TS" => self.tokens.skip(),
            "md5" | "FO" | "FOEXP" | "ECN" => {
                return self.tokens.wrong(&format!(
                    "Windlull does not speak the option `{word}`; it reads {KNOWN}"
                ));
            }
            _ => {
                return self
                    .tokens
                    .wrong(&format!("there is no option `{word}`; there is {KNOWN}"));
            }
        }
        Ok(match word.as_str() {
            "mss" => TcpOption::Mss(self.number_16("the maximum segment size")?),
            "wscale" => {
                let shift = self.tokens.number("the shift of the window", u64::from(u8::MAX))?;
                TcpOption::WindowScale(u8::try_from(shift).unwrap_or(u8::MAX))
            }
            "sackOK" => TcpOption::SackPermitted,
            "sack" => TcpOption::Sack(self.blocks()?),
            "TS" => {
                self.word("val", "`val` and a number are expected behind `TS`")?;
                let value = self.number_32("the timestamp")?;
                self.word("ecr", "`ecr` and a number are expected behind the timestamp")?;
                let echo = self.number_32("the echoed timestamp")?;
                TcpOption::Timestamps { value, echo }
            }
            "eol" => TcpOption::EndOfList,
            _ => TcpOption::Nop,
        })
    }

    fn blocks(&mut self) -> Result<Vec<(u32, u32)>, ReadError> {
        let mut blocks = Vec::new();
        while blocks.is_empty() || matches!(self.tokens.peek(), Some(Kind::Integer(_))) {
            if blocks.len() == MAX_SACK_BLOCKS {
                return self
                    .tokens
                    .wrong("a SACK option has at most four blocks (RFC 2018, section 3)");
            }
            let left = self.number_32("the first octet of a block, as in `sack 1001:2001`,")?;
            self.tokens.expect(
                ':',
                "`:` and the octet after the block's last are expected, as in `sack 1001:2001`",
            )?;
            blocks.push((left, self.number_32("the octet after the block's last")?));
        }
        Ok(blocks)
    }

    fn word(&mut self, word: &str, expected: &str) -> Result<(), ReadError> {
        if self.tokens.takes_word(word) {
            Ok(())
        } else {
            self.tokens.wrong(expected)
        }
    }

    fn number_32(&mut self, what: &str) -> Result<u32, ReadError> {
        let number = self.tokens.number(what, THIRTY_TWO_BITS)?;
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn number_16(&mut self, what: &str) -> Result<u16, ReadError> {
        let number = self.tokens.number(what, SIXTEEN_BITS)?;
        Ok(u16::try_from(number).unwrap_or(u16::MAX))
    }
}

/// The flags in words.
fn letters() -> String {
    let letters: Vec<String> = LETTERS.iter().map(|(letter, _)| letter.to_string()).collect();
    format!("{}, then `.` for ACK; `-` is none", letters.join(", "))
}
