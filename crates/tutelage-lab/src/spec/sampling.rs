//! How the core's small choices are written.

use tutelage::Sampling;
use tutelage::choice::{Deploy, ExpertActs};
use tutelage_runs::Keep;

use super::SpecError;

/// `stride(20)` or `independent`.
pub fn sampling_name(sampling: Sampling) -> String {
    match sampling {
        Sampling::Stride(stride) => format!("stride({stride})"),
        Sampling::Independent => "independent".into(),
    }
}

/// `sampled` or `mean`.
pub fn expert_acts_name(acts: ExpertActs) -> &'static str {
    match acts {
        ExpertActs::Sampled => "sampled",
        ExpertActs::Mean => "mean",
    }
}

/// `mean`, `member` or `random-round`.
pub fn deploy_name(deploy: Deploy) -> &'static str {
    match deploy {
        Deploy::Mean => "mean",
        Deploy::UniformMember => "member",
        Deploy::RandomRound => "random-round",
    }
}

/// `all` or `last`.
pub fn keep_name(keep: Keep) -> &'static str {
    match keep {
        Keep::All => "all",
        Keep::Last => "last",
    }
}

pub(super) fn parse_sampling(text: &str) -> Result<Sampling, SpecError> {
    if text == "independent" {
        return Ok(Sampling::Independent);
    }
    let stride = text.strip_prefix("stride(").and_then(|rest| rest.strip_suffix(')'));
    let stride = stride.and_then(|stride| stride.trim().parse().ok());
    stride.filter(|stride| (1..=1000).contains(stride)).map(Sampling::Stride).ok_or_else(|| {
        let allowed = "independent, or stride(N) with N from 1 to 1000";
        SpecError::range("sampling", format!("\"{text}\""), allowed)
    })
}

pub(super) fn parse_expert_acts(text: &str) -> Result<ExpertActs, SpecError> {
    match text {
        "sampled" => Ok(ExpertActs::Sampled),
        "mean" => Ok(ExpertActs::Mean),
        _ => Err(SpecError::unknown("expert_acts", text, &["sampled", "mean"])),
    }
}

pub(super) fn parse_deploy(text: &str) -> Result<Deploy, SpecError> {
    match text {
        "mean" => Ok(Deploy::Mean),
        "member" => Ok(Deploy::UniformMember),
        "random-round" => Ok(Deploy::RandomRound),
        _ => Err(SpecError::unknown("deploy", text, &["mean", "member", "random-round"])),
    }
}

pub(super) fn parse_keep(text: &str) -> Result<Keep, SpecError> {
    match text {
        "all" => Ok(Keep::All),
        "last" => Ok(Keep::Last),
        _ => Err(SpecError::unknown("keep", text, &["all", "last"])),
    }
}
