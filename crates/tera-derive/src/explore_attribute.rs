//! `#[testera::explore]`, and `#[testera::check(requires = path)]` without a specification: tests whose
//! inputs come from a Rust program, a program with choices or a predicate.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, FnArg, Ident, ItemFn, Result, Token, Type};

/// `max_runs = 1000, breadth_first`: calls on the builder, by name.
pub struct Settings(Vec<(Ident, Option<Expr>)>);

impl Parse for Settings {
    fn parse(input: ParseStream<'_>) -> Result<Settings> {
        let mut settings = Vec::new();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            let known = [
                "depth_first",
                "breadth_first",
                "iterative_deepening",
                "random",
                "max_depth",
                "max_runs",
                "timeout",
            ];
            if !known.iter().any(|known| key == known) {
                return Err(Error::new(
                    key.span(),
                    format!("an exploration has no setting `{key}`: there are {}", known.join(", ")),
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
    let attributes = &function.attrs;
    let mut program = function.clone();
    program.attrs.clear();
    let text = name.to_string();
    let steps = settings.0.iter().map(|(key, value)| match value {
        Some(value) => quote!(.#key(#value)),
        None => quote!(.#key()),
    });
    Ok(quote! {
        #[test]
        #(#attributes)*
        fn #name() {
            #program
            ::testera::explore::door::explore(#text, #name, |explore| explore #(#steps)*);
        }
    })
}

/// A function whose first argument satisfies a predicate becomes a test of all inputs.
pub fn check(requires: &Expr, scope: &Expr, function: &ItemFn) -> Result<TokenStream> {
    let name = &function.sig.ident;
    let mut arguments = function.sig.inputs.iter().map(|argument| match argument {
        FnArg::Typed(typed) => match &*typed.ty {
            Type::Reference(reference) => {
                let by = if reference.mutability.is_some() { quote!(&mut) } else { quote!(&) };
                Ok((by, (*reference.elem).clone()))
            }
            other => Ok((quote!(), other.clone())),
        },
        FnArg::Receiver(receiver) => Err(Error::new(
            receiver.self_token.span,
            "a test cannot have a receiver: write a free function whose argument is the value",
        )),
    });
    let Some(first) = arguments.next() else {
        return Err(Error::new(name.span(), "the predicate speaks of the first argument, and there is none"));
    };
    let (by, first) = first?;
    if by.is_empty() {
        return Err(Error::new(
            name.span(),
            "the argument that the predicate speaks of is passed as a reference, `&` or `&mut`",
        ));
    }
    let rest = arguments.collect::<Result<Vec<_>>>()?;
    let passed = rest.iter().enumerate().map(|(at, (by, _))| {
        let at = syn::Index::from(at);
        quote!(#by rest.#at)
    });
    let rest: Vec<_> = rest.iter().map(|(_, ty)| ty).collect();
    let attributes = &function.attrs;
    let mut subject = function.clone();
    subject.attrs.clear();
    let text = name.to_string();
    Ok(quote! {
        #[test]
        #(#attributes)*
        fn #name() {
            #subject
            #[allow(unused_mut, unused_variables)]
            let call = |first: &mut #first, mut rest: (#(#rest,)*)| {
                let _ = #name(first, #(#passed),*);
            };
            ::testera::explore::door::check::<#first, (#(#rest,)*)>(
                #text,
                #scope,
                |view| #requires(view),
                call,
            );
        }
    })
}
