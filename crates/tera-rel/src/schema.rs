//! What the relations of an instance mean to a reader: signatures, fields, parameters. Views and
//! the mapping to Rust values need no more than a [`Schema`], a universe and an instance.

use crate::formula::RelId;

/// Index into [`Schema::sigs`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SigId(pub u32);

#[derive(Clone, Default, Debug)]
pub struct Schema {
    /// Parents before children, otherwise in the order of declaration.
    pub sigs: Vec<SigInfo>,
    pub fields: Vec<FieldInfo>,
    /// The parameters of the predicate or function named by the command.
    pub params: Vec<ParamInfo>,
    /// Skolem witnesses by name.
    pub skolems: Vec<ParamInfo>,
}

#[derive(Clone, Debug)]
pub struct SigInfo {
    /// As shown: `Node`, or `util/ordering/Ord` style qualified names for opened modules.
    pub label: String,
    pub rel: RelId,
    pub kind: SigKind,
    pub is_abstract: bool,
    pub is_one: bool,
    pub is_lone: bool,
    pub is_some: bool,
    pub is_enum: bool,
    pub is_private: bool,
    /// `var` of Alloy 6
    pub is_var: bool,
}

#[derive(Clone, Debug)]
pub enum SigKind {
    /// A top-level signature
    Top,
    /// `extends`
    Child(SigId),
    /// `in A + B`; `exact` for `= A + B`
    Subset { parents: Vec<SigId>, exact: bool },
    /// Int, seq/Int, String, univ
    Builtin,
}

#[derive(Clone, Debug)]
pub struct FieldInfo {
    pub label: String,
    /// The signature that declares it: the type of the first column.
    pub owner: SigId,
    pub rel: RelId,
    /// For each column, the signatures it may come from (the first is `[owner]`).
    pub columns: Vec<Vec<SigId>>,
    /// The multiplicity of a binary field's value: `lone`, `one`, `some` or `set`.
    pub mult: FieldMult,
    pub is_private: bool,
    pub is_var: bool,
    /// `f = e`
    pub is_defined: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldMult {
    Lone,
    One,
    Some,
    Set,
}

#[derive(Clone, Debug)]
pub struct ParamInfo {
    pub label: String,
    pub rel: RelId,
}
