//! Lists of seeds.

use std::collections::HashSet;

/// Not a valid list of seeds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid seeds '{0}'; expected a list such as 3, 1-10 or 1,2,5-7 with at most {MOST} seeds"
)]
pub struct BadSeeds(pub String);

/// The maximum number of seeds in a list, duplicates included.
const MOST: u64 = 200_000;

/// Parses `3`, `1-10` or `1,2,5-7`. Duplicates are dropped.
pub fn parse_seeds(text: &str) -> Result<Vec<u64>, BadSeeds> {
    // Keep the message short even if the list is long.
    let bad = || BadSeeds(text.chars().take(200).collect());
    // Specs are TOML, whose integers are at most i64::MAX.
    let number = |part: &str| match part.trim().parse::<u64>() {
        Ok(seed) if i64::try_from(seed).is_ok() => Ok(seed),
        _ => Err(bad()),
    };
    let mut left = MOST;
    let (mut seeds, mut seen) = (Vec::new(), HashSet::new());
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        let apart = last.checked_sub(first).ok_or_else(bad)?;
        left = left.checked_sub(apart + 1).ok_or_else(bad)?;
        seeds.extend((first..=last).filter(|&seed| seen.insert(seed)));
    }
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

    #[test]
    fn the_number_of_seeds_is_limited() {
        let ranges = |count: u64| -> String {
            let range = |i: u64| format!("{}-{}", i * 100_000, i * 100_000 + 99_999);
            (0..count).map(range).collect::<Vec<_>>().join(",")
        };
        assert_eq!(parse_seeds(&ranges(2)).unwrap().len(), 200_000);
        let error = parse_seeds(&ranges(400)).unwrap_err().to_string();
        assert!(error.contains("200000") && error.len() < 300, "{error}");
        assert!(parse_seeds(&["0-99999"; 3].join(",")).is_err(), "duplicates count");
        assert!(parse_seeds(&"7,".repeat(200_001)).is_err());
    }
}
