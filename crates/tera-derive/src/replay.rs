//! `testera::replay!(merge_sort(&mut list))`: the contract `merge_sort` on this one value.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Path, Result, Token, parenthesized};

/// `merge_sort(&mut list)`
pub struct Replay {
    contract: Path,
    arguments: Punctuated<Expr, Token![,]>,
}

impl Parse for Replay {
    fn parse(input: ParseStream<'_>) -> Result<Replay> {
        let contract = input.call(Path::parse_mod_style)?;
        let inside;
        parenthesized!(inside in input);
        let arguments = inside.call(Punctuated::parse_terminated)?;
        if input.is_empty() {
            Ok(Replay { contract, arguments })
        } else {
            Err(input.error("expected nothing more"))
        }
    }
}

pub fn expand(replay: Replay) -> TokenStream {
    let Replay { mut contract, arguments } = replay;
    if let Some(last) = contract.segments.last_mut() {
        last.ident = crate::attribute::runner(&last.ident);
    }
    let arguments = arguments.iter();
    quote!(#contract(::core::option::Option::Some((#(#arguments,)*))))
}
