//! The way from a file to a problem, with every message shown on the way.

use std::cell::RefCell;
use std::path::Path;

use serde_json::json;
use sha2::{Digest, Sha256};
use tera_finder::FinderError;
use tera_model::{Loader, LowerOptions, Lowered, Spec, Target};
use tera_syntax::{Diagnostic, Severity, Sources, Span};

use crate::args::{Deny, SpecArgs};
use crate::console::{Out, say};
use crate::diagnostics::{Style, show};
use crate::disk::Disk;
use crate::exit::{Exit, Stop};

/// A specification that was read, and where to put messages.
pub struct Front {
    pub spec: Box<Spec>,
    pub style: Style,
    deny_warnings: bool,
    overflow: tera_rel::Overflow,
    /// Warnings that were shown.
    warned: RefCell<Vec<Diagnostic>>,
}

impl Front {
    pub fn load(out: &mut Out, args: &SpecArgs, style: Style) -> Result<Front, Stop> {
        let path = &args.file;
        // The root is looked at here too, so that its absence is said without a place in a text.
        if path != Path::new("-") && !path.exists() {
            return Err(no_text(out, style, path, "there is no such file"));
        }
        let disk = Root::read(path).map_err(|why| no_text(out, style, path, &why))?;
        let spec = tera_model::load(path, &args.include, &disk);
        match spec {
            Ok(spec) => {
                let front = Front {
                    style,
                    deny_warnings: args.deny == Some(Deny::Warnings),
                    overflow: args.overflow.into(),
                    spec,
                    warned: RefCell::default(),
                };
                front.warn(out, &front.spec.warnings)?;
                Ok(front)
            }
            Err(failure) => {
                show(out, style, &failure.sources, &failure.diagnostics)?;
                out.flush()?;
                Err(Stop::Exit(Exit::Mistake))
            }
        }
    }

    /// Shows warnings; under `--deny warnings` any of them ends the run.
    fn warn(&self, out: &mut Out, warnings: &[Diagnostic]) -> Result<(), Stop> {
        // Lowering several commands or scopes warns of the same each time.
        let mut seen = self.warned.borrow_mut();
        let warnings: Vec<Diagnostic> = warnings.iter().filter(|d| !seen.contains(d)).cloned().collect();
        seen.extend(warnings.iter().cloned());
        if !self.deny_warnings {
            return show(out, self.style, &self.spec.sources, &warnings);
        }
        let errors: Vec<Diagnostic> =
            warnings.into_iter().map(|d| Diagnostic { severity: Severity::Error, ..d }).collect();
        show(out, self.style, &self.spec.sources, &errors)?;
        out.flush()?;
        if errors.is_empty() { Ok(()) } else { Err(Stop::Exit(Exit::Mistake)) }
    }

    pub fn lower(&self, out: &mut Out, target: &Target, options: &LowerOptions) -> Result<Lowered, Stop> {
        match self.spec.lower(target, options) {
            Ok(lowered) => {
                self.warn(out, &lowered.warnings)?;
                Ok(lowered)
            }
            Err(failure) => {
                show(out, self.style, &failure.sources, &failure.diagnostics)?;
                out.flush()?;
                Err(Stop::Exit(Exit::Mistake))
            }
        }
    }

    /// Shows what the finder cannot do.
    pub fn finder_error(
        &self,
        out: &mut Out,
        lowered: &Lowered,
        place: Span,
        error: &FinderError,
    ) -> Result<(), Stop> {
        let diagnostic = finder_diagnostic(lowered, place, error);
        show(out, self.style, &self.spec.sources, &[diagnostic])?;
        out.flush()
    }

    pub fn overflow(&self) -> tera_rel::Overflow {
        self.overflow
    }

    /// A fingerprint of all texts of the specification, wherever they lie.
    pub fn spec_hash(&self) -> String {
        let mut hash = Sha256::new();
        for source in self.spec.sources.iter() {
            hash.update((source.text.len() as u64).to_le_bytes());
            hash.update(source.text.as_bytes());
        }
        hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
    }
}

fn finder_diagnostic(lowered: &Lowered, place: Span, error: &FinderError) -> Diagnostic {
    let at = |node: tera_rel::NodeId| lowered.span(node).unwrap_or(place);
    match error {
        FinderError::HigherOrder(node) => {
            Diagnostic::error(at(*node), "this quantifier ranges over sets and cannot be skolemized")
                .label("higher-order quantifier")
                .help("only an existential over sets that no universal quantifier encloses can be solved")
        }
        FinderError::TooWide(node) => Diagnostic::error(at(*node), "this integer may need more than 64 bits")
            .label("too wide")
            .help("choose a smaller scope, or `--overflow wrap` for the Analyzer's arithmetic"),
        FinderError::TooLarge(what) => Diagnostic::error(place, format!("the problem is too large: {what}"))
            .help("choose a smaller scope"),
        FinderError::Stopped => Diagnostic::error(place, "stopped before the search began"),
    }
}

/// The root's text, read before and handed over once; everything else comes from the disk.
struct Root<'a> {
    path: &'a Path,
    text: RefCell<Option<String>>,
}

impl Root<'_> {
    fn read(path: &Path) -> Result<Root<'_>, String> {
        let text = Disk.read(path)?.ok_or("there is no such file")?;
        if let Some(nul) = text.bytes().position(|b| b == 0) {
            let line = text[..nul].bytes().filter(|&b| b == b'\n').count() + 1;
            return Err(format!("it is not a text file: there is a NUL byte in line {line}"));
        }
        Ok(Root { path, text: RefCell::new(Some(text)) })
    }
}

impl Loader for Root<'_> {
    fn read(&self, path: &Path) -> Result<Option<String>, String> {
        let ready = if path == self.path { self.text.take() } else { None };
        ready.map_or_else(|| Disk.read(path), |text| Ok(Some(text)))
    }
}

/// The file cannot be read as text at all.
fn no_text(out: &mut Out, style: Style, path: &Path, why: &str) -> Stop {
    let message = format!("cannot read the specification {}: {why}", path.display());
    if style == Style::Json {
        let value = json!({
            "type": "diagnostic", "severity": "error", "file": path.display().to_string(),
            "line": 1, "column": 1, "message": message,
        });
        if let Err(stop) = out.json(&value).and_then(|()| out.flush()) {
            return stop;
        }
    } else {
        say(&format!("error: {message}"));
    }
    Stop::Exit(Exit::Mistake)
}

/// The path of a specification for people.
pub fn shown_path(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".into() } else { path.display().to_string() }
}

/// `file:line` of a span.
pub fn place(sources: &Sources, span: Span) -> String {
    let (line, _) = sources.line_column(span.file, span.start);
    format!("{}:{line}", sources.get(span.file).path)
}
