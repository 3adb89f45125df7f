//! The derives for the mapping and for the search, and the attributes that make contracts tests.
//!
//! One file per macro; this file only declares them, as the compiler demands.

mod attribute;
mod explore;
mod explore_attribute;
mod heap;
mod replay;

use proc_macro::TokenStream;

/// Makes a free function with arguments a test that supplies them all: every input that satisfies
/// the precondition, up to the scope.
///
/// ```ignore
/// #[testera::check("list.als", requires = "acyclic[list]",
///                  ensures = "sorted[list] and permutation[list]", scope = 5)]
/// fn merge_sort(list: &mut List) {
///     list.merge_sort();
/// }
/// ```
#[proc_macro_attribute]
pub fn check(settings: TokenStream, item: TokenStream) -> TokenStream {
    let settings = syn::parse_macro_input!(settings as attribute::Settings);
    let function = syn::parse_macro_input!(item as syn::ItemFn);
    attribute::expand(settings, function).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Runs a contract on values that are there: the function under `#[testera::check]`, with its arguments.
/// Panics with a report if the contract does not hold. A counterexample is emitted as a test that builds
/// the input and says this.
///
/// ```ignore
/// let mut list = List { header: None };
/// testera::replay!(merge_sort(&mut list));
/// ```
#[proc_macro]
pub fn replay(call: TokenStream) -> TokenStream {
    replay::expand(syn::parse_macro_input!(call as replay::Replay)).into()
}

/// Maps a struct or enum to a signature of a specification, both ways.
///
/// On the type:
/// - `#[heap(sig = "Name")]`: the signature, where it is not called like the type
/// - `#[heap(transparent)]`: a newtype that the specification does not know; the value is its
///   one field that is not skipped (tuple structs with one field are transparent unless `#[heap(object)]`)
/// - `#[heap(bound = "T: OneTuple")]`: replaces the bounds put on type parameters
/// - `#[heap(crate = path)]`: where the traits are, `::testera::heap` unless said otherwise
///
/// On a variant: `#[heap(sig = "Name")]`.
///
/// On a field:
/// - `#[heap(name = "field")]`: its name in the specification
/// - `#[heap(skip)]`, `#[heap(skip = expression)]`: the specification does not know it; it is
///   filled with `Default::default()` or the expression
/// - `#[heap(arena)]`: a `Vec` whose elements are named by their positions
/// - `#[heap(index = Node)]`: integers that are such positions; to the specification they are pointers. With it
///   stand `null = u32::MAX`, the number that names nothing, or `end`, the one behind the last; and `first = 1`, the
///   number of the first element
#[proc_macro_derive(Heap, attributes(heap))]
pub fn derive_heap(input: TokenStream) -> TokenStream {
    heap::derive(input.into()).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes a type searchable: which objects and values its candidates are made of, and a view `NameRef`
/// whose accessors read candidates and real values alike.
///
/// On the type: `#[candidate(crate = path)]` says where the traits are, `::testera::explore` if it does
/// not. On a field: `#[candidate(skip)]` leaves it out; it is filled with `Default::default()`.
#[proc_macro_derive(Candidate, attributes(candidate))]
pub fn derive_candidate(input: TokenStream) -> TokenStream {
    explore::derive(input.into()).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes a function of `&mut Choices` a test that makes every run of it.
///
/// ```ignore
/// #[testera::explore(max_depth = 20)]
/// fn undo_redo(c: &mut testera::Choices) {
///     let mut document = Document::new();
///     for _ in 0..c.int(0..=4) {
///         if c.bool() { document.insert(c.pick(&['a', 'b'])) } else { document.undo() }
///     }
///     assert_eq!(document.replayed_from_log(), document.text());
/// }
/// ```
///
/// Settings: `depth_first`, `breadth_first`, `iterative_deepening`, `random = seed`, `max_depth = n`,
/// `max_runs = n`, `timeout = duration`.
#[proc_macro_attribute]
pub fn explore(settings: TokenStream, item: TokenStream) -> TokenStream {
    let settings = syn::parse_macro_input!(settings as explore_attribute::Settings);
    let function = syn::parse_macro_input!(item as syn::ItemFn);
    explore_attribute::explore(settings, function).unwrap_or_else(syn::Error::into_compile_error).into()
}
