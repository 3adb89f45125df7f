//! Every shape, there and back, over the specification that its types imply.

mod linked;
mod support;
