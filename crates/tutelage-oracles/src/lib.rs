//! Offline learning oracles: given labelled states, the policy of a class that fits them best.

pub mod net;
