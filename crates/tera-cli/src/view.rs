//! `tera view`: saved instances in another form.

use std::path::PathBuf;

use clap::Args;
use tera_view::{
    GraphOptions, JsonWriter, Picture, Reader, Saved, TextWriter, XmlInfo, dot, schema_json, svg, xml,
};

use crate::console::Out;
use crate::deliver::Format;
use crate::diagnostics::{Style, unknown_name};
use crate::disk::read_text;
use crate::exit::{Exit, Stop};

#[derive(Args, Debug)]
pub struct ViewArgs {
    /// Saved instances: tera's JSON or the Analyzer's XML; `-` reads standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Do not draw this signature or field (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub hide: Vec<String>,
    /// Draw one graph per atom of this signature (may be repeated)
    #[arg(long, value_name = "SIG")]
    pub project: Vec<String>,
    /// Draw two instances side by side, with what the second has more and less marked
    #[arg(long)]
    pub compare: bool,
    /// Only the instance with this number
    #[arg(long, value_name = "N")]
    pub index: Option<u64>,
    /// One file per instance in DIR
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub output: Option<PathBuf>,
}

pub fn run(args: ViewArgs) -> Result<Exit, Stop> {
    let mut out = Out::new();
    if args.compare {
        compare(&mut out, &args)?;
        out.flush()?;
        return Ok(Exit::Expected);
    }
    let mut shown = 0;
    for path in &args.files {
        let text = read_saved_text(path)?;
        for saved in Reader::new(&text) {
            let saved = saved.map_err(|e| Stop::message(format!("{}: {e}", path.display())))?;
            let index = saved.index.unwrap_or(shown);
            if args.index.is_some_and(|wanted| wanted != index) {
                continue;
            }
            write(&mut out, &args, path, &saved, index)?;
            shown += 1;
        }
    }
    out.flush()?;
    if shown == 0 {
        return Err(Stop::message(match args.index {
            Some(index) => format!("there is no instance {index} in it"),
            None => "there is no instance in it".into(),
        }));
    }
    Ok(Exit::Expected)
}

/// Two states of the same objects in one picture.
fn compare(out: &mut Out, args: &ViewArgs) -> Result<(), Stop> {
    let mut states: Vec<Saved> = Vec::new();
    for path in &args.files {
        let text = read_saved_text(path)?;
        for saved in Reader::new(&text).take(3) {
            states.push(saved.map_err(|e| Stop::message(format!("{}: {e}", path.display())))?);
        }
    }
    let [before, after] = &states[..] else {
        return Err(Stop::message(format!("--compare wants two instances, not {}", states.len())));
    };
    let graph = GraphOptions { hide: args.hide.clone(), project: args.project.clone() };
    graph.check(&before.schema).map_err(|name| unknown_name(out, Style::Drawn, &name))?;
    let picture = Picture::before_after(&before.view(), &after.view(), &graph);
    match args.format {
        Format::Svg => out.text(&svg(&picture)),
        Format::Dot => out.text(&dot(&picture, "compare")),
        _ => Err(Stop::message("--compare draws: choose --format svg or --format dot")),
    }
}

/// The text of a file of instances.
pub fn read_saved_text(path: &std::path::Path) -> Result<String, Stop> {
    let name = path.display();
    let text = if path == std::path::Path::new("-") {
        read_text(std::io::stdin().lock())
    } else {
        let file =
            std::fs::File::open(path).map_err(|e| Stop::message(format!("cannot read {name}: {e}")))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            return Err(Stop::message(format!(
                "{name} is a directory; name the files in it, e.g. {name}/*.json"
            )));
        }
        read_text(file)
    };
    text.map_err(|why| Stop::message(format!("cannot read {name}: {why}")))
}

fn write(
    out: &mut Out,
    args: &ViewArgs,
    path: &std::path::Path,
    saved: &Saved,
    index: u64,
) -> Result<(), Stop> {
    let graph = GraphOptions { hide: args.hide.clone(), project: args.project.clone() };
    graph.check(&saved.schema).map_err(|name| unknown_name(out, Style::Drawn, &name))?;
    let view = saved.view();
    let document = match args.format {
        Format::Text => {
            let mut text = String::new();
            TextWriter::new(&saved.universe, &saved.schema).write(
                &mut text,
                &format!("{index:>3}"),
                &saved.instance,
            );
            text
        }
        Format::Json => {
            let schema = format!(",\"schema\":{}", schema_json(&saved.universe, &saved.schema));
            let mut writer = JsonWriter::new(&saved.universe, &saved.schema);
            String::from_utf8_lossy(writer.line(index, None, &schema, &saved.instance)).into_owned()
        }
        Format::Dot => dot(&Picture::new(&view, &graph), &format!("instance_{index}")),
        Format::Svg => svg(&Picture::new(&view, &graph)),
        Format::Xml => {
            let info = XmlInfo { command: "view".into(), file: path.display().to_string(), sources: vec![] };
            xml(&view, &info)
        }
    };
    let Some(directory) = &args.output else { return out.text(&document) };
    let stem = path.file_stem().map_or("instance".into(), |s| s.to_string_lossy().into_owned());
    // Files of one instance keep their name, streams are numbered.
    let name = if stem.parse() == Ok(index) { stem } else { format!("{stem}-{index}") };
    let file = directory.join(format!("{name}.{}", args.format.extension()));
    std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(&file, document))
        .map_err(|e| Stop::message(format!("cannot write {}: {e}", file.display())))
}
