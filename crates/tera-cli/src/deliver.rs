//! Hands instances to their reader: formats them, and writes them to standard output or, with
//! `-o DIR`, to one file each.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};
use tera_finder::Found;
use tera_model::Lowered;
use tera_rel::Instance;
use tera_view::{GraphOptions, JsonWriter, Picture, TextWriter, View, XmlInfo, dot, svg, xml};

use crate::console::Out;
use crate::exit::Stop;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Format {
    /// Chains and trees on one line, anything else as tables
    #[default]
    Text,
    /// JSON lines (crates/tera-view/JSON.md)
    Json,
    /// Graphviz, one digraph per instance
    Dot,
    /// Pictures
    Svg,
    /// The Alloy Analyzer's instance format
    Xml,
}

impl Format {
    pub fn extension(self) -> &'static str {
        match self {
            Format::Text => "txt",
            Format::Json => "json",
            Format::Dot => "dot",
            Format::Svg => "svg",
            Format::Xml => "xml",
        }
    }
}

/// What is written around the instances of one problem.
#[derive(Clone)]
pub struct Context {
    pub xml: XmlInfo,
    pub graph: GraphOptions,
    /// The command that the instances belong to, for JSON lines of `run`.
    pub command: Option<usize>,
}

/// Formats the instances of one problem.
pub struct Formatter<'a> {
    format: Format,
    lowered: &'a Lowered,
    context: Context,
    text: TextWriter<'a>,
    json: JsonWriter,
    knows_cells: bool,
    buffer: String,
}

impl<'a> Formatter<'a> {
    pub fn new(format: Format, lowered: &'a Lowered, context: Context) -> Formatter<'a> {
        let (universe, schema) = (&lowered.problem.universe, &lowered.schema);
        Formatter {
            format,
            lowered,
            context,
            text: TextWriter::new(universe, schema),
            json: JsonWriter::new(universe, schema),
            knows_cells: false,
            buffer: String::new(),
        }
    }

    /// The instance as it stands in a stream. `label` is for people, `extra` are further JSON keys.
    pub fn stream(&mut self, index: u64, label: &str, extra: &str, instance: &Instance) -> &[u8] {
        match self.format {
            Format::Json => self.json.line(index, self.context.command, extra, instance),
            Format::Text => {
                self.buffer.clear();
                self.text.write(&mut self.buffer, label, instance);
                self.buffer.as_bytes()
            }
            _ => {
                self.buffer = self.document(index, instance);
                self.buffer.as_bytes()
            }
        }
    }

    /// The JSON line of an instance just found, without decoding it.
    pub fn json_of_found(&mut self, found: &Found, extra: &str) -> &[u8] {
        if !std::mem::replace(&mut self.knows_cells, true) {
            let fresh = JsonWriter::new(&self.lowered.problem.universe, &self.lowered.schema);
            let cells = found.cells.iter().map(|c| (c.rel, c.tuple as usize));
            self.json = fresh.with_cells(found.lowers, cells);
        }
        self.json.line_of_bits(found.index, self.context.command, extra, found.bits)
    }

    /// The instance as a file of its own.
    fn file(&mut self, index: u64, extra: &str, instance: &Instance, schema: &str) -> Vec<u8> {
        match self.format {
            Format::Json => {
                let extra = format!("{extra},\"schema\":{schema}");
                self.json.line(index, self.context.command, &extra, instance).to_vec()
            }
            Format::Text => {
                self.buffer.clear();
                self.text.write(&mut self.buffer, "", instance);
                let lines: Vec<&str> =
                    self.buffer.lines().map(|l| l.strip_prefix("  ").unwrap_or(l)).collect();
                (lines.join("\n") + "\n").into_bytes()
            }
            _ => self.document(index, instance).into_bytes(),
        }
    }

    fn document(&self, index: u64, instance: &Instance) -> String {
        let view = View { universe: &self.lowered.problem.universe, schema: &self.lowered.schema, instance };
        match self.format {
            Format::Dot => dot(&Picture::new(&view, &self.context.graph), &format!("instance_{index}")),
            Format::Svg => svg(&Picture::new(&view, &self.context.graph)),
            _ => xml(&view, &self.context.xml),
        }
    }
}

/// A directory of results. A file appears under its name only when it is whole, so after a crash
/// the missing names are exactly the rest.
pub struct Directory {
    path: PathBuf,
    extension: &'static str,
    digits: usize,
    schema: String,
    resume: bool,
    /// Instances that an earlier run had written.
    pub kept: u64,
}

const HEADER: &str = "header.json";
/// The key of the header that says how the files are called.
const FILES: &str = "files";
const SUMMARY: &str = "summary.json";

impl Directory {
    /// The directory that an earlier run left, if there is one. The width of the names stays, whatever
    /// the limit of this run: each instance has one name.
    pub fn resumed(
        path: &Path,
        format: Format,
        header: &Value,
        resume: bool,
    ) -> Result<Option<Directory>, Stop> {
        let shown = path.display();
        let text = match std::fs::read_to_string(path.join(HEADER)) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(Stop::message(format!("cannot read {shown}/{HEADER}: {error}"))),
        };
        if !resume {
            return Err(Stop::message(format!(
                "{shown} holds the results of an earlier run: `--resume` adds what is missing, or remove it \
                 (rm -r {shown})"
            )));
        }
        let damaged =
            |why: &str| Stop::message(format!("{shown}/{HEADER} is damaged ({why}); remove the directory"));
        let mut old: Value = serde_json::from_str(&text).map_err(|e| damaged(&e.to_string()))?;
        let files = old.as_object_mut().and_then(|map| map.shift_remove(FILES)).unwrap_or_default();
        let digits = files["digits"].as_u64().filter(|digits| (1..=20).contains(digits));
        let digits = digits.ok_or_else(|| damaged("it does not say how the files are called"))?;
        let cannot = |why: &str| Stop::message(format!("cannot resume in {shown}: {why}"));
        crate::header::same_run(&old, header).map_err(|why| cannot(&why))?;
        if old.get("shard") != header.get("shard") {
            return Err(cannot("it holds another shard"));
        }
        if files["format"] != format.extension() {
            return Err(cannot(&format!("its files are {}", files["format"])));
        }
        Ok(Some(Directory::new(path, format, header, digits as usize, true)))
    }

