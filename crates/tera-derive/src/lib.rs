//! The derives for the mapping and for the search, and the attributes that make contracts tests.

mod attribute;

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
