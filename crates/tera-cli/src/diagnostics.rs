//! Shows diagnostics: drawn on standard error, or as JSON lines among the results.

use serde_json::json;
use tera_syntax::{Diagnostic, Severity, Sources, Span, report};

use crate::console::{Out, say, stderr_colour};
use crate::exit::{Exit, Stop};

/// Where messages go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// For people, on standard error.
    Drawn,
    /// JSON lines on standard output.
    Json,
}

/// More messages than anybody reads.
const MOST: usize = 50;

/// Shows `diagnostics` in the order of the text, errors and warnings alike.
pub fn show(out: &mut Out, style: Style, sources: &Sources, diagnostics: &[Diagnostic]) -> Result<(), Stop> {
    match style {
        Style::Json => {
            for diagnostic in diagnostics {
                let (line, column) = sources.line_column(diagnostic.span.file, diagnostic.span.start);
                let mut value = json!({
                    "type": "diagnostic",
                    "severity": severity(diagnostic.severity),
                    "file": sources.get(diagnostic.span.file).path,
                    "line": line,
                    "column": column,
                    "message": diagnostic.message,
                });
                if !diagnostic.label.is_empty() {
                    value["label"] = diagnostic.label.clone().into();
                }
                if let Some(help) = &diagnostic.help {
                    value["help"] = help.clone().into();
                }
                if !diagnostic.related.is_empty() {
                    let place = |(span, text): &(Span, String)| {
                        let (line, column) = sources.line_column(span.file, span.start);
                        let file = &sources.get(span.file).path;
                        json!({ "file": file, "line": line, "column": column, "message": text })
                    };
                    value["related"] = diagnostic.related.iter().map(place).collect();
                }
                out.json(&value)?;
            }
        }
        Style::Drawn => {
            // Results that were printed before must not come after.
            out.flush()?;
            let shown = &diagnostics[..diagnostics.len().min(MOST)];
            for diagnostic in shown {
                if speaks_of_a_place(diagnostic) {
                    let text = report::render(std::slice::from_ref(diagnostic), sources, stderr_colour());
                    say(text.trim_end());
                } else {
                    let help = diagnostic.help.as_ref().map_or(String::new(), |h| format!("\n  {h}"));
                    say(&format!("{}: {}{help}", severity(diagnostic.severity), diagnostic.message));
                }
            }
            if diagnostics.len() > MOST {
                say(&format!("… and {} more", diagnostics.len() - MOST));
            }
        }
    }
    Ok(())
}

/// An option whose whole value is a mistake: shown as text is, with a caret, and the end of the run.
pub fn wrong_option(
    out: &mut Out,
    style: Style,
    option: &str,
    value: &str,
    message: &str,
    help: &str,
) -> Stop {
    let mut sources = Sources::default();
    let file = sources.add(option, value);
    let span = Span { file, start: 0, end: value.len() as u32 };
    let mut diagnostic = Diagnostic::error(span, message);
    if !help.is_empty() {
        diagnostic = diagnostic.help(help);
    }
    let shown = show(out, style, &sources, &[diagnostic]).and_then(|()| out.flush());
    shown.err().unwrap_or(Stop::Exit(Exit::Mistake))
}

/// A name behind `--hide` or `--project` that nothing has.
pub fn unknown_name(out: &mut Out, style: Style, unknown: &tera_view::UnknownName) -> Stop {
    wrong_option(out, style, unknown.option, &unknown.name, &unknown.message, &unknown.help)
}

/// What is wrong with an option points at the empty beginning of the file.
fn speaks_of_a_place(diagnostic: &Diagnostic) -> bool {
    diagnostic.span.end > 0
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
