//! Files that lie about what they hold: refused in words, and without the memory that they ask for.

#![allow(clippy::unwrap_used)] // a failed step fails the test

mod watched;

use std::io::{Cursor, Write};

use tutelage_envs::Robot;
use tutelage_experts::trpo::TrpoSettings;
use tutelage_experts::{GaussianExpert, Training};
use zip::write::SimpleFileOptions;

use self::watched::watched;

/// The message of a refusal that took at most so many megabytes.
fn refused<T, E: ToString>(megabytes: usize, read: impl FnOnce() -> Result<T, E>) -> String {
    let (result, took) = watched(read);
    let message = result.map(drop).map_err(|error| error.to_string()).expect_err("an error");
    assert!(took <= megabytes << 20, "{took} bytes: {message}");
    message
}

/// A safetensors file: its metadata entry, and tensors with shapes and so many bytes of zeros.
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

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// One after the other, since they share the count.
#[test]
fn files_that_lie_are_refused_without_the_memory_they_ask_for() {
    weights_of_no_rows();
    a_checkpoint_of_huge_networks();
    arrays_of_a_trillion_rows();
    agents_with_impossible_tensors();
    an_archive_that_unpacks_to_gigabytes();
    a_pickle_that_says_a_long_name_again_and_again();
    tensors_of_a_million_axes();
    one_tensor_under_many_names_and_in_a_file_of_a_long_name();
    a_pickle_that_remembers_millions_of_times();
    an_agents_data_of_millions_of_numbers();
    small_numbers_in_columns_that_grow_when_they_are_read();
    headers_of_megabytes();
    files_beyond_all_experts();
    a_checkpoint_with_endless_settings();
    a_checkpoint_is_read_without_drawing_the_weights_that_it_replaces();
}

fn weights_of_no_rows() {
    let entry = r#"{"format":1,"task":"hopper","time_feature":false}"#;
    for (shape, next) in [("0, 65536", "65536, 0"), ("15, 0", "0, 65536")] {
        let tensors = [("W0", shape, 0), ("b0", "0", 0), ("W1", next, 0), ("b1", "0", 0)];
        let message =
            refused(4, || GaussianExpert::from_safetensors(&safetensors(entry, &tensors)));
        assert!(message.contains(" has shape ["), "{message}");
    }
}

/// The header of a checkpoint with these settings, and numbers of what it counts.
fn checkpoint(settings: &TrpoSettings, counts: [u64; 3]) -> String {
    let settings = serde_json::to_string(settings).unwrap();
    let [iteration, steps, adam_steps] = counts;
    format!(
        r#"{{"checkpoint":1,"task":"hopper","seed":1,"iteration":{iteration},"steps":{steps},"adam_steps":{adam_steps},"settings":{settings},"best":null}}"#
    )
}

/// A checkpoint with all that it needs, zeros all over, for hidden layers of these widths.
fn whole_checkpoint(settings: &TrpoSettings, counts: [u64; 3]) -> Vec<u8> {
    let parameters = |outputs: usize| {
        let hidden = settings.hidden.iter().copied();
        let widths: Vec<usize> = [15].into_iter().chain(hidden).chain([outputs]).collect();
        widths.windows(2).map(|pair| (pair[0] + 1) * pair[1].next_multiple_of(8)).sum::<usize>()
    };
    let (policy, value) = (parameters(3) + 3, parameters(1));
    let [p, v] = [policy, value].map(|count| count.to_string());
    let singles = [("policy", &p[..], policy), ("value", &v, value)];
    let adam = [("value.adam.mean", &v[..], value), ("value.adam.square", &v, value)];
    let statistics = [("states.count", "1", 1), ("states.mean", "15", 15)];
    let rest = [("states.squares", "15", 15), ("curve", "0, 7", 0)];
    let tensors: Vec<_> = [singles, adam, statistics, rest].concat();
    let tensors: Vec<_> = tensors.iter().map(|&(name, shape, n)| (name, shape, 4 * n)).collect();
    safetensors(&checkpoint(settings, counts), &tensors)
}

