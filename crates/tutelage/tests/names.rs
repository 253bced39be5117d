//! Every name gives its four choices.

#![allow(clippy::unwrap_used)]

use tutelage::algorithm::FAMILIES;
use tutelage::choice::{
    Ask, Beta, Deploy, Drive, ExpertActs, Gate, PerturbationSize, TrainOn, Windows,
};
use tutelage::{Algorithm, AlgorithmName, Sampling};

const STRIDE: Sampling = Sampling::Stride(7);

/// The four choices behind a name, and the members.
fn meant_by(name: &str) -> Algorithm {
    let at_every_seventh = Ask::Sampled(STRIDE);
    let plain = |drive, train_on, members| Algorithm {
        drive,
        ask: at_every_seventh,
        train_on,
        deploy: Deploy::Mean,
        members,
    };
    let learner = |train_on, members| plain(Drive::Learner, train_on, members);
    let gated = |gate, members| Algorithm {
        ask: Ask::WhereExpertDrove { every: 7 },
        ..plain(Drive::Gated(gate), TrainOn::Bootstrap, members)
    };
    let windows = Windows { at_start: 0.5, length: 0.1, growth: 0.05, steady: 6, by_expert: 1 };
    let handed_over = |train_on, members| Algorithm {
        ask: Ask::InWindow(STRIDE),
        ..plain(Drive::HandOver(windows), train_on, members)
    };
    let mixed = |beta| plain(Drive::Mixture(beta), TrainOn::Data, 1);
    let perturbed = |size| TrainOn::Perturbed(size);
    match name {
        "bc" => plain(Drive::Expert(ExpertActs::Mean), TrainOn::Data, 1),
        "dagger" => learner(TrainOn::Data, 1),
        "bd-5" => learner(TrainOn::Bootstrap, 5),
        "mp-25(15)" => learner(perturbed(PerturbationSize::Fixed(15)), 25),
        "mftpl-p(15)" => Algorithm {
            deploy: Deploy::RandomRound,
            ..learner(perturbed(PerturbationSize::Poisson(15.0)), 25)
        },
        "growing-mp-25(5)" => learner(perturbed(PerturbationSize::Growing(5)), 25),
        "shuffled-mp-25(15)" => learner(TrainOn::Shuffled(15), 25),
        "dagger-constant(0.5)" => mixed(Beta::Constant(0.5)),
        "dagger-decay(0.5)" => mixed(Beta::Power(0.5)),
        "dagger-linear(10)" => mixed(Beta::Linear(10)),
        "bd-decay-5(0.5)" => plain(Drive::Mixture(Beta::Power(0.5)), TrainOn::Bootstrap, 5),
        "dart(1)" => plain(Drive::NoisyExpert { alpha: 1.0 }, TrainOn::Data, 1),
        "ensemble-dagger-5(0.05,0.2)" => gated(Gate::Doubt { chi: 0.05, tau: 0.2 }, 5),
        "hg-dagger(0.2)" => gated(Gate::Distance { tau: 0.2 }, 1),
        "take-over-5" => gated(Gate::Human, 5),
        "handover-dagger" => handed_over(TrainOn::Data, 1),
        "handover-bd-5" => handed_over(TrainOn::Bootstrap, 5),
        "handover-mp-25(15)" => handed_over(perturbed(PerturbationSize::Fixed(15)), 25),
        "windows-bd-5(0.5,0.1,0.05,6,1)" => handed_over(TrainOn::Bootstrap, 5),
        "active-bd-5(4)" => Algorithm {
            ask: Ask::MostDisputed { of: 4, sampling: STRIDE },
            ..learner(TrainOn::Bootstrap, 5)
        },
        // No state is labeled, so the sampling does not matter.
        "bagging-5" => Algorithm {
            ask: Ask::Sampled(Sampling::Stride(1)),
            ..plain(Drive::Stored, TrainOn::Bootstrap, 5)
        },
        "supervised" => Algorithm {
            ask: Ask::Sampled(Sampling::Stride(1)),
            ..plain(Drive::Stored, TrainOn::Data, 1)
        },
        other => panic!("{other} is not in this table"),
    }
}

#[test]
fn every_name_stands_for_its_choices() {
    for family in &FAMILIES {
        let named: AlgorithmName = family.example.parse().unwrap();
        let made = named.algorithm(STRIDE, ExpertActs::Mean);
        assert_eq!(made, meant_by(family.example), "{}", family.example);
    }
}

#[test]
fn numbers_of_windows_are_in_order() {
    let named: AlgorithmName = "windows-bd-3(0.1,0.2,0.3,4,5)".parse().unwrap();
    let windows = Windows { at_start: 0.1, length: 0.2, growth: 0.3, steady: 4, by_expert: 5 };
    assert_eq!(named.algorithm(STRIDE, ExpertActs::Mean).drive, Drive::HandOver(windows));
}
