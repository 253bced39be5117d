//! Files that claim more than they hold are refused, without the memory that they ask for.

#![allow(clippy::unwrap_used)] // a failed step fails the test

mod watched;

use std::io::{Cursor, Write};

use tutelage_tasks::bullet::Robot;
use tutelage_tasks::experts::trpo::TrpoSettings;
use tutelage_tasks::experts::{GaussianExpert, Training};
use zip::write::SimpleFileOptions;

use self::watched::watched;

type Reader = fn(&[u8]) -> Result<(), String>;

fn done<T, E: ToString>(result: Result<T, E>) -> Result<(), String> {
    result.map(drop).map_err(|error| error.to_string())
}

const SAFETENSORS: Reader = |file| done(GaussianExpert::from_safetensors(file));
const NPZ: Reader = |file| done(GaussianExpert::from_npz(file, Robot::Hopper));
const AGENT: Reader =
    |file| done(GaussianExpert::from_stable_baselines3(file, None, Robot::Hopper));
/// A pickle of statistics, next to a valid agent.
const STATISTICS: Reader = |file| {
    let agent = include_bytes!("data/trpo_tanh.zip");
    done(GaussianExpert::from_stable_baselines3(agent, Some(file), Robot::Hopper))
};
const CHECKPOINT: Reader = |file| done(Training::from_checkpoint(file));

/// Checks that a reader refuses a file with this message, and its peak memory.
fn refuse(megabytes: usize, read: Reader, file: &[u8], message: &str) {
    let (result, took) = watched(|| read(file));
    let found = result.expect_err(message);
    assert!(found.contains(message), "expected {message}: {found}");
    assert!(found.len() < 300, "a message of {} bytes", found.len());
    assert!(took <= megabytes << 20, "{took} bytes: {found}");
}

const MORE: &str = "more than the ";
const HEADER: &str = r#"{"format":1,"task":"hopper","time_feature":false}"#;

/// A safetensors file: its metadata entry, and tensors with their shapes and numbers of bytes.
fn safetensors(entry: &str, tensors: &[(&str, &str, usize)]) -> Vec<u8> {
    let mut end = 0;
    let mut describe = |(name, shape, bytes): &(&str, &str, usize)| {
        let start = end;
        end += bytes;
        format!(r#","{name}":{{"dtype":"F32","shape":[{shape}],"data_offsets":[{start},{end}]}}"#)
    };
    let tensors: String = tensors.iter().map(&mut describe).collect();
    let entry = serde_json::to_string(entry).unwrap();
    let header = format!(r#"{{"__metadata__":{{"tutelage":{entry}}}{tensors}}}"#);
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &vec![0; end]].concat()
}

fn npy(header: &str, bytes: usize) -> Vec<u8> {
    let length = (header.len() as u16).to_le_bytes();
    let npy = [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), &vec![0; bytes]].concat();
    zipped(&[("W0.npy", &npy)])
}

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A checkpoint with these settings, counts of iterations, steps and Adam's steps, and tensors.
fn checkpoint(
    settings: &TrpoSettings,
    [iteration, steps, adam_steps]: [u64; 3],
    tensors: &[(&str, &str, usize)],
) -> Vec<u8> {
    let header = serde_json::json!({
        "checkpoint": 1, "task": "hopper", "seed": 1, "iteration": iteration, "steps": steps,
        "adam_steps": adam_steps, "settings": settings, "best": null,
    });
    safetensors(&header.to_string(), tensors)
}

/// A checkpoint with all tensors of its settings, filled with zeros.
fn whole_checkpoint(settings: &TrpoSettings, counts: [u64; 3]) -> Vec<u8> {
    let parameters = |outputs: usize| {
        let hidden = settings.hidden.iter().copied();
        let widths: Vec<usize> = [15].into_iter().chain(hidden).chain([outputs]).collect();
        widths.windows(2).map(|pair| (pair[0] + 1) * pair[1].next_multiple_of(8)).sum::<usize>()
    };
    let (policy, value) = (parameters(3) + 3, parameters(1));
    let [p, v] = [policy, value].map(|count| count.to_string());
    let tensors = [
        ("policy", &p[..], policy),
        ("value", &v, value),
        ("value.adam.mean", &v, value),
        ("value.adam.square", &v, value),
        ("states.count", "1", 1),
        ("states.mean", "15", 15),
        ("states.squares", "15", 15),
        ("curve", "0, 7", 0),
    ];
    checkpoint(settings, counts, &tensors.map(|(name, shape, n)| (name, shape, 4 * n)))
}

