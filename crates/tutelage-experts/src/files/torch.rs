//! Tensors and arrays inside pickles: PyTorch's `state_dict` and NumPy's arrays.

use tutelage_files::Unzip;

use super::pickle::{Id, Node, Pickle};
use super::{Array, Arrays, Precision, Problem, UNPACKED};

const EXPECTED: &str = "a PyTorch state dictionary";

/// Reads a file of a zip archive.
pub(crate) fn entry(archive: &mut Unzip<'_>, name: &str) -> Result<Vec<u8>, Problem> {
    let read = archive.read(name);
    read.map_err(|e| Problem::foreign("an archive as expected", format!("{name}: {e}")))
}

/// The tensors of a state dictionary, as `torch.save` writes it: a zip archive of a pickle and raw storages.
pub(crate) fn state_dict(bytes: &[u8]) -> Result<Arrays, Problem> {
    let foreign = |e: &dyn std::fmt::Display| Problem::foreign(EXPECTED, e);
    let mut archive = Unzip::new(bytes, UNPACKED).map_err(|e| foreign(&e))?;
    let names = archive.names();
    let pickled = names.iter().find(|name| name.ends_with("/data.pkl"));
    let pickled = pickled.ok_or_else(|| foreign(&"it has no data.pkl"))?;
    let folder = pickled.trim_end_matches("data.pkl").to_owned();
    let order = format!("{folder}byteorder");
    if names.contains(&order) && entry(&mut archive, &order)? != b"little" {
        return Err(foreign(&"its numbers are big-endian"));
    }
    let pickle = Pickle::parse(&entry(&mut archive, pickled)?).map_err(|e| foreign(&e))?;
    let mut arrays = Arrays::default();
    let mut room = Room(MOST_NUMBERS);
    for &(key, value) in pickle.entries(pickle.root()) {
        let name = pickle.text(key).ok_or_else(|| foreign(&"a tensor without a name"))?;
        let tensor = Tensor::of(&pickle, value)
            .ok_or_else(|| foreign(&format!("{name} is not a tensor of floats")))?;
        let storage = entry(&mut archive, &format!("{folder}data/{}", tensor.storage))?;
        let array = tensor.read(&storage);
        let array = array.filter(|array| room.take(array.values.len()));
        arrays.insert(name, array.ok_or_else(|| foreign(&format!("{name} exceeds its storage")))?);
    }
    Ok(arrays)
}

/// How many numbers all tensors may have together. A tensor may be a view that repeats its storage, so their bytes say nothing.
const MOST_NUMBERS: usize = 1 << 24;

struct Room(usize);

impl Room {
    fn take(&mut self, count: usize) -> bool {
        self.0.checked_sub(count).map(|left| self.0 = left).is_some()
    }
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
            storage: pickle.text(*key)?.to_owned(),
            precision,
            offset: pickle.number(*offset)? as usize,
            shape: pickle.sizes(*shape)?,
            strides: pickle.sizes(*strides)?,
        })
    }

    /// The numbers in row-major order.
    fn read(&self, storage: &[u8]) -> Option<Array> {
        let count = self.shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size))?;
        if count > storage.len().min(MOST_NUMBERS) || self.strides.len() != self.shape.len() {
            return None;
        }
        let at = |index: usize| {
            let axes = self.shape.iter().zip(&self.strides).rev();
            let place = axes.fold(Some((index, self.offset)), |at, (size, stride)| {
                let (rest, place) = at?;
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
    let shape = pickle.sizes(shape)?;
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