    /// A directory begun now. `last` is the highest number to be written.
    pub fn begun(path: &Path, format: Format, header: &Value, last: u64) -> Result<Directory, Stop> {
        std::fs::create_dir_all(path)
            .map_err(|e| Stop::message(format!("cannot make the directory {}: {e}", path.display())))?;
        let directory = Directory::new(path, format, header, last.to_string().len(), false);
        let mut header = header.clone();
        header[FILES] = json!({ "format": directory.extension, "digits": directory.digits });
        directory.write(HEADER, format!("{header}\n").as_bytes())?;
        Ok(directory)
    }

    fn new(path: &Path, format: Format, header: &Value, digits: usize, resume: bool) -> Directory {
        Directory {
            path: path.to_path_buf(),
            extension: format.extension(),
            digits,
            schema: header["schema"].to_string(),
            resume,
            kept: 0,
        }
    }

    fn file_name(&self, index: u64) -> String {
        format!("{index:0width$}.{}", self.extension, width = self.digits)
    }

    /// Writes one instance unless it is there already.
    pub fn instance(
        &mut self,
        index: u64,
        extra: &str,
        formatter: &mut Formatter,
        instance: &Instance,
    ) -> Result<(), Stop> {
        let name = self.file_name(index);
        if self.resume && self.path.join(&name).exists() {
            self.kept += 1;
            return Ok(());
        }
        let bytes = formatter.file(index, extra, instance, &self.schema);
        self.write(&name, &bytes)
    }

    pub fn summary(&self, summary: &Value) -> Result<(), Stop> {
        self.write(SUMMARY, format!("{summary}\n").as_bytes())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Stop> {
        let (part, whole) = (self.path.join(format!(".{name}.part")), self.path.join(name));
        std::fs::write(&part, bytes)
            .and_then(|()| std::fs::rename(&part, &whole))
            .map_err(|e| Stop::message(format!("cannot write {}: {e}", whole.display())))
    }
}

/// Writes to standard output or a directory.
pub enum Target {
    Stream,
    Directory(Directory),
}

impl Target {
    pub fn deliver(
        &mut self,
        out: &mut Out,
        formatter: &mut Formatter,
        index: u64,
        label: &str,
        extra: &str,
        instance: &Instance,
    ) -> Result<(), Stop> {
        match self {
            Target::Stream => out.bytes(formatter.stream(index, label, extra, instance)),
            Target::Directory(directory) => directory.instance(index, extra, formatter, instance),
        }
    }
}