/// Pickled text.
fn text(text: &str) -> Vec<u8> {
    [&[b'X'][..], &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
}

/// A pickled tuple of integers.
fn tuple(values: &[u64]) -> Vec<u8> {
    let long = |value: &u64| [&[0x8a, 9][..], &value.to_le_bytes(), &[0]].concat();
    [b"(".to_vec(), values.iter().flat_map(long).collect(), b"t".to_vec()].concat()
}

/// A pickled tensor of a storage, with a pickled shape and strides.
fn tensor(storage: &str, shape: &[u8], strides: &[u8]) -> Vec<u8> {
    let call = b"ctorch._utils\n_rebuild_tensor_v2\n((";
    let (kind, storage) = (b"ctorch\nFloatStorage\n", text(storage));
    [call, &text("storage")[..], kind, &storage, b"tQK\0", shape, strides, b"tR"].concat()
}

/// An agent whose policy is this pickle with storages, as `torch.save` writes it.
fn agent(pickle: &[&[u8]], storages: &[(&str, &[u8])]) -> Vec<u8> {
    let pickle = pickle.concat();
    let mut files = vec![("archive/data.pkl".to_owned(), &pickle[..])];
    files.extend(storages.iter().map(|(name, bytes)| (format!("archive/data/{name}"), *bytes)));
    let files: Vec<_> = files.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    zipped(&[("data", b"{}"), ("policy.pth", &zipped(&files))])
}

/// An agent with tensors of these shapes and strides.
fn agent_of(tensors: &[(&str, [u64; 2], [u64; 2])]) -> Vec<u8> {
    let entry = |(name, shape, strides): &(&str, [u64; 2], [u64; 2])| {
        [text(name), tensor("0", &tuple(shape), &tuple(strides))].concat()
    };
    let entries: Vec<u8> = tensors.iter().flat_map(entry).collect();
    agent(&[b"\x80\x02}(", &entries, b"u."], &[("0", &[0; 64])])
}

/// An agent with the same tensor under the same name many times.
fn repeating_agent(storage: &str, times: usize) -> Vec<u8> {
    let (one, name) = (tensor(storage, &tuple(&[8]), &tuple(&[0])), text("x"));
    let entries = b"h\x03h\x02".repeat(times);
    let pickle = [b"\x80\x02", &one[..], b"q\x020", &name, b"q\x030}(", &entries, b"u."];
    agent(&pickle, &[(storage, &[0; 64])])
}

/// One test for all readers, because they share the allocation counter.
#[test]
fn hostile_files_are_refused_without_much_memory() {
    safetensors_files();
    numpy_archives();
    agents();
    pickles();
    checkpoints();
    files_beyond_the_size_limit();
}

fn safetensors_files() {
    for (shape, next) in [("0, 65536", "65536, 0"), ("15, 0", "0, 65536")] {
        let tensors = [("W0", shape, 0), ("b0", "0", 0), ("W1", next, 0), ("b1", "0", 0)];
        refuse(4, SAFETENSORS, &safetensors(HEADER, &tensors), " has shape [");
    }
    let names: Vec<String> = (0..100_000).map(|i| i.to_string()).collect();
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), "0", 0)).collect();
    let zeros = vec!["0"; 1 << 20].join(",");
    for bytes in [safetensors(HEADER, &many), safetensors(HEADER, &[("W0", &zeros, 0)])] {
        refuse(4, SAFETENSORS, &bytes, "bytes; at most 1048576 are read");
    }
    let bytes = safetensors(HEADER, &[("W0", &vec!["1"; 100_000].join(","), 4)]);
    refuse(32, SAFETENSORS, &bytes, "W0 has 100000 axes; at most 32 are read");
}

fn numpy_archives() {
    let trillion = "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 3), }\n";
    refuse(4, NPZ, &npy(trillion, 12), "needs 13194139533312 bytes, but the file has 12");
    // Bytes in columns, which take eight times as much memory as numbers.
    let count = (1 << 26) - 200;
    let shape = format!("(2, {})", count / 2);
    let columns = format!("{{'descr': '|u1', 'fortran_order': True, 'shape': {shape}, }}\n");
    refuse(16, NPZ, &npy(&columns, count), MORE);
    let gigabytes = zipped(&[("data", &vec![0; 200 << 20])]);
    refuse(32, NPZ, &gigabytes, MORE);
    refuse(32, AGENT, &gigabytes, MORE);
}

