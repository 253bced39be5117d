//! A straightforward network in `f64`, as a reference for tests.

use crate::Layout;

/// Converts numbers to double precision.
pub fn to_f64(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().copied().map(f64::from).collect()
}

/// Returns the activations of one row at every level, the input first.
pub fn reference_levels(layout: &Layout, params: &[f64], state: &[f64]) -> Vec<Vec<f64>> {
    let mut levels = vec![state.to_vec()];
    for (l, layer) in layout.layers().iter().enumerate() {
        let x = &levels[l];
        let z = (0..layer.outputs).map(|j| {
            let weights = (0..layer.inputs)
                .map(|i| x[i] * params[layer.weights.start + i * layer.stride + j]);
            params[layer.bias.start + j] + weights.sum::<f64>()
        });
        let hidden = l + 1 < layout.layers().len();
        levels.push(z.map(|z| if hidden { z.tanh() } else { z }).collect());
    }
    levels
}

/// Returns the output of one row.
pub fn reference_output(layout: &Layout, params: &[f64], state: &[f64]) -> Vec<f64> {
    reference_levels(layout, params, state).pop().unwrap_or_default()
}
