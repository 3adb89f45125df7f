//! The kinds of tokens: one table for the words and signs of Alloy 6.

macro_rules! tokens {
    (words { $($word:ident = $text:literal,)* } signs { $($sign:ident = $stext:literal,)* }) => {
        /// What a token is.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Tok {
            /// A name that is not a reserved word.
            Id,
            Number,
            Str,
            /// The end of the text; the last token of every list.
            End,
            $($word,)*
            $($sign,)*
        }

        impl Tok {
            /// The reserved word `text`, or [`Tok::Id`].
            pub fn of_word(text: &str) -> Tok {
                match text {
                    $($text => Tok::$word,)*
                    "disjoint" => Tok::Disj,
                    "partition" => Tok::Part,
                    "exhaustive" => Tok::Exh,
                    _ => Tok::Id,
                }
            }

            /// The sign spelt `text`; the lexer knows no others.
            pub fn of_sign(text: &str) -> Option<Tok> {
                Some(match text {
                    $($stext => Tok::$sign,)*
                    "&&" => Tok::And,
                    "||" => Tok::Or,
                    "::" => Tok::Dot,
                    "=<" => Tok::Lte,
                    "=>" => Tok::Implies,
                    "<=>" => Tok::Iff,
                    "!" => Tok::Not,
                    "‘" | "’" => Tok::Prime,
                    _ => return None,
                })
            }

            /// The token as messages call it.
            pub fn text(self) -> &'static str {
                match self {
                    Tok::Id => "a name",
                    Tok::Number => "a number",
                    Tok::Str => "a string",
                    Tok::End => "the end of the text",
                    $(Tok::$word => concat!("`", $text, "`"),)*
                    $(Tok::$sign => concat!("`", $stext, "`"),)*
                }
            }

            /// Is this one of the reserved words?
            pub fn is_word(self) -> bool {
                matches!(self, $(Tok::$word)|*)
            }
        }
    };
}

tokens! {
    words {
        Abstract = "abstract", After = "after", All = "all", Always = "always", And = "and", As = "as",
        Assert = "assert", Before = "before", But = "but", Check = "check", Disj = "disj", Else = "else",
        Enum = "enum", Eventually = "eventually", Exactly = "exactly", Exh = "exh", Expect = "expect",
        Extends = "extends", Fact = "fact", For = "for", Fun = "fun", Historically = "historically",
        Iden = "iden", Iff = "iff", Implies = "implies", In = "in", SigInt = "Int", Int = "int", Let = "let",
        Lone = "lone", Module = "module", No = "no", None = "none", Not = "not", Once = "once", One = "one",
        Open = "open", Or = "or", Part = "part", Pred = "pred", Private = "private", Releases = "releases",
        Run = "run", Seq = "seq", Set = "set", Sig = "sig", Since = "since", Some = "some", Steps = "steps",
        String = "String", Sum = "sum", This = "this", Triggered = "triggered", Univ = "univ",
        Until = "until", Var = "var",
    }
    signs {
        Hash = "#", Amp = "&", LParen = "(", RParen = ")", Star = "*", PlusPlus = "++", Plus = "+",
        Comma = ",", Arrow = "->", Minus = "-", Dot = ".", Slash = "/", RangeRestrict = ":>", Colon = ":",
        Lte = "<=", DomainRestrict = "<:", Shl = "<<", Lt = "<", Eq = "=", Shr = ">>>", Sha = ">>",
        Gte = ">=", Gt = ">", At = "@", LBracket = "[", RBracket = "]", Caret = "^", LBrace = "{",
        Bar = "|", RBrace = "}", Tilde = "~", Semicolon = ";", Prime = "'", BackTick = "`",
    }
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub tok: Tok,
    pub start: u32,
    pub end: u32,
}
