//! Interactive imitation learning: one loop, three choices.