fn a_checkpoint_of_huge_networks() {
    let settings = TrpoSettings { hidden: vec![16_000, 16_000], ..TrpoSettings::default() };
    let entry = checkpoint(&settings, [0; 3]);
    let bytes = safetensors(&entry, &[("policy", "4", 16), ("value", "4", 16)]);
    let message = refused(4, || Training::from_checkpoint(&bytes));
    assert!(message.contains("policy has shape [4]"), "{message}");
    let endless = TrpoSettings { batch: 1 << 60, ..TrpoSettings::default() };
    assert_eq!(endless.check().unwrap_err().field, "batch");
}

fn a_checkpoint_with_endless_settings() {
    let small = TrpoSettings { steps: 300, batch: 100, hidden: vec![3], ..TrpoSettings::default() };
    assert!(Training::from_checkpoint(&whole_checkpoint(&small, [1, 100, 1])).is_ok());
    let mut wide = small.clone();
    wide.value.minibatch = 1_000_000_000_000_000;
    let message = refused(4, || Training::from_checkpoint(&whole_checkpoint(&wide, [0; 3])));
    let allowed = "value.minibatch is 1000000000000000, but must be at most 1000000";
    assert!(message.contains(allowed), "{message}");
    // Rows that are not there take no memory either.
    wide.value.minibatch = 1_000_000;
    let mut training = Training::from_checkpoint(&whole_checkpoint(&wide, [0; 3])).unwrap();
    let (_, took) = watched(|| training.advance().unwrap());
    assert!(took < 16 << 20, "{took} bytes");
    for counts in [[u64::MAX, 0, 0], [0, u64::MAX - 9, 0], [0, 0, u64::MAX]] {
        let bytes = whole_checkpoint(&small, counts);
        let message = refused(4, || Training::from_checkpoint(&bytes));
        assert!(message.contains("at most 9007199254740992 are counted"), "{message}");
    }
    let crowded =
        TrpoSettings { batch: 1_000_000, hidden: vec![250, 250], ..TrpoSettings::default() };
    let bytes = whole_checkpoint(&crowded, [0; 3]);
    let message = refused(16, || Training::from_checkpoint(&bytes));
    assert!(
        message.contains("batch × parameters is 70360000000, but must be at most"),
        "{message}"
    );
}

fn a_checkpoint_is_read_without_drawing_the_weights_that_it_replaces() {
    let hidden = vec![1500, 1500];
    let settings = TrpoSettings { hidden, ..TrpoSettings::default() };
    let bytes = whole_checkpoint(&settings, [0; 3]);
    let start = std::time::Instant::now();
    assert!(Training::from_checkpoint(&bytes).is_ok());
    assert!(start.elapsed().as_secs() < 5, "orthogonal weights take a cubic time");
}

fn arrays_of_a_trillion_rows() {
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 3), }\n";
    let npy =
        [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), &[0; 12]]
            .concat();
    let message =
        refused(4, || GaussianExpert::from_npz(&zipped(&[("W0.npy", &npy)]), Robot::Hopper));
    assert!(message.contains("takes 13194139533312 bytes, but there are 12"), "{message}");
}

