//! Named arrays, and their conversion to an expert.

use std::collections::BTreeMap;

use crate::bullet::{Normalizer, Robot};
use tutelage_net::Network;

use super::{Card, ContentError};
use crate::experts::{GaussianExpert, GaussianPolicy, TimeFeature};

/// The arrays of an expert, for messages.
const NEEDED: &str = "W0 b0 W1 b1 … (a pair per layer), logstd, rms_mean and rms_var";

/// The precision in which an array is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Single,
    Double,
}

impl Precision {
    /// Reads little-endian numbers; a rest is ignored.
    pub(crate) fn decode(self, bytes: &[u8]) -> Vec<f64> {
        let single = |b: &[u8; 4]| f64::from(f32::from_le_bytes(*b));
        match self {
            Self::Single => bytes.as_chunks().0.iter().map(single).collect(),
            Self::Double => bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
        }
    }
}

/// Numbers and their shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f64>,
    pub(crate) precision: Precision,
}

impl Array {
    pub(crate) fn single(shape: &[usize], values: &[f32]) -> Self {
        let values = values.iter().map(|&x| f64::from(x)).collect();
        Self { shape: shape.to_vec(), values, precision: Precision::Single }
    }

    pub(crate) fn double(shape: &[usize], values: &[f64]) -> Self {
        Self { shape: shape.to_vec(), values: values.to_vec(), precision: Precision::Double }
    }

    pub(crate) fn to_f32(&self) -> Vec<f32> {
        self.values.iter().map(|&x| x as f32).collect()
    }

    /// The numbers in little-endian order.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self.precision {
            Precision::Single => {
                self.values.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect()
            }
            Precision::Double => self.values.iter().flat_map(|x| x.to_le_bytes()).collect(),
        }
    }

    /// Exchanges rows and columns of a matrix.
    pub(crate) fn transposed(&self) -> Self {
        let [rows, columns] = self.shape[..] else { return self.clone() };
        let place = |k: usize| (k % rows) * columns + k / rows;
        let values = (0..self.values.len()).map(|k| self.values[place(k)]).collect();
        Self { shape: vec![columns, rows], values, precision: self.precision }
    }
}

/// Arrays by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Arrays(pub(crate) BTreeMap<String, Array>);

impl Arrays {
    pub(crate) fn insert(&mut self, name: impl Into<String>, array: Array) {
        self.0.insert(name.into(), array);
    }

    pub(crate) fn get(&self, name: &str) -> Result<&Array, ContentError> {
        self.0
            .get(name)
            .ok_or_else(|| ContentError::Missing { name: name.to_owned(), needed: NEEDED })
    }

    /// Returns an array if it has this shape and finite numbers.
    pub(crate) fn checked(
        &self,
        name: &str,
        task: Robot,
        expected: &[usize],
    ) -> Result<&Array, ContentError> {
        let array = self.get(name)?;
        if array.shape != expected || array.values.len() != expected.iter().product::<usize>() {
            let (expected, found) = (expected.to_vec(), array.shape.clone());
            return Err(ContentError::Shape { name: name.to_owned(), task, expected, found });
        }
        match array.values.iter().position(|value| !value.is_finite()) {
            None => Ok(array),
            Some(index) => {
                let value = array.values[index];
                Err(ContentError::NotFinite { name: name.to_owned(), index, value })
            }
        }
    }

    /// The arrays of an expert.
    pub(crate) fn of(expert: &GaussianExpert) -> Self {
        let mut arrays = Self::default();
        let (policy, normalizer) = (expert.policy(), expert.normalizer());
        let layout = policy.network().layout();
        for (l, layer) in layout.layers().iter().enumerate() {
            let (weights, bias) = layout.dense(policy.params(), l);
            let shape = [layer.inputs, layer.outputs];
            arrays.insert(format!("W{l}"), Array::single(&shape, &weights));
            arrays.insert(format!("b{l}"), Array::single(&[layer.outputs], &bias));
        }
        arrays.insert("logstd", Array::single(&[policy.log_std().len()], policy.log_std()));
        let width = [normalizer.width()];
        arrays.insert("rms_mean", Array::double(&width, normalizer.mean()));
        arrays.insert("rms_var", Array::double(&width, normalizer.var()));
        arrays
    }

    /// Creates an expert from these arrays, checked against its task.
    pub(crate) fn expert(
        &self,
        task: Robot,
        time_feature: TimeFeature,
        card: Card,
    ) -> Result<GaussianExpert, ContentError> {
        let layers = (0..).take_while(|l| self.0.contains_key(&format!("W{l}"))).count();
        let inputs = time_feature.width(task.state_width());
        let mut widths = vec![inputs];
        for l in 0..layers.max(1) {
            let last = l + 1 == layers.max(1);
            let weights = self.get(&format!("W{l}"))?;
            let outputs = if last { None } else { weights.shape.get(1).copied() };
            widths.push(outputs.unwrap_or(task.action_width()));
        }
        // Check everything before any allocation: a shape is trustworthy only if it matches the
        // numbers of its array.
        let layer = |(l, pair): (usize, &[usize])| {
            let weights = self.checked(&format!("W{l}"), task, pair)?;
            Ok((weights, self.checked(&format!("b{l}"), task, &pair[1..])?))
        };
        let layers = widths.windows(2).enumerate().map(layer);
        let layers = layers.collect::<Result<Vec<(&Array, &Array)>, ContentError>>()?;
        let log_std = self.checked("logstd", task, &[task.action_width()])?.to_f32();
        let mean = self.checked("rms_mean", task, &[inputs])?.values.clone();
        let var = self.checked("rms_var", task, &[inputs])?.values.clone();
        let network = Network::new(&widths)?;
        let mut params = network.layout().zeros();
        for (l, (weights, bias)) in layers.into_iter().enumerate() {
            network.layout().set_dense(&mut params, l, &weights.to_f32(), &bias.to_f32());
        }
        let policy = GaussianPolicy::new(network, params, log_std);
        let normalizer = Normalizer::new(mean, var).map_err(ContentError::Normalizer)?;
        Ok(GaussianExpert::new(task, policy, normalizer, time_feature, card))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposition_exchanges_rows_and_columns() {
        let array = Array::single(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(array.transposed(), Array::single(&[3, 2], &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    }
}
