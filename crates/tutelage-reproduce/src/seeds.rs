//! Lists of seeds.

use std::collections::HashSet;

/// A text that names no seeds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' names no seeds; write 3, 1-10 or 1,2,5-7")]
pub struct BadSeeds(pub String);

const MOST: u64 = 100_000;

/// `3`, `1-10`, `1,2,5-7`; each seed once.
pub fn parse_seeds(text: &str) -> Result<Vec<u64>, BadSeeds> {
    let bad = || BadSeeds(text.into());
    // Specs are TOML, whose numbers end at i64::MAX.
    let number = |part: &str| match part.trim().parse::<u64>() {
        Ok(seed) if i64::try_from(seed).is_ok() => Ok(seed),
        _ => Err(bad()),
    };
    let mut seeds = Vec::new();
    for part in text.split(',') {
        match part.split_once('-') {
            None => seeds.push(number(part)?),
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if first > last || last - first >= MOST {
                    return Err(bad());
                }
                seeds.extend(first..=last);
            }
        }
    }
    let mut seen = HashSet::new();
    seeds.retain(|&seed| seen.insert(seed));
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_numbers_ranges_and_lists() {
        assert_eq!(parse_seeds("3"), Ok(vec![3]));
        assert_eq!(parse_seeds("1,2,5-7"), Ok(vec![1, 2, 5, 6, 7]));
        assert_eq!(parse_seeds("3,1-4,1"), Ok(vec![3, 1, 2, 4]));
        for text in ["3-1", "", "a", "1-", "0-9999999999", "9999999999999999999"] {
            assert_eq!(parse_seeds(text), Err(BadSeeds(text.into())));
        }
    }
}
