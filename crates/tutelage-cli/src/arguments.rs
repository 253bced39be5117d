//! Argument types that several commands share.

use std::str::FromStr;

use tutelage_reproduce::{BadSeeds, parse_seeds};

/// Seeds: `3`, `1-10`, `1,2,5-7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeds(pub(crate) Vec<u64>);

impl FromStr for Seeds {
    type Err = BadSeeds;

    fn from_str(text: &str) -> Result<Self, BadSeeds> {
        parse_seeds(text).map(Self)
    }
}
