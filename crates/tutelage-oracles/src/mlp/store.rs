//! Policies as safetensors.
//!
//! One metadata entry, `tutelage.policy`, says what the file is: `version=1;class=mlp;action=vector;widths=28,64,64,8;activation=tanh;clip=-1,1;members=25`
//! (`class=linear;activation=none` without hidden layers, `clip=none` for indices). Layer `l` is stored for all members together, dense:
//! `layer.l.weight` as `[E][in][out]` and `layer.l.bias` as `[E][out]`, all `F32`.
//!
//! A policy that standardises states is `version=2;…;states=standardised` and has two tensors more, `states.mean` and `states.scale`,
//! `[in]` each: its networks see `(state − mean) / scale`.

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

/// Why bytes are not a stored policy, or not one of the class that was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyFileError {
    /// Not safetensors at all, or a damaged file.
    #[error("not a readable safetensors file: {0}")]
    Format(#[from] SafeTensorError),
    /// A header longer than any policy's.
    #[error(transparent)]
    HeaderTooLong(#[from] HeaderTooLong),
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
    /// A policy, but of another class or another task.
    #[error("a policy of another class: {what} {found}; allowed {allowed}")]
    OtherClass {
        /// "state width", "hidden widths", "output width" or "states".
        what: &'static str,
        /// What the policy has.
        found: String,
        /// What the class and the task call for.
        allowed: String,
    },
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
    /// There are tensors that no policy has.
    #[error("the file has {found} tensors; expected {expected}")]
    Count {
        /// How many there are.
        found: usize,
        /// How many the metadata call for.
        expected: usize,
    },
    /// A number that is not allowed.
    #[error("tensor `{name}`, element {index}: {value} is not {allowed}")]
    Value {
        /// Which tensor.
        name: String,
        /// Where in it.
        index: usize,
        /// What stood there.
        value: f32,
        /// What would have been allowed.
        allowed: &'static str,
    },
}

impl<A: OutputHead> Ensemble<A> {
    /// The policy as a safetensors file; the same policy gives the same bytes.
    ///
    /// ```
    /// # use tutelage::{Dataset, Oracle, Spaces, Stream, TrainOn, TrainingSets};
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
    ///
    /// # Errors
    /// Only what the format itself cannot hold.
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
        // A single entry, because the order of several would differ from run to run.
        let metadata = HashMap::from([(ENTRY.to_owned(), header.describe::<A>())]);
        Ok(serialize(views?, Some(metadata))?)
    }

    /// The policy that a safetensors file holds.
    ///
    /// # Errors
    /// A damaged or foreign file, another version, class or kind of action, tensors that do not fit the metadata, numbers that are not finite.
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self, PolicyFileError> {
        let stored = PolicyFile::open::<A>(bytes)?;
        stored.policy()
    }

    /// What the tensors hold, in the order of [`PolicyHeader::tensors`].
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

/// The policies that an oracle makes.
pub(crate) struct PolicyClassFormat<'a> {
    pub(crate) hidden: &'a [usize],
    pub(crate) standardize: Standardize,
    pub(crate) isa: Isa,
}

impl PolicyClassFormat<'_> {
    /// The policy that these bytes hold, if it is of this class and for these spaces.
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
        let differs = |what, found: String, allowed: String| match found == allowed {
            true => Ok(()),
            false => Err(PolicyFileError::OtherClass { what, found, allowed }),
        };
        differs("state width", layout.inputs().to_string(), spaces.states.to_string())?;
        differs("hidden widths", format!("{hidden:?}"), format!("{:?}", self.hidden))?;
        differs("output width", layout.outputs().to_string(), spaces.actions.to_string())?;
        match (header.standardized, self.standardize) {
            (true, Standardize::No) => differs("states", "standardised".into(), "as given".into()),
            _ => Ok(()),
        }
    }
}

/// What a stored policy says of itself.
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

    /// Parses what [`describe`](Self::describe) writes, and nothing else.
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
            parse(&fields, "members", "a number from 1 on", |m| m.parse().ok().filter(|m| *m > 0))?;
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

    /// Name and shape of every tensor.
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

/// A file whose tensors have the types and shapes that its header calls for: it is as large as it says, and only now is anything of
/// that size allocated.
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
        let scale = self.numbers(SCALE, "finite and positive", |x| x.is_finite() && x > 0.0)?;
        Ok(Some(Standardizer::from_parts(self.finite(MEAN)?, scale)))
    }

    fn finite(&self, name: &str) -> Result<Vec<f32>, PolicyFileError> {
        self.numbers(name, "finite", f32::is_finite)
    }

    fn numbers(
        &self,
        name: &str,
        allowed: &'static str,
        is_allowed: fn(f32) -> bool,
    ) -> Result<Vec<f32>, PolicyFileError> {
        let bytes = self.file.tensor(name)?.data();
        let numbers: Vec<f32> =
            bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        match numbers.iter().position(|x| !is_allowed(*x)) {
            Some(index) => {
                let value = numbers[index];
                Err(PolicyFileError::Value { name: name.to_owned(), index, value, allowed })
            }
            None => Ok(numbers),
        }
    }
}
