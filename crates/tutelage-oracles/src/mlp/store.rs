//! Policies as safetensors files.
//!
//! The metadata entry `tutelage.policy` describes the policy, for example
//! `version=1;class=mlp;action=vector;widths=28,64,64,8;activation=tanh;clip=-1,1;members=25`
//! (`class=linear;activation=none` without hidden layers, `clip=none` for discrete actions). Layer `l`
//! of all members is stored as `layer.l.weight`, `[E][in][out]`, and `layer.l.bias`, `[E][out]`, in `F32`.
//!
//! A policy that standardizes states has `version=2;…;states=standardised` and two more tensors,
//! `states.mean` and `states.scale`, `[in]` each: its networks see `(state − mean) / scale`.

use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView, serialize};
use tutelage::Spaces;
use tutelage_files::{HeaderTooLong, check_safetensors_header};
use tutelage_net::{AlignedVec, Isa, Layout, LayoutError, Loss, Network};

use super::head::OutputHead;
use super::policy::Ensemble;
use crate::standardize::{Standardize, Standardizer};

const ENTRY: &str = "tutelage.policy";
const MEAN: &str = "states.mean";
const SCALE: &str = "states.scale";

/// Why a policy could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyFileError {
    /// Not a safetensors file, or a damaged one.
    #[error("not a readable safetensors file")]
    Format(#[from] SafeTensorError),
    /// The header is longer than that of any policy.
    #[error(transparent)]
    HeaderTooLong(#[from] HeaderTooLong),
    /// A safetensors file of another kind.
    #[error("not a policy: the safetensors file has no metadata entry `{ENTRY}`")]
    Foreign,
    /// A field of the metadata is missing or invalid.
    #[error("metadata field `{field}` is {found}; expected {expected}")]
    Field {
        /// The field.
        field: &'static str,
        /// Its value.
        found: String,
        /// The expected value.
        expected: String,
    },
    /// An invalid network shape.
    #[error("metadata field `widths` is invalid")]
    Widths(#[from] LayoutError),
    /// A policy of another class or for another task.
    #[error("the policy has {what} {found}; expected {expected}")]
    OtherClass {
        /// "state width", "hidden widths", "output width" or "states".
        what: &'static str,
        /// The value of the policy.
        found: String,
        /// The value of the class and the task.
        expected: String,
    },
    /// The type or shape of a tensor contradicts the metadata.
    #[error("tensor `{name}` is {found}; expected {expected}")]
    Tensor {
        /// The tensor.
        name: String,
        /// Its type and shape.
        found: String,
        /// The type and shape according to the metadata.
        expected: String,
    },
    /// The file has unknown tensors.
    #[error("the file has {found} tensors; expected {expected}")]
    Count {
        /// The number of tensors.
        found: usize,
        /// The number of tensors according to the metadata.
        expected: usize,
    },
    /// A number is invalid.
    #[error("tensor `{name}`, element {index} is {value}; expected a {expected} number")]
    Value {
        /// The tensor.
        name: String,
        /// The index of the element.
        index: usize,
        /// Its value.
        value: f32,
        /// What is expected.
        expected: &'static str,
    },
}

impl<A: OutputHead> Ensemble<A> {
    /// Encodes the policy as a safetensors file. The bytes depend only on the policy.
    ///
    /// ```
    /// # use tutelage::{Dataset, Oracle, Spaces, Stream};
    /// # use tutelage::choice::TrainOn;
    /// # use tutelage::oracle::TrainingSets;
    /// # use tutelage_oracles::LeastSquares;
    /// use tutelage_oracles::mlp::MlpPolicy;
    /// # let spaces = Spaces { states: 2, actions: 1 };
    /// # let data = Dataset::empty(spaces);
    /// # let sets = TrainingSets::new(&data, TrainOn::Data, spaces, 1, Stream::new(1))?;
    /// # let policy = LeastSquares::default().fit(&sets, &Stream::new(2))?;
    /// let bytes = policy.to_safetensors()?;
    /// assert_eq!(MlpPolicy::from_safetensors(&bytes)?, policy);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_safetensors(&self) -> Result<Vec<u8>, PolicyFileError> {
        let header = PolicyHeader {
            layout: self.network().layout().clone(),
            members: self.parameters().len(),
            standardized: self.standardizer().is_some(),
        };
        let tensors = header.tensors().zip(self.contents());
        let tensors: Vec<_> = tensors.map(|((name, shape), bytes)| (name, shape, bytes)).collect();
        let views: Result<Vec<_>, SafeTensorError> = tensors
            .iter()
            .map(|(name, shape, bytes)| {
                Ok((name.as_str(), TensorView::new(Dtype::F32, shape.clone(), bytes)?))
            })
            .collect();
        // A single entry: the order of several entries would be random.
        let metadata = HashMap::from([(ENTRY.to_owned(), header.describe::<A>())]);
        Ok(serialize(views?, Some(metadata))?)
    }

    /// Decodes a policy from a safetensors file.
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self, PolicyFileError> {
        let stored = PolicyFile::open::<A>(bytes)?;
        stored.policy()
    }

    /// Returns the bytes of the tensors, in the order of [`PolicyHeader::tensors`].
    fn contents(&self) -> impl Iterator<Item = Vec<u8>> {
        let layout = self.network().layout();
        let layers = (0..layout.layers().len()).flat_map(move |l| {
            let dense: Vec<_> =
                self.parameters().iter().map(|params| layout.dense(params, l)).collect();
            [bytes_of(dense.iter().flat_map(|d| &d.0)), bytes_of(dense.iter().flat_map(|d| &d.1))]
        });
        let statistics = self.standardizer().into_iter();
        let statistics = statistics.flat_map(|s| [bytes_of(s.mean()), bytes_of(s.scale())]);
        layers.chain(statistics)
    }
}

fn bytes_of<'a>(numbers: impl IntoIterator<Item = &'a f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The policies that an oracle accepts.
pub(crate) struct PolicyClassFormat<'a> {
    pub(crate) hidden: &'a [usize],
    pub(crate) standardize: Standardize,
    pub(crate) isa: Isa,
}

