//! A contract: what it is about, which formulas, in which scope, with which limits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tera_heap::{Abstraction, Abstractor};

use crate::guard::Limits;
use crate::replay::Call;
use crate::report::Report;
use crate::subject::{Arguments, Closure, Subject};

/// What a contract says. Built by `#[testera::check(…)]`, or by hand.
///
/// ```ignore
/// let report = Contract::new("remove")
///     .spec("tree.als")
///     .requires("redBlack[tree]")
///     .ensures("redBlack[tree] and removed[tree, key]")
///     .scope("5, exactly 5 Node, 0..4 Int")
///     .arguments(&["tree", "key"])
///     .check(|(tree, key): &mut (Tree, i32)| tree.remove(*key));
/// ```
#[derive(Clone, Debug)]
pub struct Contract {
    /// What reports and folders call it: `list::tests::merge_sort`.
    pub name: String,
    /// The test in libtest's words, to run it again as a worker; `None` in a program of its own.
    pub test: Option<String>,
    /// A path, or the text of a specification.
    pub(crate) spec: String,
    pub(crate) requires: String,
    pub(crate) ensures: String,
    pub(crate) invariant: String,
    /// A panic is expected exactly of inputs that satisfy this.
    pub(crate) panics_when: Option<String>,
    pub(crate) scope: Option<String>,
    /// What formulas call the result.
    pub(crate) result: String,
    pub(crate) names: Vec<String>,
    pub(crate) keep_going: bool,
    pub(crate) allow_leaks: bool,
    pub(crate) limits: Limits,
    /// The function that the attribute stands on, and its statements, for the reproducer.
    pub(crate) function: Option<String>,
    pub(crate) body: String,
    /// Where paths of specifications start.
    pub(crate) bases: Vec<PathBuf>,
    /// `src/list.rs:40`
    pub(crate) place: String,
}

impl Contract {
    /// A contract of this name, to be called in a test or in a program's `main`.
    pub fn new(name: impl Into<String>) -> Contract {
        let thread = std::thread::current();
        Contract {
            name: name.into(),
            test: thread.name().filter(|&name| name != "main").map(str::to_owned),
            spec: String::new(),
            requires: String::new(),
            ensures: String::new(),
            invariant: String::new(),
            panics_when: None,
            scope: None,
            result: "result".into(),
            names: Vec::new(),
            keep_going: false,
            allow_leaks: false,
            limits: Limits::default(),
            function: None,
            body: String::new(),
            bases: std::env::current_dir().into_iter().collect(),
            place: String::new(),
        }
    }

    /// A contract from the mark that the attribute leaves in the binary.
    pub fn marked(mark: &str, manifest_dir: &str) -> Contract {
        let mark = crate::mark::Mark::parse(mark).expect("the attribute's mark");
        let mut contract = Contract::new(mark.path.clone());
        contract.test = Some(mark.test().to_owned());
        contract.function = mark.path.rsplit("::").next().map(str::to_owned);
        contract.place = format!("{}:{}", mark.file, mark.line);
        contract.bases = Contract::bases_of(Path::new(manifest_dir), Path::new(&mark.file));
        contract
    }

    /// The folder of the source file, and that of the manifest. The compiler names source files
    /// from the root of the workspace, which is some folder above the manifest.
    fn bases_of(manifest_dir: &Path, file: &Path) -> Vec<PathBuf> {
        // A binary that was moved to another machine finds its package where cargo says.
        let moved = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let manifest_dir = moved.as_deref().unwrap_or(manifest_dir);
        let source = manifest_dir.ancestors().map(|dir| dir.join(file)).find(|path| path.is_file());
        let beside = source.as_deref().and_then(Path::parent).map(Path::to_path_buf);
        beside.into_iter().chain([manifest_dir.to_path_buf()]).collect()
    }

    /// Where paths of specifications start, besides the current directory.
    pub fn beside(mut self, file: &str, manifest_dir: &str) -> Contract {
        self.bases = Contract::bases_of(Path::new(manifest_dir), Path::new(file));
        self
    }

