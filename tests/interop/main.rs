//! The library beside other crates, and the pages that show it so: all in one binary.

mod geodesy;
mod guide;
mod links;
mod manual;
mod proofs;
mod shapes;