impl PolicyClassFormat<'_> {
    /// Decodes a policy of this class for these spaces.
    pub(crate) fn read<A: OutputHead>(
        &self,
        bytes: &[u8],
        spaces: Spaces,
    ) -> Result<Ensemble<A>, PolicyFileError> {
        let stored = PolicyFile::open::<A>(bytes)?;
        self.check(&stored.header, spaces)?;
        Ok(stored.policy()?.with_isa(self.isa))
    }

    fn check(&self, header: &PolicyHeader, spaces: Spaces) -> Result<(), PolicyFileError> {
        let layout = &header.layout;
        let hidden = &layout.widths()[1..layout.widths().len() - 1];
        let same = |what, found: String, expected: String| match found == expected {
            true => Ok(()),
            false => Err(PolicyFileError::OtherClass { what, found, expected }),
        };
        same("state width", layout.inputs().to_string(), spaces.states.to_string())?;
        same("hidden widths", format!("{hidden:?}"), format!("{:?}", self.hidden))?;
        same("output width", layout.outputs().to_string(), spaces.actions.to_string())?;
        match (header.standardized, self.standardize) {
            (true, Standardize::No) => same("states", "standardized".into(), "raw".into()),
            _ => Ok(()),
        }
    }
}

/// The metadata of a stored policy.
struct PolicyHeader {
    layout: Layout,
    members: usize,
    standardized: bool,
}

impl PolicyHeader {
    fn describe<A: OutputHead>(&self) -> String {
        let widths: Vec<String> = self.layout.widths().iter().map(usize::to_string).collect();
        let (version, states) = match self.standardized {
            false => (1, ""),
            true => (2, ";states=standardised"),
        };
        let (class, activation) = class(&self.layout);
        format!(
            "version={version};class={class};action={};widths={};activation={activation};clip={};members={}{states}",
            A::NAME,
            widths.join(","),
            clip::<A>(),
            self.members
        )
    }

    /// Parses exactly what [`describe`](Self::describe) writes.
    fn parse<A: OutputHead>(entry: &str) -> Result<Self, PolicyFileError> {
        let fields: HashMap<&str, &str> =
            entry.split(';').filter_map(|pair| pair.split_once('=')).collect();
        let exactly = |field, expected: &str| {
            parse(&fields, field, expected, |found| (found == expected).then_some(()))
        };
        let standardized = parse(&fields, "version", "1 or 2", |version| match version {
            "1" => Some(false),
            "2" => Some(true),
            _ => None,
        })?;
        if standardized {
            exactly("states", "standardised")?;
        }
        exactly("action", A::NAME)?;
        exactly("clip", clip::<A>())?;
        let widths = parse(&fields, "widths", "widths separated by commas", |list| {
            list.split(',').map(|w| w.parse::<usize>().ok()).collect::<Option<Vec<_>>>()
        })?;
        let layout = Layout::new(&widths)?;
        let (class, activation) = class(&layout);
        exactly("class", class)?;
        exactly("activation", activation)?;
        let members =
            parse(&fields, "members", "a positive number", |m| m.parse().ok().filter(|m| *m > 0))?;
        let header = Self { layout, members, standardized };
        let expected = header.describe::<A>();
        if entry != expected {
            let found = format!("`{entry}`");
            return Err(PolicyFileError::Field {
                field: ENTRY,
                found,
                expected: format!("`{expected}`"),
            });
        }
        Ok(header)
    }

