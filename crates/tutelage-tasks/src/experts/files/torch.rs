//! PyTorch's `state_dict`: a zip archive of a pickle and raw storages.

use tutelage_files::{MemoryBudget, ZipReader};

use super::pickle::{Id, Pickle};
use super::{Array, Arrays, ContentError, MAX_AXES, Precision};

const EXPECTED: &str = "a PyTorch state dictionary";

/// The longest name of a tensor or of its storage.
const MAX_NAME: usize = 200;

/// The memory of an array besides its numbers: its name, two lists of sizes and its place among the
/// others.
const ENTRY: usize = 16 * MAX_AXES + 100 + MAX_NAME;

/// Reads the tensors of a state dictionary, as `torch.save` writes it.
pub(crate) fn state_dict(bytes: &[u8], budget: &mut MemoryBudget) -> Result<Arrays, ContentError> {
    let invalid = |e: &dyn std::fmt::Display| ContentError::format(EXPECTED, e);
    let mut archive = ZipReader::new(bytes, budget).map_err(|e| invalid(&e))?;
    let names = archive.names();
    let pickled = names.iter().find(|name| name.ends_with("/data.pkl"));
    let pickled = pickled.ok_or_else(|| invalid(&"it has no data.pkl"))?;
    let folder = pickled.trim_end_matches("data.pkl");
    let mut entry = |name: &str| archive.read(name).map_err(|e| invalid(&format!("{name}: {e}")));
    let order = format!("{folder}byteorder");
    if names.contains(&order) && entry(&order)? != b"little" {
        return Err(invalid(&"its numbers are big-endian"));
    }
    let pickled = entry(pickled)?;
    let pickle = Pickle::parse(&pickled, archive.budget()).map_err(|e| invalid(&e))?;
    let mut arrays = Arrays::default();
    for &(key, value) in pickle.entries(pickle.root()) {
        let name = name(&pickle, key).ok_or_else(|| invalid(&"a tensor without a name"))?;
        let of_tensor = |e: &dyn std::fmt::Display| invalid(&format!("{name}: {e}"));
        let tensor =
            Tensor::of(&pickle, value).ok_or_else(|| of_tensor(&"it is not a tensor of floats"))?;
        let storage = archive.read(&format!("{folder}data/{}", tensor.storage));
        let storage = storage.map_err(|e| of_tensor(&e))?;
        let exceeds = || of_tensor(&"it exceeds its storage");
        let count = tensor.count(&storage).ok_or_else(exceeds)?;
        // A pickle may repeat a tensor, and a tensor its storage, so their bytes are no limit.
        archive.budget().spend(8 * count + ENTRY).map_err(|e| of_tensor(&e))?;
        arrays.insert(name, tensor.read(count, &storage).ok_or_else(exceeds)?);
    }
    Ok(arrays)
}

fn name(pickle: &Pickle, id: Id) -> Option<&str> {
    pickle.text(id).filter(|text| text.len() <= MAX_NAME)
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
        let [_, kind, key, ..] = pickle.list(*storage)? else { return None };
        let precision = match pickle.text(*kind)? {
            "torch.FloatStorage" => Precision::Single,
            "torch.DoubleStorage" => Precision::Double,
            _ => return None,
        };
        Some(Self {
            storage: name(pickle, *key)?.to_owned(),
            precision,
            offset: pickle.size(*offset)?,
            shape: pickle.sizes(*shape)?,
            strides: pickle.sizes(*strides)?,
        })
    }

    /// The number of elements, if the storage could hold them.
    fn count(&self, storage: &[u8]) -> Option<usize> {
        let count = self.shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size))?;
        (count <= storage.len() && self.strides.len() == self.shape.len()).then_some(count)
    }

    /// The elements in row-major order.
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

/// The little-endian number at a place of a storage.
pub(crate) fn number(storage: &[u8], place: usize, precision: Precision) -> Option<f64> {
    let bytes = |width: usize| storage.get(place.checked_mul(width)?..)?.get(..width);
    match precision {
        Precision::Single => Some(f64::from(f32::from_le_bytes(bytes(4)?.try_into().ok()?))),
        Precision::Double => Some(f64::from_le_bytes(bytes(8)?.try_into().ok()?)),
    }
}
