//! `testera::replay!(merge_sort(&mut list))`: the contract `merge_sort` on this one value;
//! `testera::replay!(undo_redo, [1, 0, 2])`: the one run of an exploration that makes these choices.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprArray, Path, Result, Token, parenthesized};

pub struct Replay {
    contract: Path,
    given: Given,
}

enum Given {
    Values(Punctuated<Expr, Token![,]>),
    Path(ExprArray),
}

impl Parse for Replay {
    fn parse(input: ParseStream<'_>) -> Result<Replay> {
        let contract = input.call(Path::parse_mod_style)?;
        let given = if input.parse::<Option<Token![,]>>()?.is_some() {
            Given::Path(input.parse()?)
        } else {
            let inside;
            parenthesized!(inside in input);
            Given::Values(inside.call(Punctuated::parse_terminated)?)
        };
        if input.is_empty() {
            Ok(Replay { contract, given })
        } else {
            Err(input.error("expected nothing more"))
        }
    }
}

pub fn expand(replay: Replay) -> TokenStream {
    let Replay { mut contract, given } = replay;
    if let Some(last) = contract.segments.last_mut() {
        last.ident = crate::attribute::runner(&last.ident);
    }
    match given {
        Given::Values(values) => {
            let values = values.iter();
            quote!(#contract(::testera::Given::Values((#(#values,)*))))
        }
        Given::Path(path) => quote!(#contract(::testera::Given::Path(&#path))),
    }
}
