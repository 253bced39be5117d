//! Bullet's quicksort (`btAlignedObjectArray::quickSortInternal`).
//!
//! It is not stable, and the order of equal elements decides the order of the solver's rows. It
//! must therefore be the same algorithm: Hoare's partition around the middle element, which also
//! swaps equal elements.

/// Sorts by a key.
pub(crate) fn quick_sort<T: Copy>(items: &mut [T], key: impl Fn(T) -> usize + Copy) {
    if items.len() > 1 {
        sort_between(items, key, 0, items.len() as isize - 1);
    }
}

fn sort_between<T: Copy>(
    items: &mut [T],
    key: impl Fn(T) -> usize + Copy,
    low: isize,
    high: isize,
) {
    let middle = key(items[((low + high) / 2) as usize]);
    let (mut left, mut right) = (low, high);
    while left <= right {
        while key(items[left as usize]) < middle {
            left += 1;
        }
        while middle < key(items[right as usize]) {
            right -= 1;
        }
        if left <= right {
            items.swap(left as usize, right as usize);
            left += 1;
            right -= 1;
        }
    }
    if low < right {
        sort_between(items, key, low, right);
    }
    if left < high {
        sort_between(items, key, left, high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted() {
        let mut items = [5, 3, 9, 1, 3, 7, 0, 9, 2];
        quick_sort(&mut items, |x| x);
        assert_eq!(items, [0, 1, 2, 3, 3, 5, 7, 9, 9]);
    }

    #[test]
    fn equal_keys_are_reordered() {
        let mut items = [0, 1, 2, 3, 4];
        quick_sort(&mut items, |_| 0);
        assert_ne!(items, [0, 1, 2, 3, 4], "the sort must not be stable");
    }
}
