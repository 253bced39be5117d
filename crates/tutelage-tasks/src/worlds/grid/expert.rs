//! The expert of the maze.

use std::sync::Arc;

use tutelage::Env;

use super::GridEnv;
use super::env::decode;
use crate::worlds::{ScriptedExpert, World};

impl World for GridEnv {
    /// Takes the shortest path. Ties are broken in the order up, right, down, left.
    fn expert(&self) -> ScriptedExpert<u32> {
        let maze = Arc::clone(&self.maze);
        ScriptedExpert::new(self.spaces(), move |state, action| {
            let [cell, goal] = decode(state, maze.size);
            action[0] = maze.direction_to(goal, cell) as u32;
        })
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use crate::worlds::GridEnv;
    use crate::worlds::play::play;

    #[test]
    fn takes_the_fewest_possible_steps() {
        for seed in 0..100 {
            let mut grid = GridEnv::default();
            let steps = play(&mut grid, Stream::new(seed));
            let [column, row] = grid.trail[0];
            let fewest = grid.maze.steps_to(grid.goal)[row * 8 + column];
            assert_eq!(steps.len(), fewest, "seed {seed}");
            let last = steps[steps.len() - 1];
            assert!(last.terminated && last.reward == (51 - fewest) as f64 / 50.0);
        }
    }
}
