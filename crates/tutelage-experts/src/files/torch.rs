//! Tensors and arrays inside pickles: PyTorch's `state_dict` and NumPy's arrays.

use tutelage_files::{MemoryBudget, ZipReader};

use super::pickle::{Id, Node, Pickle};
use super::{Array, Arrays, MOST_AXES, Precision, Problem};

const EXPECTED: &str = "a PyTorch state dictionary";

/// Reads a file of a zip archive.
pub(crate) fn entry(archive: &mut ZipReader<'_>, name: &str) -> Result<Vec<u8>, Problem> {
    let read = archive.read(name);
    read.map_err(|e| Problem::foreign("an archive as expected", format!("{name}: {e}")))
}

/// The tensors of a state dictionary, as `torch.save` writes it: a zip archive of a pickle and raw
/// storages.
pub(crate) fn state_dict(bytes: &[u8], budget: &mut MemoryBudget) -> Result<Arrays, Problem> {
    let foreign = |e: &dyn std::fmt::Display| Problem::foreign(EXPECTED, e);
    let mut archive = ZipReader::new(bytes, budget).map_err(|e| foreign(&e))?;
    let names = archive.names();
    let pickled = names.iter().find(|name| name.ends_with("/data.pkl"));
    let pickled = pickled.ok_or_else(|| foreign(&"it has no data.pkl"))?;
    let folder = pickled.trim_end_matches("data.pkl").to_owned();
    let order = format!("{folder}byteorder");
    if names.contains(&order) && entry(&mut archive, &order)? != b"little" {
        return Err(foreign(&"its numbers are big-endian"));
    }
    let pickled = entry(&mut archive, pickled)?;
    let pickle = Pickle::parse(&pickled, archive.budget()).map_err(|e| foreign(&e))?;
    let mut arrays = Arrays::default();
    for &(key, value) in pickle.entries(pickle.root()) {
        let name = short(&pickle, key).ok_or_else(|| foreign(&"a tensor without a name"))?;
        let tensor = Tensor::of(&pickle, value)
            .ok_or_else(|| foreign(&format!("{name} is not a tensor of floats")))?;
        let storage = entry(&mut archive, &format!("{folder}data/{}", tensor.storage))?;
        // A pickle may say the same tensor again and again, and a tensor its storage, so that their
        // bytes alone say nothing.
        let count = tensor.count(&storage);
        let count = count.ok_or_else(|| foreign(&format!("{name} exceeds its storage")))?;
        let cost = 8 * count + ENTRY + LONGEST_NAME;
        archive.budget().spend(cost).map_err(|e| foreign(&format!("{name}: {e}")))?;
        let array = tensor.read(count, &storage);
        arrays.insert(name, array.ok_or_else(|| foreign(&format!("{name} exceeds its storage")))?);
    }
    Ok(arrays)
}

/// How long the name of a tensor, or of its storage, may be.
const LONGEST_NAME: usize = 200;

/// What an array takes besides its numbers and its name: two lists of sizes and a place among the
/// others.
const ENTRY: usize = 16 * MOST_AXES + 100;

/// A name that is no longer than any.
fn short(pickle: &Pickle, id: Id) -> Option<&str> {
    pickle.text(id).filter(|text| text.len() <= LONGEST_NAME)
}

/// Sizes along the axes of an array.
fn axes(pickle: &Pickle, id: Id) -> Option<Vec<usize>> {
    (pickle.sequence(id)?.len() <= MOST_AXES).then(|| pickle.sizes(id))?
}

/// `_rebuild_tensor_v2(storage, offset, shape, strides, …)`, a view of a storage.
struct Tensor {
    storage: String,
    precision: Precision,
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
}

impl Tensor {
    fn of(pickle: &Pickle, id: Id) -> Option<Self> {
        let ("torch._utils._rebuild_tensor_v2", [storage, offset, shape, strides, ..]) =
            pickle.call(id)?
        else {
            return None;
        };
        let Node::Persistent(place) = *pickle.node(*storage) else { return None };
        let [_, kind, key, ..] = pickle.sequence(place)? else { return None };
        let precision = match pickle.text(*kind)? {
            "torch.FloatStorage" => Precision::Single,
            "torch.DoubleStorage" => Precision::Double,
            _ => return None,
        };
        Some(Self {
            storage: short(pickle, *key)?.to_owned(),
            precision,
            offset: pickle.number(*offset)? as usize,
            shape: axes(pickle, *shape)?,
            strides: axes(pickle, *strides)?,
        })
    }

    /// How many numbers it has, where its storage could hold them.
    fn count(&self, storage: &[u8]) -> Option<usize> {
        let count = self.shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size))?;
        (count <= storage.len() && self.strides.len() == self.shape.len()).then_some(count)
    }

    /// The numbers in row-major order.
    fn read(&self, count: usize, storage: &[u8]) -> Option<Array> {
        let at = |index: usize| {
            let mut axes = self.shape.iter().zip(&self.strides).rev();
            let place = axes.try_fold((index, self.offset), |(rest, place), (size, stride)| {
                Some((rest / size, place.checked_add((rest % size).checked_mul(*stride)?)?))
            });
            number(storage, place?.1, self.precision)
        };
        let values = (0..count).map(at).collect::<Option<_>>()?;
        Some(Array { shape: self.shape.clone(), values, precision: self.precision })
    }
}

/// A NumPy array of doubles or singles in a pickle: `_reconstruct` with a state, or `_frombuffer`.
pub(crate) fn numpy_array(pickle: &Pickle, id: Id) -> Option<Array> {
    let (function, arguments) = pickle.call(id)?;
    let (bytes, kind, shape) = match (function, arguments) {
        ("numpy.core.multiarray._reconstruct" | "numpy._core.multiarray._reconstruct", _) => {
            let [_, shape, kind, fortran, bytes] = pickle.sequence(pickle.state(id)?)? else {
                return None;
            };
            let fortran = pickle.number(*fortran)? != 0.0;
            let vector = pickle.sequence(*shape)?.len() < 2;
            (!fortran || vector).then_some((*bytes, *kind, *shape))?
        }
        (
            "numpy.core.numeric._frombuffer" | "numpy._core.numeric._frombuffer",
            [bytes, kind, shape, ..],
        ) => (*bytes, *kind, *shape),
        _ => return None,
    };
    let Node::Bytes(bytes) = pickle.node(bytes) else { return None };
    let ("numpy.dtype", [name, ..]) = pickle.call(kind)? else { return None };
    let precision = match pickle.text(*name)? {
        "f4" => Precision::Single,
        "f8" => Precision::Double,
        _ => return None,
    };
    let shape = axes(pickle, shape)?;
    let count = shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size))?;
    if count > bytes.len() {
        return None;
    }
    let values = (0..count).map(|place| number(bytes, place, precision)).collect::<Option<_>>()?;
    Some(Array { shape, values, precision })
}

/// The little-endian number at a place of a storage.
fn number(storage: &[u8], place: usize, precision: Precision) -> Option<f64> {
    let bytes = |width: usize| storage.get(place.checked_mul(width)?..)?.get(..width);
    match precision {
        Precision::Single => Some(f64::from(f32::from_le_bytes(bytes(4)?.try_into().ok()?))),
        Precision::Double => Some(f64::from_le_bytes(bytes(8)?.try_into().ok()?)),
    }
}
