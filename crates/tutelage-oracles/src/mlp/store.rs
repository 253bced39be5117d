//! Policies as safetensors.
//!
//! One metadata entry, `tutelage.policy`, says what the file is: `version=1;class=mlp;action=vector;widths=28,64,64,8;activation=tanh;clip=-1,1;members=25`
//! (`class=linear;activation=none` without hidden layers, `clip=none` for indices). Layer `l` is stored for all members together, dense:
//! `layer.l.weight` as `[E][in][out]` and `layer.l.bias` as `[E][out]`, all `F32`.

use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView, serialize};
use tutelage_net::{AlignedVec, Layer, Layout, LayoutError, Loss, Network};

use super::head::Head;
use super::policy::Ensemble;

const ENTRY: &str = "tutelage.policy";
const VERSION: &str = "1";

/// Why bytes are not a stored policy.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Not safetensors at all, or a damaged file.
    #[error("not a readable safetensors file: {0}")]
    Format(#[from] SafeTensorError),
    /// Safetensors of something else.
    #[error(
        "a safetensors file without the metadata entry `{ENTRY}`: not a policy of this project"
    )]
    Foreign,
    /// A field of the metadata is missing or has a value that is not allowed.
    #[error("metadata field `{field}` is {found}; expected {expected}")]
    Field {
        /// Which field.
        field: &'static str,
        /// What stood there.
        found: String,
        /// What would have been right.
        expected: String,
    },
    /// An impossible network shape.
    #[error("metadata field `widths`: {0}")]
    Widths(#[from] LayoutError),
    /// A tensor has another type or shape than the metadata say.
    #[error("tensor `{name}` is {found}; expected {expected}")]
    Tensor {
        /// Which tensor.
        name: String,
        /// Type and shape found.
        found: String,
        /// Type and shape that the metadata call for.
        expected: String,
    },
    /// A number that is not finite.
    #[error("tensor `{name}`, element {index}: {value} is not finite")]
    Value {
        /// Which tensor.
        name: String,
        /// Where in it.
        index: usize,
        /// What stood there.
        value: f32,
    },
}

impl<A: Head> Ensemble<A> {
    /// The policy as a safetensors file; the same policy gives the same bytes.
    ///
    /// # Errors
    /// Only what the format itself cannot hold.
    pub fn to_safetensors(&self) -> Result<Vec<u8>, StoreError> {
        let layout = self.network().layout();
        let tensors: Vec<(String, Vec<usize>, Vec<u8>)> = (0..layout.layers().len())
            .flat_map(|l| {
                let dense: Vec<_> =
                    self.parameters().iter().map(|params| layout.dense(params, l)).collect();
                let bytes = |part: fn(&(Vec<f32>, Vec<f32>)) -> &Vec<f32>| -> Vec<u8> {
                    dense.iter().flat_map(part).flat_map(|x| x.to_le_bytes()).collect()
                };
                let [weight, bias] = shapes(&layout.layers()[l], self.parameters().len());
                [
                    (name(l, "weight"), weight, bytes(|d| &d.0)),
                    (name(l, "bias"), bias, bytes(|d| &d.1)),
                ]
            })
            .collect();
        let views: Result<Vec<_>, SafeTensorError> = tensors
            .iter()
            .map(|(name, shape, bytes)| {
                Ok((name.as_str(), TensorView::new(Dtype::F32, shape.clone(), bytes)?))
            })
            .collect();
        // A single entry, because the order of several would differ from run to run.
        let metadata =
            HashMap::from([(ENTRY.to_owned(), describe::<A>(layout, self.parameters().len()))]);
        Ok(serialize(views?, Some(metadata))?)
    }

    /// The policy that a safetensors file holds.
    ///
    /// # Errors
    /// A damaged or foreign file, another version, class or kind of action, tensors that do not fit the metadata, numbers that are not finite.
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self, StoreError> {
        let file = SafeTensors::deserialize(bytes)?;
        let (_, metadata) = SafeTensors::read_metadata(bytes)?;
        let entry =
            metadata.metadata().as_ref().and_then(|m| m.get(ENTRY)).ok_or(StoreError::Foreign)?;
        let fields: HashMap<&str, &str> =
            entry.split(';').filter_map(|pair| pair.split_once('=')).collect();
        let layout = read_layout::<A>(&fields)?;
        let members: usize =
            parse(&fields, "members", "a number from 1 on", |m| m.parse().ok().filter(|m| *m > 0))?;
        let mut params = vec![layout.zeros(); check_size(&file, &layout, members)?];
        for l in 0..layout.layers().len() {
            read_layer(&file, &layout, l, &mut params)?;
        }
        Ok(Self::new(Network::new(layout.widths())?, params))
    }
}

