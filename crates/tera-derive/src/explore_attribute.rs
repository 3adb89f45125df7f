//! `#[testera::explore]`, and `#[testera::check(requires = path)]` without a specification: tests whose
//! inputs come from a Rust program, a program with choices or a predicate.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, Ident, ItemFn, Result, Token};

use crate::attribute::{Argument, Passing, contract, is_for_all, runner, step};

const OF_SEARCH: &[&str] =
    &["depth_first", "breadth_first", "iterative_deepening", "random", "max_depth", "max_runs", "timeout"];
const OF_CONTRACT: &[&str] = &["keep_going", "time", "memory", "name"];

/// `max_runs = 1000, breadth_first`: calls on the builder, by name.
pub struct Settings(Vec<(Ident, Option<Expr>)>);

impl Parse for Settings {
    fn parse(input: ParseStream<'_>) -> Result<Settings> {
        let mut settings = Vec::new();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            if !OF_SEARCH.iter().chain(OF_CONTRACT).any(|known| key == known) {
                return Err(Error::new(
                    key.span(),
                    format!(
                        "an exploration has no setting `{key}`: there are {}, {}",
                        OF_SEARCH.join(", "),
                        OF_CONTRACT.join(", ")
                    ),
                ));
            }
            let value =
                if input.parse::<Option<Token![=]>>()?.is_some() { Some(input.parse()?) } else { None };
            settings.push((key, value));
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Settings(settings))
    }
}

/// A function of `&mut Choices` becomes a test of all its runs.
pub fn explore(settings: Settings, function: ItemFn) -> Result<TokenStream> {
    let name = &function.sig.ident;
    if function.sig.inputs.len() != 1 {
        return Err(Error::new(
            name.span(),
            "a program with choices has one argument, `c: &mut testera::Choices`; for inputs by a predicate use `#[testera::check(requires = ...)]`",
        ));
    }
    let (of_contract, of_search): (Vec<_>, Vec<_>) =
        settings.0.iter().partition(|(key, _)| OF_CONTRACT.iter().any(|name| key == name));
    let steps = of_search.iter().map(|(key, value)| match value {
        Some(value) => quote!(.#key(#value)),
        None => quote!(.#key()),
    });
    let limits =
        of_contract.iter().map(|(key, value)| step(key, value.as_ref())).collect::<Result<Vec<_>>>()?;
    let contract = contract(&function, "");
    let run = quote! {
        ::testera::run_explored(
            #contract #(#limits)*,
            &::testera::explored::Program::new(#name, |__explore| __explore #(#steps)*),
            __given.path(),
        );
    };
    Ok(test(&function, quote!(::core::convert::Infallible), run))
}

/// A test that runs what the function stands in, and the function that it shares with replays.
fn test(function: &ItemFn, given: TokenStream, run: TokenStream) -> TokenStream {
    let name = &function.sig.ident;
    let (shared, own): (Vec<_>, Vec<_>) = function.attrs.iter().partition(|a| is_for_all(a));
    let runner = runner(name);
    let mut subject = function.clone();
    subject.attrs.clear();
    subject.vis = syn::Visibility::Inherited;
    quote! {
        #[test]
        #(#shared)*
        #(#own)*
        fn #name() {
            #runner(::testera::Given::Nothing);
        }

        #(#shared)*
        #[doc(hidden)]
        #[allow(non_snake_case, unused_mut, unused_variables, clippy::ptr_arg, clippy::type_complexity)]
        fn #runner(__given: ::testera::Given<'_, #given>) {
            #subject
            #run
        }
    }
}

/// A function whose first argument satisfies a predicate, and that asserts by itself, becomes a test of all
/// inputs.
pub fn check(
    requires: &Expr,
    function: &ItemFn,
    arguments: &[Argument],
    steps: &[TokenStream],
) -> TokenStream {
    let name = &function.sig.ident;
    let locals: Vec<_> = (0..arguments.len()).map(|i| quote::format_ident!("__a{i}")).collect();
    let passed = arguments.iter().zip(&locals).map(|(argument, local)| match argument.passing {
        Passing::Value => quote!(#local),
        Passing::Shared => quote!(&#local),
        Passing::Mutable => quote!(&mut #local),
    });
    let given = arguments.iter().map(Argument::given);
    let owned = arguments.iter().map(|a| &a.owned);
    let names = arguments.iter().map(|a| &a.name);
    let passings = arguments.iter().map(Argument::passing);
    let contract = contract(function, "");
    let source = predicate(requires, arguments, quote!(__body));
    let run = quote! {
        type __Args = (#(#owned,)*);
        if let ::testera::Given::Values((#(#locals,)*)) = __given {
            let _ = #name(#(#locals),*);
            return;
        }
        static SIGNATURE: ::testera::explored::Signature = ::testera::explored::Signature {
            names: &[#(#names),*],
            passing: &[#(#passings),*],
        };
        let __body = {
            use ::testera::explored::{ViaHeap as _, ViaNothing as _};
            let __show = (&::testera::explored::Probe::<__Args>(::core::marker::PhantomData)).show();
            ::testera::explored::Plain::<__Args>::new(
                |(#(mut #locals,)*)| {
                    let _ = #name(#(#passed),*);
                },
                &SIGNATURE,
                __show,
            )
        };
        ::testera::run_explored(#contract #(#steps)*, &#source, __given.path());
    };
    test(function, quote!((#(#given,)*)), run)
}

/// The source of arguments by a predicate of the first.
pub fn predicate(requires: &Expr, arguments: &[Argument], body: TokenStream) -> TokenStream {
    let owned: Vec<_> = arguments.iter().map(|a| &a.owned).collect();
    let Some((first, rest)) = owned.split_first() else { return TokenStream::new() };
    let locals: Vec<_> = (0..rest.len()).map(|i| quote::format_ident!("__r{i}")).collect();
    quote! {
        ::testera::explored::predicate::<#first, (#(#rest,)*), (#(#owned,)*)>(
            |__view| #requires(__view),
            |__first, (#(#locals,)*)| (__first, #(#locals,)*),
            #body,
        )
    }
}
