//! The layout of weights and biases in a flat parameter vector.

use std::ops::Range;

use crate::AlignedVec;

/// Lanes of the narrowest vector; every row of weights and activations is padded to a multiple of it.
pub const LANES: usize = 8;

/// Rounds `n` up to whole vectors.
#[inline]
pub const fn padded(n: usize) -> usize {
    n.next_multiple_of(LANES)
}

/// An invalid network shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// There are fewer than two widths.
    #[error("a network needs at least 2 widths (input and output), got {0}")]
    TooFewWidths(usize),
    /// A width is outside `1..=MAX_WIDTH`.
    #[error("width {index} must be from 1 to {MAX_WIDTH}, got {value}")]
    Width {
        /// The position in the list of widths.
        index: usize,
        /// The width.
        value: usize,
    },
    /// There are too many parameters.
    #[error(
        "the network has {parameters} parameters (padding counted); at most {MAX_PARAMETERS} are supported"
    )]
    TooLarge {
        /// The number of parameters.
        parameters: u128,
    },
}

/// The largest width of a layer.
pub const MAX_WIDTH: usize = 1 << 16;
/// The most parameters of a network, padding included (1 GiB).
pub const MAX_PARAMETERS: usize = 1 << 28;

/// One affine layer `z = xW + b` inside the flat vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Width of `x`.
    pub inputs: usize,
    /// Width of `z`.
    pub outputs: usize,
    /// Distance between rows of `W`: `outputs` padded to whole vectors.
    pub stride: usize,
    /// `W`, row-major `[inputs][stride]`.
    pub weights: Range<usize>,
    /// `b`, `[stride]`.
    pub bias: Range<usize>,
}

/// The shape of a multi-layer perceptron and the layout of its parameters in a flat vector.
///
/// For widths `d₀, d₁, …, d_L`, each layer has `W_l` as `[d_{l-1}][d_l padded to 8]`, then `b_l` as
/// `[d_l padded to 8]`. Padding is zero, and all passes and Adam keep it zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    widths: Vec<usize>,
    layers: Vec<Layer>,
    len: usize,
}

impl Layout {
    /// Creates the layout of a network with these widths, input first.
    pub fn new(widths: &[usize]) -> Result<Self, LayoutError> {
        if widths.len() < 2 {
            return Err(LayoutError::TooFewWidths(widths.len()));
        }
        if let Some((index, &value)) =
            widths.iter().enumerate().find(|(_, w)| !(1..=MAX_WIDTH).contains(*w))
        {
            return Err(LayoutError::Width { index, value });
        }
        let in_layer = |pair: &[usize]| (pair[0] as u128 + 1) * padded(pair[1]) as u128;
        let parameters = widths.windows(2).map(in_layer).sum();
        if parameters > MAX_PARAMETERS as u128 {
            return Err(LayoutError::TooLarge { parameters });
        }
        let mut len = 0;
        let layers = widths
            .windows(2)
            .map(|pair| {
                let (inputs, outputs, stride) = (pair[0], pair[1], padded(pair[1]));
                let (start, middle) = (len, len + inputs * stride);
                len = middle + stride;
                Layer { inputs, outputs, stride, weights: start..middle, bias: middle..len }
            })
            .collect();
        Ok(Self { widths: widths.to_vec(), layers, len })
    }

    /// Returns all widths, input first.
    pub fn widths(&self) -> &[usize] {
        &self.widths
    }

    /// Returns the input width.
    pub fn inputs(&self) -> usize {
        self.widths[0]
    }

    /// Returns the output width.
    pub fn outputs(&self) -> usize {
        self.widths[self.widths.len() - 1]
    }

    /// Returns the affine layers in order; all but the last are followed by tanh.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Returns the length of the parameter vector, padding included.
    #[allow(clippy::len_without_is_empty)] // a layout is never empty
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of weights, without biases and padding.
    ///
    /// A training iteration costs about `6 · weights · rows` operations.
    pub fn weight_count(&self) -> usize {
        self.layers.iter().map(|l| l.inputs * l.outputs).sum()
    }

    /// Returns a parameter vector of zeros.
    pub fn zeros(&self) -> AlignedVec {
        AlignedVec::zeros(self.len)
    }

    /// Copies layer `l` out as a dense `[inputs][outputs]` matrix and a bias of `outputs` numbers.
    pub fn dense(&self, params: &[f32], l: usize) -> (Vec<f32>, Vec<f32>) {
        let layer = &self.layers[l];
        let weights = params[layer.weights.clone()].chunks_exact(layer.stride);
        let weights = weights.flat_map(|row| &row[..layer.outputs]).copied().collect();
        (weights, params[layer.bias.clone()][..layer.outputs].to_vec())
    }

    /// Copies a dense `[inputs][outputs]` matrix and its bias into layer `l`; padding is unchanged.
    pub fn set_dense(&self, params: &mut [f32], l: usize, weights: &[f32], bias: &[f32]) {
        let layer = &self.layers[l];
        assert_eq!(weights.len(), layer.inputs * layer.outputs, "weights of layer {l}");
        assert_eq!(bias.len(), layer.outputs, "bias of layer {l}");
        let rows = params[layer.weights.clone()].chunks_exact_mut(layer.stride);
        for (row, dense) in rows.zip(weights.chunks_exact(layer.outputs)) {
            row[..layer.outputs].copy_from_slice(dense);
        }
        params[layer.bias.clone()][..layer.outputs].copy_from_slice(bias);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_contiguous_and_do_not_overlap() {
        let layout = Layout::new(&[28, 64, 12, 8]).unwrap();
        let ranges = layout.layers().iter().flat_map(|l| [l.weights.clone(), l.bias.clone()]);
        let end = ranges.fold(0, |end, range| {
            assert_eq!((range.start, range.start % LANES), (end, 0));
            range.end
        });
        assert_eq!(end, layout.len());
        assert_eq!(layout.weight_count(), 28 * 64 + 64 * 12 + 12 * 8);
    }

    #[test]
    fn dense_matrices_round_trip_and_padding_stays_zero() {
        let layout = Layout::new(&[2, 3, 1]).unwrap();
        let mut params = layout.zeros();
        layout.set_dense(&mut params, 0, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[7.0, 8.0, 9.0]);
        assert_eq!(
            layout.dense(&params, 0),
            (vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], vec![7.0, 8.0, 9.0])
        );
        assert_eq!(params[..8], [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn invalid_shapes_are_rejected() {
        assert_eq!(Layout::new(&[3]), Err(LayoutError::TooFewWidths(1)));
        assert_eq!(Layout::new(&[3, 0, 2]), Err(LayoutError::Width { index: 1, value: 0 }));
        assert_eq!(
            Layout::new(&[3, 1 << 17]),
            Err(LayoutError::Width { index: 1, value: 1 << 17 })
        );
        for widths in [vec![1 << 16; 2], vec![4; MAX_PARAMETERS / 32]] {
            let error = Layout::new(&widths).unwrap_err();
            assert!(matches!(error, LayoutError::TooLarge { .. }));
        }
    }
}