fn agents() {
    let huge = 1 << 60;
    for (shape, strides) in [
        ([0, huge], [1, 1]),
        ([huge, 0], [1, 1]),
        ([4, 2], [huge, huge * 8]),
        ([2, 2], [u64::MAX, u64::MAX]),
    ] {
        refuse(4, AGENT, &agent_of(&[("action_net.weight", shape, strides)]), "action_net.weight");
    }
    // All tensors exist, so only their shapes prevent a network of 16000 × 16000.
    let hidden = |l: usize, what: &str| format!("mlp_extractor.policy_net.{l}.{what}");
    let names = [hidden(0, "weight"), hidden(0, "bias"), hidden(2, "weight"), hidden(2, "bias")];
    let mut tensors: Vec<_> = names.iter().map(|name| (&name[..], [16_000, 0], [1, 1])).collect();
    for name in ["action_net.weight", "action_net.bias", "log_std"] {
        tensors.push((name, [3, 0], [1, 1]));
    }
    refuse(4, AGENT, &agent_of(&tensors), "W0 has shape [0, 16000], but hopper takes");
    refuse(16, AGENT, &repeating_agent("0", 100_000), "x: more than the ");
    let long_storage = repeating_agent(&"d".repeat(60_000), 1000);
    refuse(16, AGENT, &long_storage, "x: it is not a tensor of floats");
    for data in [
        [b"[", &b"0,".repeat(1 << 20)[..], b"0]"].concat(),
        [b"{\"a\":[", &b"0,".repeat(1 << 20)[..], b"0],\"policy_kwargs\":{}}"].concat(),
    ] {
        refuse(8, AGENT, &zipped(&[("data", &data), ("policy.pth", b"")]), "not a");
    }
    let data = format!(r#"{{"policy_kwargs":{{"activation_fn":"{}"}}}}"#, "x".repeat(1 << 20));
    refuse(16, AGENT, &zipped(&[("data", data.as_bytes())]), "activation");
}

fn pickles() {
    // A shape of a million zeros, pickled once and used for every tensor.
    let axes = [b"K\0q\x000(", &b"h\0".repeat(1_000_000)[..], b"tq\x010"].concat();
    let one = [&tensor("0", b"h\x01", b"h\x01")[..], b"q\x020"].concat();
    let entries: Vec<u8> =
        (0..300).flat_map(|i: u32| [text(&i.to_string()), b"h\x02".to_vec()].concat()).collect();
    let bomb = agent(&[b"\x80\x02", &axes, &one, b"}(", &entries, b"u."], &[("0", b"")]);
    assert!(bomb.len() < 20_000, "{}", bomb.len());
    refuse(16, AGENT, &bomb, MORE);
    // The budget allows a few axes too many.
    let sizes = tuple(&[1; 33]);
    let entry = [text("w"), tensor("0", &sizes, &sizes)].concat();
    let axes = agent(&[b"\x80\x02}(", &entry, b"u."], &[("0", &[0; 4])]);
    refuse(4, AGENT, &axes, "w: it is not a tensor of floats");
    let name = [text(&"n".repeat(10_000)), b"\x94".to_vec()].concat();
    let again = b"h\0h\x01\x93".repeat(250_000);
    let long_names = agent(&[b"\x80\x04", &name, &name, &again, b"."], &[]);
    refuse(64, AGENT, &long_names, "a name of at most 100 bytes");
    for opcode in [0x94, b'(', b'N'] {
        let pickle = [b"\x80\x04N", &vec![opcode; 1 << 24][..], b"."].concat();
        refuse(100, AGENT, &agent(&[&pickle], &[]), MORE);
        refuse(500, STATISTICS, &pickle, MORE);
    }
}

fn checkpoints() {
    let settings = TrpoSettings { hidden: vec![16_000, 16_000], ..TrpoSettings::default() };
    let tensors = [("policy", "4", 16), ("value", "4", 16)];
    refuse(4, CHECKPOINT, &checkpoint(&settings, [0; 3], &tensors), "policy has shape [4]");
    let small = TrpoSettings { steps: 300, batch: 100, hidden: vec![3], ..TrpoSettings::default() };
    assert!(Training::from_checkpoint(&whole_checkpoint(&small, [1, 100, 1])).is_ok());
    for counts in [[u64::MAX, 0, 0], [0, u64::MAX - 9, 0], [0, 0, u64::MAX]] {
        let counted = "at most 9007199254740992 are counted";
        refuse(4, CHECKPOINT, &whole_checkpoint(&small, counts), counted);
    }
    let mut wide = small.clone();
    wide.value.minibatch = 1_000_000_000_000_000;
    let message = "value.minibatch is 1000000000000000, but must be ";
    refuse(4, CHECKPOINT, &whole_checkpoint(&wide, [0; 3]), message);
    // The largest minibatch takes no memory for rows that do not exist.
    wide.value.minibatch = 1_000_000;
    let mut training = Training::from_checkpoint(&whole_checkpoint(&wide, [0; 3])).unwrap();
    let (_, took) = watched(|| training.advance().unwrap());
    assert!(took < 16 << 20, "{took} bytes");
    let crowded =
        TrpoSettings { batch: 1_000_000, hidden: vec![250, 250], ..TrpoSettings::default() };
    let message = "batch × parameters is 70360000000, but must be ";
    refuse(16, CHECKPOINT, &whole_checkpoint(&crowded, [0; 3]), message);
    // Orthogonal weights take cubic time, so a checkpoint is read without drawing them.
    let slow = TrpoSettings { hidden: vec![1500, 1500], ..TrpoSettings::default() };
    let (bytes, start) = (whole_checkpoint(&slow, [0; 3]), std::time::Instant::now());
    assert!(Training::from_checkpoint(&bytes).is_ok() && start.elapsed().as_secs() < 5);
}

fn files_beyond_the_size_limit() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["hole.safetensors", "hole.npz", "hole.zip", "hole.checkpoint"] {
        let path = folder.path().join(name);
        std::fs::File::create(&path).unwrap().set_len(100 << 20).unwrap();
        let (result, took) = watched(|| match name.ends_with("checkpoint") {
            true => done(Training::resume(&path)),
            false => done(GaussianExpert::read(&path, Some(Robot::Hopper), None)),
        });
        let message = result.unwrap_err();
        assert!(took < 4 << 20 && message.contains("67108864 bytes"), "{took} {message}");
    }
}
