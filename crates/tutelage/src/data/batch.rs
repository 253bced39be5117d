//! Batches of rows.

use crate::Element;

/// Rows of one width, contiguous in memory.
///
/// A row of `f32` is a real vector; a row of one `u32` is an index. As with slices, indexing past the end panics, and so does
/// pushing a row of another width.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch<T> {
    width: usize,
    values: Vec<T>,
}

/// Why values do not form rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{values} values do not form whole rows of width {width}, expected a width of at least 1")]
pub struct ShapeError {
    /// The width of a row.
    pub width: usize,
    /// The number of values.
    pub values: usize,
}

impl<T: Element> Batch<T> {
    /// An empty batch with rows of this width, at least 1.
    pub fn new(width: usize) -> Self {
        Self { width: width.max(1), values: Vec::new() }
    }

    /// `rows` rows of default values.
    pub fn zeros(rows: usize, width: usize) -> Self {
        let width = width.max(1);
        Self { width, values: vec![T::default(); rows * width] }
    }

    /// Rows from flat values, row after row.
    pub fn from_vec(width: usize, values: Vec<T>) -> Result<Self, ShapeError> {
        if width == 0 || !values.len().is_multiple_of(width) {
            return Err(ShapeError { width, values: values.len() });
        }
        Ok(Self { width, values })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.width
    }

    /// Whether the batch has no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns a text that identifies this batch in stored runs. It must never change.
    ///
    /// Real numbers always have a decimal point.
    pub fn describe(&self) -> String {
        format!("Batch {{ width: {}, values: {:?} }}", self.width, self.values)
    }

    /// The number of values in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.width..(i + 1) * self.width]
    }

    /// Row `i`, mutable.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.values[i * self.width..(i + 1) * self.width]
    }

    /// The rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.values.chunks_exact(self.width)
    }

    /// Appends a row.
    pub fn push(&mut self, row: &[T]) {
        assert_eq!(row.len(), self.width, "a row of this batch has {} values", self.width);
        self.values.extend_from_slice(row);
    }

    /// Appends all rows of another batch of the same width.
    pub fn extend(&mut self, other: &Self) {
        assert_eq!(other.width, self.width, "a row of this batch has {} values", self.width);
        self.values.extend_from_slice(&other.values);
    }

    /// Copies the rows `first..last`.
    #[must_use]
    pub fn slice(&self, first: usize, last: usize) -> Self {
        Self {
            width: self.width,
            values: self.values[first * self.width..last * self.width].to_vec(),
        }
    }

    /// Copies the rows with these indices, in this order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut selected = Self::new(self.width);
        rows.iter().for_each(|&row| selected.push(self.row(row)));
        selected
    }

    /// Adds default rows or drops the last ones, so that there are `rows`; keeps its memory.
    pub fn resize(&mut self, rows: usize) {
        self.values.resize(rows * self.width, T::default());
    }

    /// All values, row after row.
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    /// All values, row after row, mutable.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The first value outside a space of this size: (row, column, value).
    pub fn misfit(&self, size: usize) -> Option<(usize, usize, T)> {
        let at = self.values.iter().position(|value| !value.fits(size))?;
        Some((at / self.width, at % self.width, self.values[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_stored_in_order() {
        let mut batch = Batch::new(2);
        batch.push(&[1.0f32, 2.0]);
        batch.push(&[3.0, 4.0]);
        assert_eq!(batch.len(), 2);
        assert_eq!(batch.row(1), &[3.0, 4.0]);
        assert_eq!(batch.slice(1, 2).as_slice(), &[3.0, 4.0]);
    }

    #[test]
    fn values_that_do_not_form_rows_are_refused() {
        assert_eq!(Batch::from_vec(2, vec![1u32, 2, 3]), Err(ShapeError { width: 2, values: 3 }));
        assert_eq!(Batch::<u32>::from_vec(0, vec![]), Err(ShapeError { width: 0, values: 0 }));
    }

    #[test]
    fn a_misfit_is_found_with_its_position() {
        let reals = Batch::from_vec(2, vec![0.0, 1.0, 2.0, f32::INFINITY]).unwrap();
        assert_eq!(reals.misfit(2), Some((1, 1, f32::INFINITY)));
        let indices = Batch::from_vec(1, vec![0u32, 3]).unwrap();
        assert_eq!(indices.misfit(3), Some((1, 0, 3)));
        assert_eq!(indices.misfit(4), None);
    }
}
