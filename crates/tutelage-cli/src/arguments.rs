//! Argument types that several commands share.

use std::str::FromStr;

/// Seeds: `3`, `1-10`, `1,2,5-7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeds(pub(crate) Vec<u64>);

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse::<u64>().map_err(|_| bad_seeds(text));
        let mut seeds = Vec::new();
        for part in text.split(',') {
            match part.split_once('-') {
                None => seeds.push(number(part)?),
                Some((first, last)) => {
                    let (first, last) = (number(first)?, number(last)?);
                    if first > last || last - first >= 100_000 {
                        return Err(bad_seeds(text));
                    }
                    seeds.extend(first..=last);
                }
            }
        }
        Ok(Self(seeds))
    }
}

fn bad_seeds(text: &str) -> String {
    format!("'{text}' names no seeds; write 3, 1-10 or 1,2,5-7")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_numbers_ranges_and_lists() {
        assert_eq!("3".parse(), Ok(Seeds(vec![3])));
        assert_eq!("1,2,5-7".parse(), Ok(Seeds(vec![1, 2, 5, 6, 7])));
        assert!("3-1".parse::<Seeds>().is_err());
        assert!("".parse::<Seeds>().is_err());
    }
}