fn text(text: &str) -> Vec<u8> {
    [&[b'X'][..], &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
}

/// The call that makes a tensor of a storage, whose shape and strides are already instructions of a
/// pickle.
fn tensor(storage: &str, shape: &[u8], strides: &[u8]) -> Vec<u8> {
    [
        b"ctorch._utils\n_rebuild_tensor_v2\n((".to_vec(),
        text("storage"),
        b"ctorch\nFloatStorage\n".to_vec(),
        text(storage),
        b"tQK\0".to_vec(),
        shape.to_vec(),
        strides.to_vec(),
        b"tR".to_vec(),
    ]
    .concat()
}

fn tuple(values: &[u64]) -> Vec<u8> {
    let long = |value: &u64| [&[0x8a, 9][..], &value.to_le_bytes(), &[0]].concat();
    [b"(".to_vec(), values.iter().flat_map(long).collect(), b"t".to_vec()].concat()
}

/// An agent whose policy is this pickle beside storages, as `torch.save` writes it.
fn agent(pickle: &[u8], storages: &[(&str, &[u8])]) -> Vec<u8> {
    let mut files = vec![("archive/data.pkl".to_owned(), pickle)];
    files.extend(storages.iter().map(|(name, bytes)| (format!("archive/data/{name}"), *bytes)));
    let files: Vec<_> = files.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    zipped(&[("data", b"{}"), ("policy.pth", &zipped(&files))])
}

fn import(agent: &[u8]) -> Result<GaussianExpert, tutelage_experts::Problem> {
    GaussianExpert::from_stable_baselines3(agent, None, Robot::Hopper)
}

/// An agent with tensors of these shapes and strides.
fn agent_of(tensors: &[(&str, [u64; 2], [u64; 2])]) -> Vec<u8> {
    let entry = |(name, shape, strides): &(&str, [u64; 2], [u64; 2])| {
        [text(name), tensor("0", &tuple(shape), &tuple(strides))].concat()
    };
    let entries: Vec<u8> = tensors.iter().flat_map(entry).collect();
    agent(&[b"\x80\x02}(", &entries[..], b"u."].concat(), &[("0", &[0; 64])])
}

fn agents_with_impossible_tensors() {
    let huge = 1 << 60;
    for (shape, strides) in [
        ([0, huge], [1, 1]),
        ([huge, 0], [1, 1]),
        ([4, 2], [huge, huge * 8]),
        ([2, 2], [u64::MAX, u64::MAX]),
    ] {
        let agent = agent_of(&[("action_net.weight", shape, strides)]);
        refused(4, || import(&agent));
    }
    // Everything is there, so that only the shapes stand against a network of 16000 × 16000.
    let hidden = |l: usize, what: &str| format!("mlp_extractor.policy_net.{l}.{what}");
    let names = [hidden(0, "weight"), hidden(0, "bias"), hidden(2, "weight"), hidden(2, "bias")];
    let mut tensors: Vec<_> = names.iter().map(|name| (&name[..], [16_000, 0], [1, 1])).collect();
    for name in ["action_net.weight", "action_net.bias", "log_std"] {
        tensors.push((name, [3, 0], [1, 1]));
    }
    let message = refused(4, || import(&agent_of(&tensors)));
    assert!(message.contains("W0 has shape [0, 16000], but hopper takes"), "{message}");
}

fn tensors_of_a_million_axes() {
    // One shape, said once and used for every tensor: sizes of zero, so that there is not a single
    // number.
    let axes = [b"K\0q\x000(", &b"h\0".repeat(1_000_000)[..], b"tq\x010"].concat();
    let one = [&tensor("0", b"h\x01", b"h\x01")[..], b"q\x020"].concat();
    let entries: Vec<u8> =
        (0..300).flat_map(|i: u32| [text(&i.to_string()), b"h\x02".to_vec()].concat()).collect();
    let pickle = [b"\x80\x02", &axes[..], &one, b"}(", &entries, b"u."].concat();
    let bomb = agent(&pickle, &[("0", b"")]);
    assert!(bomb.len() < 20_000, "{}", bomb.len());
    let message = refused(16, || import(&bomb));
    assert!(message.contains("more than the "), "{message}");
    // A few axes too many are within every budget.
    let crowd = vec![1; 33];
    let pickle =
        [b"\x80\x02}(", &text("w")[..], &tensor("0", &tuple(&crowd), &tuple(&crowd)), b"u."];
    let message = refused(4, || import(&agent(&pickle.concat(), &[("0", &[0; 4])])));
    assert!(message.contains("w is not a tensor of floats"), "{message}");
}

fn one_tensor_under_many_names_and_in_a_file_of_a_long_name() {
    let again = |storage: &str, times: usize| {
        let one = [&tensor(storage, &tuple(&[8]), &tuple(&[0]))[..], b"q\x020"].concat();
        let name = [&text("x")[..], b"q\x030"].concat();
        let entries = b"h\x03h\x02".repeat(times);
        let pickle = [b"\x80\x02", &one[..], &name, b"}(", &entries, b"u."].concat();
        agent(&pickle, &[(storage, &[0; 64])])
    };
    let message = refused(16, || import(&again("0", 100_000)));
    assert!(message.contains("x: more than the "), "{message}");
    let message = refused(16, || import(&again(&"d".repeat(60_000), 1000)));
    assert!(message.contains("x is not a tensor of floats"), "{message}");
}

fn a_pickle_that_remembers_millions_of_times() {
    for instruction in [0x94, b'(', b'2', b'N'] {
        let pickle = [b"\x80\x04N", &vec![instruction; 1 << 24][..], b"."].concat();
        let bomb = agent(&pickle, &[]);
        let message = refused(100, || import(&bomb));
        assert!(message.contains("more than the "), "{message}");
        let agent = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/trpo_tanh.zip"));
        let message = refused(500, || {
            let (agent, task) = (&agent.unwrap(), Robot::Hopper);
            GaussianExpert::from_stable_baselines3(agent, Some(&pickle), task)
        });
        assert!(message.contains("byte ") && message.contains("more than the "), "{message}");
    }
}

fn an_agents_data_of_millions_of_numbers() {
    for data in [
        [b"[", &b"0,".repeat(1 << 20)[..], b"0]"].concat(),
        [b"{\"a\":[", &b"0,".repeat(1 << 20)[..], b"0],\"policy_kwargs\":{}}"].concat(),
    ] {
        let agent = zipped(&[("data", &data), ("policy.pth", b"")]);
        refused(8, || import(&agent));
    }
    let data = format!(r#"{{"policy_kwargs":{{"activation_fn":"{}"}}}}"#, "x".repeat(1 << 20));
    let message = refused(16, || import(&zipped(&[("data", data.as_bytes())])));
    assert!(message.contains("activation") && message.len() < 200, "{}", message.len());
}

fn small_numbers_in_columns_that_grow_when_they_are_read() {
    let count = (1 << 26) - 200;
    let header =
        format!("{{'descr': '|u1', 'fortran_order': True, 'shape': (2, {}), }}\n", count / 2);
    let length = (header.len() as u16).to_le_bytes();
    let npy = [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), &vec![0; count]].concat();
    let npz = zipped(&[("W0.npy", &npy)]);
    drop(npy);
    let message = refused(16, || GaussianExpert::from_npz(&npz, Robot::Hopper));
    assert!(message.contains("more than the "), "{message}");
}

fn headers_of_megabytes() {
    let entry = r#"{"format":1,"task":"hopper","time_feature":false}"#;
    let names: Vec<String> = (0..100_000).map(|i| i.to_string()).collect();
    let crowd: Vec<_> = names.iter().map(|name| (name.as_str(), "0", 0)).collect();
    let dims = vec!["0"; 1 << 20].join(",");
    for bytes in [safetensors(entry, &crowd), safetensors(entry, &[("W0", &dims, 0)])] {
        let message = refused(4, || GaussianExpert::from_safetensors(&bytes));
        assert!(message.contains("bytes; at most 1048576 are read"), "{message}");
    }
    let bytes = safetensors(entry, &[("W0", &vec!["1"; 100_000].join(","), 4)]);
    let message = refused(32, || GaussianExpert::from_safetensors(&bytes));
    assert!(message.contains("W0 has 100000 axes; at most 32 are read"), "{message}");
}

fn files_beyond_all_experts() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["hole.safetensors", "hole.npz", "hole.zip", "hole.checkpoint"] {
        let path = folder.path().join(name);
        std::fs::File::create(&path).unwrap().set_len(100 << 20).unwrap();
        let message = refused(4, || match name.ends_with("checkpoint") {
            true => Training::resume(&path).map(drop).map_err(|e| e.to_string()),
            false => {
                let expert = GaussianExpert::read(&path, Some(Robot::Hopper), None);
                expert.map(drop).map_err(|e| e.to_string())
            }
        });
        assert!(message.contains("more than the 67108864 bytes"), "{message}");
    }
}

fn an_archive_that_unpacks_to_gigabytes() {
    let megabyte = vec![0; 1 << 20];
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("data", SimpleFileOptions::default()).unwrap();
    for _ in 0..200 {
        zip.write_all(&megabyte).unwrap();
    }
    let bomb = zip.finish().unwrap().into_inner();
    for message in [
        refused(32, || import(&bomb)),
        refused(32, || GaussianExpert::from_npz(&bomb, Robot::Hopper)),
    ] {
        assert!(message.contains("more than the "), "{message}");
    }
}

fn a_pickle_that_says_a_long_name_again_and_again() {
    let name = "n".repeat(10_000);
    let text = [&[b'X'][..], &(name.len() as u32).to_le_bytes(), name.as_bytes(), &[0x94]].concat();
    let again = b"h\0h\x01\x93".repeat(250_000);
    let pickle = [b"\x80\x04", &text[..], &text, &again, b"."].concat();
    let message = refused(64, || import(&agent(&pickle, &[])));
    assert!(message.contains("a name longer than any"), "{message}");
}
