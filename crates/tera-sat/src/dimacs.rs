//! The DIMACS format: `p cnf VARIABLES CLAUSES`, then clauses of one-based literals that end in 0.

use std::fmt::Write;

use crate::cnf::{Cnf, Var};

/// Why a text is not DIMACS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DimacsError {
    /// Counted from 1.
    pub line: usize,
    pub message: String,
}

/// The clauses as a DIMACS text.
pub fn write_dimacs(cnf: &Cnf) -> String {
    let mut text = format!("p cnf {} {}\n", cnf.n_vars(), cnf.n_clauses());
    for clause in cnf.clauses() {
        for lit in clause {
            let sign = if lit.is_pos() { "" } else { "-" };
            // Writing to a string cannot fail.
            let _ = write!(text, "{sign}{} ", lit.var().0 + 1);
        }
        text.push_str("0\n");
    }
    text
}

/// Reads a DIMACS text. Comment lines are skipped, a clause may span lines, a last clause may lack
/// its 0, and `%` ends the text, as in old benchmark files.
pub fn read_dimacs(text: &str) -> Result<Cnf, DimacsError> {
    let mut cnf: Option<(Cnf, usize)> = None;
    let mut clause = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let error = |message: String| DimacsError { line: i + 1, message };
        let line = line.trim();
        if line.is_empty() || line.starts_with('c') {
            continue;
        }
        if line.starts_with('%') {
            break;
        }
        if line.starts_with('p') {
            if cnf.is_some() {
                return Err(error("a second `p` line".into()));
            }
            let numbers: Vec<Option<usize>> =
                line.split_whitespace().skip(2).map(|w| w.parse().ok()).collect();
            match (line.split_whitespace().nth(1), &numbers[..]) {
                (Some("cnf"), &[Some(n_vars), Some(n_clauses)]) if n_vars <= MAX_VARS => {
                    cnf = Some((Cnf::new(n_vars), n_clauses));
                }
                _ => return Err(error("expected `p cnf VARIABLES CLAUSES`".into())),
            }
            continue;
        }
        let Some((cnf, _)) = &mut cnf else {
            return Err(error("a clause before the `p cnf` line".into()));
        };
        for word in line.split_whitespace() {
            match word.parse::<i64>() {
                Ok(0) => {
                    cnf.add(&clause);
                    clause.clear();
                }
                Ok(number) if number.unsigned_abs() as usize <= cnf.n_vars() => {
                    clause.push(Var(number.unsigned_abs() as u32 - 1).lit(number > 0));
                }
                Ok(number) => {
                    return Err(error(format!("{number} is beyond the {} variables", cnf.n_vars())));
                }
                Err(_) => return Err(error(format!("`{word}` is not a literal"))),
            }
        }
    }
    let last = text.lines().count();
    let Some((mut cnf, n_clauses)) = cnf else {
        return Err(DimacsError { line: last, message: "there is no `p cnf` line".into() });
    };
    if !clause.is_empty() {
        cnf.add(&clause);
    }
    if cnf.n_clauses() != n_clauses {
        let message = format!("{n_clauses} clauses were announced, {} are there", cnf.n_clauses());
        return Err(DimacsError { line: last, message });
    }
    Ok(cnf)
}

const MAX_VARS: usize = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn comments_and_clauses_over_several_lines_are_read() {
        let cnf = read_dimacs("c hello\np cnf 3 2\n1 -2\n 0 3\n-1 0\n%\n0\n").unwrap();
        let clauses: Vec<Vec<(u32, bool)>> =
            cnf.clauses().map(|c| c.iter().map(|l| (l.var().0, l.is_pos())).collect()).collect();
        assert_eq!(clauses, [vec![(0, true), (1, false)], vec![(2, true), (0, false)]]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let check = |text: &str, line, part: &str| {
            let error = read_dimacs(text).unwrap_err();
            assert_eq!(error.line, line, "{text}");
            assert!(error.message.contains(part), "{error:?}");
        };
        check("", 0, "no `p cnf`");
        check("1 2 0\n", 1, "before");
        check("p cnf 2\n", 1, "expected `p cnf");
        check("p cnf 2 1\n3 0\n", 2, "beyond the 2 variables");
        check("p cnf 2 1\n1 x 0\n", 2, "`x` is not a literal");
        check("p cnf 2 2\n1 0\n", 2, "2 clauses were announced, 1");
        check("p cnf 99999999999999 1\n1 0\n", 1, "expected");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(clauses in prop::collection::vec(prop::collection::vec((0u32..9, any::<bool>()), 0..5), 0..20)) {
            let mut cnf = Cnf::new(9);
            for clause in &clauses {
                let lits: Vec<_> = clause.iter().map(|&(v, sign)| Var(v).lit(sign)).collect();
                cnf.add(&lits);
            }
            let again = read_dimacs(&write_dimacs(&cnf)).unwrap();
            prop_assert_eq!(again.n_vars(), cnf.n_vars());
            prop_assert!(again.clauses().eq(cnf.clauses()));
        }
    }
}