fn describe<A: Head>(layout: &Layout, members: usize) -> String {
    let widths = layout.widths().iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let (class, activation) = class(layout);
    format!(
        "version={VERSION};class={class};action={};widths={widths};activation={activation};clip={};members={members}",
        A::NAME,
        clip::<A>()
    )
}

fn class(layout: &Layout) -> (&'static str, &'static str) {
    if layout.layers().len() == 1 { ("linear", "none") } else { ("mlp", "tanh") }
}

fn clip<A: Head>() -> &'static str {
    match A::LOSS {
        Loss::ClippedSquares => "-1,1",
        Loss::CrossEntropy => "none",
    }
}

fn read_layout<A: Head>(fields: &HashMap<&str, &str>) -> Result<Layout, StoreError> {
    let exactly = |field, expected: &str| {
        parse(fields, field, expected, |found| (found == expected).then_some(()))
    };
    exactly("version", VERSION)?;
    exactly("action", A::NAME)?;
    exactly("clip", clip::<A>())?;
    let widths = parse(fields, "widths", "widths separated by commas", |list| {
        list.split(',').map(|w| w.parse::<usize>().ok()).collect::<Option<Vec<_>>>()
    })?;
    let layout = Layout::new(&widths)?;
    let (class, activation) = class(&layout);
    exactly("class", class)?;
    exactly("activation", activation)?;
    Ok(layout)
}

fn parse<T>(
    fields: &HashMap<&str, &str>,
    field: &'static str,
    expected: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, StoreError> {
    let found = fields.get(field);
    found.and_then(|text| read(text)).ok_or_else(|| StoreError::Field {
        field,
        found: found.map_or("missing".to_owned(), |text| format!("`{text}`")),
        expected: expected.to_owned(),
    })
}

fn name(l: usize, part: &str) -> String {
    format!("layer.{l}.{part}")
}

/// The shapes of a layer's weights and biases over all members.
fn shapes(layer: &Layer, members: usize) -> [Vec<usize>; 2] {
    [vec![members, layer.inputs, layer.outputs], vec![members, layer.outputs]]
}

/// All tensors have the type and shape that the metadata call for; checked before anything of the claimed size is allocated.
fn check_size(
    file: &SafeTensors<'_>,
    layout: &Layout,
    members: usize,
) -> Result<usize, StoreError> {
    for (l, layer) in layout.layers().iter().enumerate() {
        for (part, shape) in ["weight", "bias"].into_iter().zip(shapes(layer, members)) {
            let tensor = file.tensor(&name(l, part))?;
            if tensor.dtype() != Dtype::F32 || tensor.shape() != shape {
                let found = format!("{:?} {:?}", tensor.dtype(), tensor.shape());
                return Err(StoreError::Tensor {
                    name: name(l, part),
                    found,
                    expected: format!("F32 {shape:?}"),
                });
            }
        }
    }
    Ok(members)
}

fn read_layer(
    file: &SafeTensors<'_>,
    layout: &Layout,
    l: usize,
    params: &mut [AlignedVec],
) -> Result<(), StoreError> {
    let layer = &layout.layers()[l];
    let (weights, biases) = (numbers(file, &name(l, "weight"))?, numbers(file, &name(l, "bias"))?);
    let weights = weights.chunks_exact(layer.inputs * layer.outputs);
    for (params, (weights, bias)) in
        params.iter_mut().zip(weights.zip(biases.chunks_exact(layer.outputs)))
    {
        layout.set_dense(params, l, weights, bias);
    }
    Ok(())
}

fn numbers(file: &SafeTensors<'_>, name: &str) -> Result<Vec<f32>, StoreError> {
    let bytes = file.tensor(name)?.data();
    let numbers: Vec<f32> =
        bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(index) => {
            Err(StoreError::Value { name: name.to_owned(), index, value: numbers[index] })
        }
        None => Ok(numbers),
    }
}
