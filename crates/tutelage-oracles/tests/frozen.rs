//! Training reproduces the bits of earlier versions, on which committed results depend.
//!
//! The bits are those of x86-64, whose portable path has no fused multiply-add.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]
#![allow(clippy::unwrap_used)] // a failed step fails the test

mod support;

use rand::RngExt;
use support::perturbed;
use tutelage::choice::{PerturbationSize, TrainOn};
use tutelage::oracle::{TrainingSets, TrainingSpec};
use tutelage::{Dataset, Oracle, Spaces, Stream};
use tutelage_oracles::LeastSquares;
use tutelage_oracles::mlp::{MlpClassifier, MlpOracle, MlpSettings, TrainingBudget};
use tutelage_oracles::net::Isa;

const SPACES: Spaces = Spaces { states: 9, actions: 4 };

fn data() -> Dataset<f32, f32> {
    let mut rng = Stream::new(21).rng();
    let mut data = Dataset::empty(SPACES);
    for _ in 0..260 {
        let state: Vec<f32> = (0..9).map(|_| rng.random_range(-2.0..2.0)).collect();
        data.actions.push(&[state[0], state[1] * state[2], 0.5 - state[3], state[4].abs()]);
        data.states.push(&state);
    }
    data
}

fn indices() -> Dataset<f32, u32> {
    let data = data();
    let mut indices = Dataset::empty(SPACES);
    for (state, label) in data.states.rows().zip(data.actions.rows()) {
        indices.states.push(state);
        indices.actions.push(&[(label[0] > 0.0) as u32 + 2 * (label[2] > 0.0) as u32]);
    }
    indices
}

fn ways<A>() -> [TrainingSpec<'static, f32, A>; 3] {
    [TrainOn::Data.into(), TrainOn::Bootstrap.into(), perturbed(PerturbationSize::Poisson(30.0))]
}

fn settings(hidden: &[usize]) -> MlpSettings {
    MlpSettings { budget: TrainingBudget::Iterations(40), batch: 120, ..MlpSettings::new(hidden) }
}

/// The 64-bit FNV-1a hash.
fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// Hashes of networks trained on D, on bootstraps and with perturbations.
fn hashes(isa: Isa) -> Vec<[u64; 2]> {
    let (data, indices) = (data(), indices());
    let both = |way: usize| {
        let vectors = TrainingSets::new(&data, ways()[way], SPACES, 2, Stream::new(3)).unwrap();
        let oracle = MlpOracle::new(settings(&[17, 8])).unwrap().with_isa(isa);
        let vectors = oracle.fit(&vectors, &Stream::new(4)).unwrap().to_safetensors();
        let indices = TrainingSets::new(&indices, ways()[way], SPACES, 2, Stream::new(3)).unwrap();
        let oracle = MlpClassifier::new(settings(&[12])).unwrap().with_isa(isa);
        let indices = oracle.fit(&indices, &Stream::new(4)).unwrap().to_safetensors();
        [hash(&vectors.unwrap()), hash(&indices.unwrap())]
    };
    (0..3).map(both).collect()
}

#[test]
fn networks_keep_their_bits() {
    let portable = [
        [0x4dbe_273e_7d60_1590, 0xa3bc_7a5f_6d3a_85e3],
        [0x1dbd_87df_8a87_4cbf, 0xec66_bcb0_626f_273b],
        [0x2387_06de_73ee_fdc0, 0xd7f9_cd55_ea2c_d53a],
    ];
    assert_eq!(hashes(Isa::Portable), portable);
    let fast = [
        [0x49d8_12c2_02af_487d, 0x63dd_fce6_63ae_590c],
        [0x3367_b169_64f1_8a06, 0x399f_9c70_c787_7929],
        [0x8f98_0d26_5281_53a4, 0xcadc_bc54_0d11_7fc1],
    ];
    let expected = if Isa::Avx2Fma.is_available() { fast } else { portable };
    for isa in [Isa::Avx2Fma, Isa::Avx512] {
        assert_eq!(hashes(isa), expected, "{isa:?}");
    }
}

#[test]
fn affine_policies_keep_their_bits() {
    let data = data();
    let affine = |way: TrainingSpec<'_, f32, f32>| {
        let sets = TrainingSets::new(&data, way, SPACES, 2, Stream::new(3)).unwrap();
        let policy = LeastSquares::default().fit(&sets, &Stream::new(4)).unwrap();
        hash(&policy.to_safetensors().unwrap())
    };
    let expected = [0x3683_11bb_fc89_5723, 0xc56a_840b_b82f_82ae, 0xe677_a41d_4eff_b96a];
    assert_eq!(ways().map(affine), expected);
}