    /// The specification: the path of an .als file, or its text.
    pub fn spec(mut self, spec: impl Into<String>) -> Contract {
        self.spec = spec.into();
        self
    }

    /// The precondition. Together with the facts it says what the inputs are.
    pub fn requires(mut self, formula: impl Into<String>) -> Contract {
        self.requires = formula.into();
        self
    }

    /// The postcondition.
    pub fn ensures(mut self, formula: impl Into<String>) -> Contract {
        self.ensures = formula.into();
        self
    }

    /// Holds before and after.
    pub fn invariant(mut self, formula: impl Into<String>) -> Contract {
        self.invariant = formula.into();
        self
    }

    /// Inputs that satisfy this must make the subject panic, all others must not. A formula over
    /// the pre-state.
    pub fn panics_when(mut self, formula: impl Into<String>) -> Contract {
        self.panics_when = Some(formula.into());
        self
    }

    /// The scope, in the grammar of commands after `for`: `5`, `3, exactly 4 Node, -2..2 Int`.
    pub fn scope(mut self, scope: impl Into<String>) -> Contract {
        self.scope = Some(scope.into());
        self
    }

    /// The name of the result in formulas; `result` if not said.
    pub fn result(mut self, name: impl Into<String>) -> Contract {
        self.result = name.into();
        self
    }

    /// The names of the arguments, for [`Contract::check`].
    pub fn arguments(mut self, names: &[&str]) -> Contract {
        self.names = names.iter().map(|&name| name.to_owned()).collect();
        self
    }

    /// Collects all counterexamples and groups them, instead of ending with the smallest.
    pub fn keep_going(mut self) -> Contract {
        self.keep_going = true;
        self
    }

    /// Blocks that nobody frees are no fault.
    pub fn allow_leaks(mut self) -> Contract {
        self.allow_leaks = true;
        self
    }

    /// Processor time of one input, in seconds.
    pub fn time(mut self, seconds: f64) -> Contract {
        self.limits.time = Duration::from_secs_f64(seconds.max(0.001));
        self
    }

    /// Bytes that one input may allocate.
    pub fn memory(mut self, bytes: u64) -> Contract {
        self.limits.memory = bytes;
        self
    }

    /// Under another name.
    pub fn name(mut self, name: impl Into<String>) -> Contract {
        self.name = name.into();
        self
    }

    /// The statements of the subject, for the reproducer.
    pub fn body(mut self, text: impl Into<String>) -> Contract {
        self.body = text.into();
        self
    }

    /// Checks the contract on `subject`.
    ///
    /// In a process that was started as the worker of this very contract it does not return; in
    /// a worker of another contract of the same program it gives the report that the parent has.
    pub fn check_subject<S: Subject>(self, subject: &S) -> Report {
        crate::run(self, subject)
    }

    /// Checks the contract on a function of a tuple of arguments, whose names were given by
    /// [`Contract::arguments`].
    ///
    /// In a process that was started as the worker of this very contract it does not return.
    pub fn check<A: Arguments, R: Abstraction>(self, f: impl Fn(&mut A) -> R + Send + Sync) -> Report {
        self.check_subject(&Closure::new(f))
    }

    /// Judges one call of `f` on these arguments: what [`Contract::check`] does with each input, in this
    /// process.
    pub fn replay<A: Arguments, R: Abstraction>(
        self,
        args: &mut A,
        f: impl Fn(&mut A) -> R + Send + Sync,
    ) -> Report {
        fn replay<S: Subject>(contract: Contract, args: *mut S::Args, subject: &S) -> Report {
            // Safety: the arguments are borrowed for the whole of it.
            let read = |a: &mut Abstractor<'_>| unsafe { S::Args::read(args, a, |_| true) };
            match Call::before::<S>(contract, read) {
                Err(report) => *report,
                Ok(call) => {
                    // Safety: as above; a closure takes no argument by value.
                    let output = call.run(|| unsafe { subject.call(args) });
                    call.after::<S>(output.as_ref(), read)
                }
            }
        }
        replay(self, args, &Closure::new(f))
    }
}
