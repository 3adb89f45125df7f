//! Cuts text into tokens with pest.
//!
//! The rules are flat (`grammar.pest`), and the text is fed in pieces: pest keeps a queue over all
//! that it was given, which for a file of many megabytes would outweigh everything else. A token or
//! comment at the end of a piece may go on behind it, so the next piece begins with it again.

use pest::Parser;
use pest::iterators::Pair;

use crate::diagnostic::Diagnostic;
use crate::span::{FileId, Span};
use crate::token::{Tok, Token};

#[derive(pest_derive::Parser)]
#[grammar = "grammar.pest"]
struct Lexical;

/// Bytes given to pest at once.
const PIECE: usize = 1 << 16;
/// With more lexical errors than this the file is something else than Alloy, and the rest of it is
/// not read.
const MAX_ERRORS: usize = 20;

/// The tokens of `text`, with [`Tok::End`] as the last. Faulty pieces of text are diagnosed and
/// left out.
pub(crate) fn tokenize(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer { file, tokens: Vec::with_capacity(text.len() / 4), diagnostics: Vec::new() };
    let mut start = 0;
    let mut size = PIECE;
    while start < text.len() && lexer.diagnostics.len() < MAX_ERRORS {
        let mut end = text.len().min(start + size);
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let done = lexer.piece(&text[start..end], start, end == text.len());
        // A token of a whole piece wants a larger one.
        size = if done == start { size * 2 } else { PIECE };
        start = done;
    }
    let end = text.len() as u32;
    lexer.tokens.push(Token { tok: Tok::End, start: end, end });
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer {
    file: FileId,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer {
    /// Reads one piece that begins at byte `base` of the file, and gives the byte where the next one
    /// begins.
    fn piece(&mut self, piece: &str, base: usize, last: bool) -> usize {
        let pairs = match Lexical::parse(Rule::tokens, piece) {
            Ok(pairs) => pairs,
            Err(error) => {
                // `bad_char` matches anything, so this cannot happen; a message is better than a panic.
                let span = Span::new(self.file, base, base + piece.len());
                let message = format!("unreadable text: {}", error.variant.message());
                self.diagnostics.push(Diagnostic::error(span, message));
                return base + piece.len();
            }
        };
        for pair in pairs {
            let span = pair.as_span();
            let (start, end) = (base + span.start(), base + span.end());
            if !last && span.end() == piece.len() && pair.as_rule() != Rule::EOI {
                return start;
            }
            let tok = match pair.as_rule() {
                Rule::name => Tok::of_word(pair.as_str()),
                Rule::number => Tok::Number,
                Rule::string => Tok::Str,
                Rule::mark | Rule::punctuation => match Tok::of_sign(pair.as_str()) {
                    Some(tok) => tok,
                    None => continue,
                },
                Rule::comment | Rule::EOI => continue,
                _ => {
                    self.diagnostics.push(fault(&pair, Span::new(self.file, start, end)));
                    if self.diagnostics.len() >= MAX_ERRORS {
                        break;
                    }
                    continue;
                }
            };
            self.tokens.push(Token { tok, start: start as u32, end: end as u32 });
        }
        base + piece.len()
    }
}

/// What is wrong with a piece of text that is no token.
fn fault(pair: &Pair<'_, Rule>, span: Span) -> Diagnostic {
    let text = pair.as_str();
    match pair.as_rule() {
        Rule::open_comment => {
            let opening = Span { end: span.start + 2, ..span };
            Diagnostic::error(opening, "this comment is never closed").help("end it with `*/`")
        }
        Rule::bad_number => {
            let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let error = Diagnostic::error(span, format!("`{text}` is neither a number nor a name"));
            if text.starts_with("0x") {
                error.help("a hexadecimal number has an even number of digits: `0x05`")
            } else if digits.starts_with('_') {
                error.help("underscores are allowed in hexadecimal and binary numbers only")
            } else {
                error.help("a name begins with a letter or an underscore")
            }
        }
        Rule::bad_string if closes(text) => {
            Diagnostic::error(span, "a string must not be followed by a letter, digit or quote at once")
                .help("put a blank behind the string")
        }
        Rule::bad_string => Diagnostic::error(span, "this string is not closed on its line")
            .help("end it with `\"`; write `\\n` for a line break and `\\\"` for a quote"),
        _ => {
            let c = text.chars().next().unwrap_or(' ');
            let error = Diagnostic::error(span, format!("`{}` has no meaning here", c.escape_debug()));
            match c {
                '%' => error.help("the remainder of integers is `rem[a, b]`"),
                '?' => error.help("a condition is written `c => a else b`"),
                '“' | '”' => error.help("strings stand between plain quotes: \"…\""),
                '\\' => error.help("a line break never needs an escape"),
                _ => error.help("delete it; names consist of letters, digits, `_` and `\"`"),
            }
        }
    }
}

/// Has the string `text` its second quote (so that what follows the quote is at fault)?
fn closes(text: &str) -> bool {
    let mut escaped = false;
    text.bytes().skip(1).any(|b| {
        let quote = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        quote
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Tok]) {
        let (tokens, diagnostics) = tokenize(FileId(0), text);
        assert_eq!(diagnostics, [], "{text}");
        let kinds: Vec<Tok> = tokens.iter().map(|t| t.tok).collect();
        assert_eq!(kinds, [expected, &[Tok::End]].concat(), "{text}");
    }

    fn check_error(text: &str, message: &str) {
        let (_, diagnostics) = tokenize(FileId(0), text);
        assert_eq!(diagnostics.len(), 1, "{text}: {diagnostics:?}");
        assert!(diagnostics[0].message.contains(message), "{text}: {}", diagnostics[0].message);
    }

    #[test]
    fn the_longest_sign_wins() {
        use Tok::*;
        check(
            "a->b <=> c =>d =< >= >>> >> > <: :> ::",
            &[
                Id,
                Arrow,
                Id,
                Iff,
                Id,
                Implies,
                Id,
                Lte,
                Gte,
                Shr,
                Sha,
                Gt,
                DomainRestrict,
                RangeRestrict,
                Dot,
            ],
        );
        check("++ + & && | ||", &[PlusPlus, Plus, Amp, And, Bar, Or]);
    }

    #[test]
    fn a_word_with_more_letters_is_a_name() {
        use Tok::*;
        check("sig signal all_ disj disjoint Int int integer", &[Sig, Id, Id, Disj, Disj, SigInt, Int, Id]);
    }

    #[test]
    fn names_may_hold_quotes_dollars_and_letters_of_any_script() {
        use Tok::*;
        check("A\" A$ sig$ Größe 変数 x1", &[Id, Id, Id, Id, Id, Id]);
        check("b'' b’", &[Id, Prime, Prime, Id, Prime]);
    }

    #[test]
    fn comments_of_three_kinds_vanish() {
        check("/***/ -- a\n// b\r\n/* /* */ x // no line break behind", &[Tok::Id]);
        check("", &[]);
    }

    #[test]
    fn numbers_are_decimal_hexadecimal_or_binary() {
        use Tok::*;
        check("0 12 0x0F 0b1_0 2..4", &[Number, Number, Number, Number, Number, Dot, Dot, Number]);
        check_error("0x5", "neither a number nor a name");
        check_error("1A", "neither a number nor a name");
    }

    #[test]
    fn strings_end_on_their_line() {
        check(r#""a // b" "\"\\""#, &[Tok::Str, Tok::Str]);
        check_error("\"open\nsig", "not closed");
        check_error("\"a\"b", "must not be followed");
        check_error("\"a\\", "not closed");
    }

    #[test]
    fn a_comment_may_be_longer_than_a_piece() {
        let text = format!("a /*{}*/ b", "line\n".repeat(PIECE));
        check(&text, &[Tok::Id, Tok::Id]);
        check_error(&text.replace("*/", ""), "never closed");
        check(&"a".repeat(3 * PIECE), &[Tok::Id]);
    }

    #[test]
    fn where_a_piece_ends_does_not_matter() {
        let (tokens, ends) = (["ab", "<=>", "ä", "0x0f", "\"s // t\"", "->", "12"], 3);
        let line = tokens.join(" // c\n/* d */");
        let kinds = |text: &str| {
            let (tokens, diagnostics) = tokenize(FileId(0), text);
            assert_eq!(diagnostics, []);
            tokens
                .into_iter()
                .map(|t| (t.tok, text[t.start as usize..t.end as usize].to_string()))
                .collect::<Vec<_>>()
        };
        let expected = kinds(&line);
        for shift in 0..line.len() + ends {
            let text = format!("{}{line}", " ".repeat(PIECE - shift));
            assert_eq!(kinds(&text), expected, "shifted by {shift}");
        }
    }

    #[test]
    fn nul_and_other_stray_characters_are_errors() {
        check_error("a \0 b", "no meaning");
        check_error("a % b", "no meaning");
    }
}