    /// Returns the name and shape of every tensor.
    fn tensors(&self) -> impl Iterator<Item = (String, Vec<usize>)> {
        let layers = self.layout.layers().iter().enumerate().flat_map(|(l, layer)| {
            [
                (name(l, "weight"), vec![self.members, layer.inputs, layer.outputs]),
                (name(l, "bias"), vec![self.members, layer.outputs]),
            ]
        });
        let statistics = [MEAN, SCALE].into_iter().filter(|_| self.standardized);
        layers.chain(statistics.map(|name| (name.to_owned(), vec![self.layout.inputs()])))
    }
}

fn class(layout: &Layout) -> (&'static str, &'static str) {
    if layout.layers().len() == 1 { ("linear", "none") } else { ("mlp", "tanh") }
}

fn clip<A: OutputHead>() -> &'static str {
    match A::LOSS {
        Loss::ClippedSquares => "-1,1",
        Loss::CrossEntropy => "none",
    }
}

fn name(l: usize, part: &str) -> String {
    format!("layer.{l}.{part}")
}

fn parse<T>(
    fields: &HashMap<&str, &str>,
    field: &'static str,
    expected: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, PolicyFileError> {
    let found = fields.get(field);
    found.and_then(|text| read(text)).ok_or_else(|| PolicyFileError::Field {
        field,
        found: found.map_or("missing".to_owned(), |text| format!("`{text}`")),
        expected: expected.to_owned(),
    })
}

/// A file whose tensors match its header.
///
/// The file is as large as the header says, so memory can now be allocated by those sizes.
struct PolicyFile<'a> {
    file: SafeTensors<'a>,
    header: PolicyHeader,
}

impl<'a> PolicyFile<'a> {
    fn open<A: OutputHead>(bytes: &'a [u8]) -> Result<Self, PolicyFileError> {
        check_safetensors_header(bytes)?;
        let file = SafeTensors::deserialize(bytes)?;
        let (_, metadata) = SafeTensors::read_metadata(bytes)?;
        let entry = metadata
            .metadata()
            .as_ref()
            .and_then(|m| m.get(ENTRY))
            .ok_or(PolicyFileError::Foreign)?;
        let header = PolicyHeader::parse::<A>(entry)?;
        for (name, shape) in header.tensors() {
            let tensor = file.tensor(&name)?;
            if tensor.dtype() != Dtype::F32 || tensor.shape() != shape {
                let found = format!("{:?} {:?}", tensor.dtype(), tensor.shape());
                return Err(PolicyFileError::Tensor {
                    name,
                    found,
                    expected: format!("F32 {shape:?}"),
                });
            }
        }
        match (file.len(), header.tensors().count()) {
            (found, expected) if found == expected => Ok(Self { file, header }),
            (found, expected) => Err(PolicyFileError::Count { found, expected }),
        }
    }

    fn policy<A: OutputHead>(&self) -> Result<Ensemble<A>, PolicyFileError> {
        let layout = &self.header.layout;
        let mut params = vec![layout.zeros(); self.header.members];
        for l in 0..layout.layers().len() {
            self.read_layer(l, &mut params)?;
        }
        Ok(Ensemble::new(Network::new(layout.widths())?, params, self.standardizer()?))
    }

    fn read_layer(&self, l: usize, params: &mut [AlignedVec]) -> Result<(), PolicyFileError> {
        let layout = &self.header.layout;
        let layer = &layout.layers()[l];
        let [weights, biases] = ["weight", "bias"].map(|part| self.finite(&name(l, part)));
        let (weights, biases) = (weights?, biases?);
        let weights = weights.chunks_exact(layer.inputs * layer.outputs);
        for (params, (weights, bias)) in
            params.iter_mut().zip(weights.zip(biases.chunks_exact(layer.outputs)))
        {
            layout.set_dense(params, l, weights, bias);
        }
        Ok(())
    }

    fn standardizer(&self) -> Result<Option<Standardizer>, PolicyFileError> {
        if !self.header.standardized {
            return Ok(None);
        }
        let scale = self.numbers(SCALE, "finite positive", |x| x.is_finite() && x > 0.0)?;
        Ok(Some(Standardizer::from_parts(self.finite(MEAN)?, scale)))
    }

    fn finite(&self, name: &str) -> Result<Vec<f32>, PolicyFileError> {
        self.numbers(name, "finite", f32::is_finite)
    }

    fn numbers(
        &self,
        name: &str,
        expected: &'static str,
        is_valid: fn(f32) -> bool,
    ) -> Result<Vec<f32>, PolicyFileError> {
        let bytes = self.file.tensor(name)?.data();
        let numbers: Vec<f32> =
            bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        match numbers.iter().position(|x| !is_valid(*x)) {
            Some(index) => {
                let value = numbers[index];
                Err(PolicyFileError::Value { name: name.to_owned(), index, value, expected })
            }
            None => Ok(numbers),
        }
    }
}
