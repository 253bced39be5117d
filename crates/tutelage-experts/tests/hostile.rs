//! Files that lie about what they hold: refused in words, and without the memory that they ask for.

#![allow(clippy::unwrap_used)] // a failed step fails the test

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use tutelage_envs::Task;
use tutelage_experts::trpo::TrpoSettings;
use tutelage_experts::{GaussianExpert, Training};
use zip::write::SimpleFileOptions;

/// The system's allocator, with a note of how much was held at once.
struct Watched;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is the system allocator's own; what is beyond all reason is refused, as a full memory would.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        if held > 1 << 30 {
            return std::ptr::null_mut();
        }
        // SAFETY: forwarded.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: forwarded.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// The message of a refusal that took at most so many megabytes.
fn refused<T, E: ToString>(megabytes: usize, read: impl FnOnce() -> Result<T, E>) -> String {
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let message = read().map(drop).map_err(|error| error.to_string()).expect_err("an error");
    let took = MOST.load(Ordering::Relaxed).saturating_sub(before);
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

fn a_checkpoint_of_huge_networks() {
    let settings = TrpoSettings { hidden: vec![16_000, 16_000], ..TrpoSettings::default() };
    let settings = serde_json::to_string(&settings).unwrap();
    let entry = format!(
        r#"{{"checkpoint":1,"task":"hopper","seed":1,"iteration":0,"steps":0,"adam_steps":0,"settings":{settings},"best":null}}"#
    );
    let bytes = safetensors(&entry, &[("policy", "4", 16), ("value", "4", 16)]);
    let message = refused(4, || Training::from_checkpoint(&bytes));
    assert!(message.contains("policy has shape [4]"), "{message}");
    let endless = TrpoSettings { batch: 1 << 60, ..TrpoSettings::default() };
    assert_eq!(endless.check().unwrap_err().field, "batch");
}

fn arrays_of_a_trillion_rows() {
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 3), }\n";
    let npy =
        [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), &[0; 12]]
            .concat();
    let message =
        refused(4, || GaussianExpert::from_npz(&zipped(&[("W0.npy", &npy)]), Task::Hopper));
    assert!(message.contains("takes 13194139533312 bytes, but there are 12"), "{message}");
}

/// A state dictionary with one tensor of this shape under this name, as `torch.save` writes it.
fn state_dict(name: &str, shape: &[u64], strides: &[u64], storage: &[u8]) -> Vec<u8> {
    let long = |value: &u64| [&[0x8a, 9][..], &value.to_le_bytes(), &[0]].concat();
    let tuple = |values: &[u64]| {
        [b"(".to_vec(), values.iter().flat_map(long).collect(), b"t".to_vec()].concat()
    };
    let text =
        |text: &str| [&[b'X'][..], &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
    let pickle = [
        b"\x80\x02}(".to_vec(),
        text(name),
        b"ctorch._utils\n_rebuild_tensor_v2\n((".to_vec(),
        text("storage"),
        b"ctorch\nFloatStorage\n".to_vec(),
        text("0"),
        b"tQK\0".to_vec(),
        tuple(shape),
        tuple(strides),
        b"tRu.".to_vec(),
    ]
    .concat();
    zipped(&[("archive/data.pkl", &pickle), ("archive/data/0", storage)])
}

fn agents_with_impossible_tensors() {
    let huge = 1 << 60;
    for (shape, strides) in [
        ([0, huge], [1, 1]),
        ([huge, 0], [1, 1]),
        ([4, 2], [huge, huge * 8]),
        ([2, 2], [u64::MAX, u64::MAX]),
        ([65536, 0], [1, 1]),
    ] {
        let policy = state_dict("action_net.weight", &shape, &strides, &[0; 64]);
        let agent = zipped(&[("data", b"{}"), ("policy.pth", &policy)]);
        refused(4, || GaussianExpert::from_stable_baselines3(&agent, None, Task::Hopper));
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
    let message =
        refused(300, || GaussianExpert::from_stable_baselines3(&bomb, None, Task::Hopper));
    assert!(message.contains("more than the 67108864 bytes that are expected"), "{message}");
    let npz = refused(300, || GaussianExpert::from_npz(&bomb, Task::Hopper));
    assert!(npz.contains("more than the 67108864 bytes"), "{npz}");
}

fn a_pickle_that_says_a_long_name_again_and_again() {
    let name = "n".repeat(10_000);
    let text = [&[b'X'][..], &(name.len() as u32).to_le_bytes(), name.as_bytes(), &[0x94]].concat();
    let again = b"h\0h\x01\x93".repeat(250_000);
    let pickle = [b"\x80\x04", &text[..], &text, &again, b"."].concat();
    let agent = zipped(&[("data", b"{}"), ("policy.pth", &zipped(&[("a/data.pkl", &pickle)]))]);
    let message =
        refused(64, || GaussianExpert::from_stable_baselines3(&agent, None, Task::Hopper));
    assert!(message.contains("a name longer than any"), "{message}");
}
