//! The scripted expert of the maze.

use std::sync::Arc;

use tutelage::Spaces;

use super::GridEnv;
use super::env::{decode, state_width};
use super::maze::Maze;
use crate::ScriptedRule;

/// Takes the shortest path. Ties are broken in the order up, right, down, left.
#[derive(Clone, Debug, PartialEq)]
pub struct ShortestPath(Arc<Maze>);

impl ShortestPath {
    /// Creates the rule for this maze.
    pub fn of(grid: &GridEnv) -> Self {
        Self(Arc::clone(&grid.maze))
    }
}

impl ScriptedRule for ShortestPath {
    type Action = u32;

    fn spaces(&self) -> Spaces {
        Spaces { states: state_width(self.0.size), actions: 4 }
    }

    fn act(&self, state: &[f32], action: &mut [u32]) {
        let [cell, goal] = decode(state, self.0.size);
        action[0] = self.0.direction_to(goal, cell) as u32;
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use crate::GridEnv;
    use crate::play::play;

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
