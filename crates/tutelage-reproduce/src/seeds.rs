//! Lists of seeds.

use std::collections::HashSet;

/// A text that names no seeds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' names no seeds; write 3, 1-10 or 1,2,5-7, at most {MOST} seeds in all")]
pub struct BadSeeds(pub String);

/// How many seeds a list may name, also twice, before any of them is written down.
const MOST: u64 = 200_000;

/// `3`, `1-10`, `1,2,5-7`; each seed once.
pub fn parse_seeds(text: &str) -> Result<Vec<u64>, BadSeeds> {
    // A message with all of a long list helps nobody.
    let bad = || BadSeeds(text.chars().take(200).collect());
    // Specs are TOML, whose numbers end at i64::MAX.
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
    fn all_ranges_together_have_a_bound() {
        let ranges = |count: u64| -> String {
            let range = |i: u64| format!("{}-{}", i * 100_000, i * 100_000 + 99_999);
            (0..count).map(range).collect::<Vec<_>>().join(",")
        };
        assert_eq!(parse_seeds(&ranges(2)).unwrap().len(), 200_000);
        let error = parse_seeds(&ranges(400)).unwrap_err().to_string();
        assert!(error.ends_with("1,2,5-7, at most 200000 seeds in all"), "{error}");
        assert!(error.len() < 300, "{}", error.len());
        assert!(parse_seeds(&["0-99999"; 3].join(",")).is_err(), "also the same again and again");
        assert!(parse_seeds(&"7,".repeat(200_001)).is_err());
    }
}
