//! The maze as an environment.

use std::sync::Arc;

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step, Stream};

use super::maze::{Cell, Maze};
use crate::worlds::clock::{EpisodeClock, check_index};

/// Numbers of a state besides those for columns and rows: four walls and the goal.
const OTHERS: usize = 6;
/// The time limit H.
const HORIZON: usize = 50;

/// A fixed maze with a random start and a goal in one of its corners.
///
/// The state has one number per column and one per row (1 for the agent's own, 0 for the others),
/// then ±1 for each of the directions up, right, down and left (open or blocked), and ±1 for the side
/// of the goal (right or left, top or bottom). Actions 0 to 3 move up, right, down and left; a move
/// into a wall has no effect. Reaching the goal at time t ≤ H terminates the episode and earns
/// (H + 1 − t) / H; all other rewards are 0.
#[derive(Clone, Debug, PartialEq)]
pub struct GridEnv {
    pub(crate) maze: Arc<Maze>,
    pub(crate) goal: Cell,
    /// The cells visited so far, in order.
    pub(crate) trail: Vec<Cell>,
    clock: EpisodeClock,
}

impl Default for GridEnv {
    fn default() -> Self {
        Self::with_size([8, 6], 6)
    }
}

impl GridEnv {
    fn with_size(size: [usize; 2], loops: usize) -> Self {
        let maze = Maze::new(size, loops, &mut Stream::new(1).fork("maze", 0).rng());
        let (goal, trail) = (maze.corners()[2], vec![maze.corners()[0]]);
        Self { maze: Arc::new(maze), goal, trail, clock: EpisodeClock::default() }
    }

    /// Returns the agent's cell.
    pub(crate) fn cell(&self) -> Cell {
        self.trail.last().copied().unwrap_or_default()
    }

    fn observe(&self, state: &mut [f32]) {
        let (cell @ [column, row], [columns, rows]) = (self.cell(), self.maze.size);
        state.fill(0.0);
        state[column] = 1.0;
        state[columns + row] = 1.0;
        let sign = |yes: bool| if yes { 1.0 } else { -1.0 };
        let [up, right, down, left] = [0, 1, 2, 3].map(|way| sign(self.maze.is_open(cell, way)));
        let [goal_x, goal_y] = self.goal.map(|index| sign(index > 0));
        state[columns + rows..].copy_from_slice(&[up, right, down, left, goal_x, goal_y]);
    }
}

/// Returns the width of a state in a maze of this size.
pub(super) fn state_width([columns, rows]: [usize; 2]) -> usize {
    columns + rows + OTHERS
}

/// Returns the agent's cell and the goal of a state.
///
/// Takes the largest number of columns and rows, so that it also works for approximate states.
pub(super) fn decode(state: &[f32], size: [usize; 2]) -> [Cell; 2] {
    let [columns, rows] = size;
    let largest = |numbers: &[f32]| {
        let better = |best: usize, i: usize| if numbers[i] > numbers[best] { i } else { best };
        (1..numbers.len()).fold(0, better)
    };
    let cell = [largest(&state[..columns]), largest(&state[columns..columns + rows])];
    let sides = &state[columns + rows + 4..];
    let goal = [0, 1].map(|axis| if sides[axis] > 0.0 { size[axis] - 1 } else { 0 });
    [cell, goal]
}

impl Env for GridEnv {
    type State = f32;
    type Action = u32;

    fn spaces(&self) -> Spaces {
        Spaces { states: state_width(self.maze.size), actions: 4 }
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        EnvError::check_width("state", state.len(), state_width(self.maze.size))?;
        self.goal = self.maze.corners()[rng.random_range(0..4)];
        let [columns, rows] = self.maze.size;
        let start = loop {
            let cell = [rng.random_range(0..columns), rng.random_range(0..rows)];
            if cell != self.goal {
                break cell;
            }
        };
        self.trail.clear();
        self.trail.push(start);
        self.clock.start();
        self.observe(state);
        Ok(())
    }

    fn step(&mut self, action: &[u32], state: &mut [f32]) -> Result<Step, EnvError> {
        let earlier = self.clock.steps()?;
        EnvError::check_width("state", state.len(), state_width(self.maze.size))?;
        let way = check_index(action, 4, "0 (up), 1 (right), 2 (down) or 3 (left)")?;
        self.trail.push(self.maze.step(self.cell(), way as usize));
        self.observe(state);
        let arrived = self.cell() == self.goal;
        let reward = if arrived { (HORIZON - earlier) as f64 / HORIZON as f64 } else { 0.0 };
        Ok(self.clock.tick(reward, arrived, HORIZON))
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    /// Returns an agent in the lower left corner of a maze without inner walls, the goal top right.
    fn hall() -> (GridEnv, [f32; 11]) {
        let (mut grid, mut state) = (GridEnv::with_size([3, 2], 99), [0.0; 11]);
        grid.reset(Stream::new(1).rng(), &mut state).unwrap();
        (grid.goal, grid.trail) = ([2, 1], vec![[0, 0]]);
        (grid, state)
    }

    #[test]
    fn steps_match_hand_calculation() {
        let (mut grid, mut state) = hall();
        assert_eq!(grid.step(&[3], &mut state).unwrap(), Step::default(), "into the wall");
        assert_eq!(state, [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0]);
        grid.step(&[1], &mut state).unwrap();
        assert_eq!(state, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0]);
        grid.step(&[0], &mut state).unwrap();
        let last = grid.step(&[1], &mut state).unwrap();
        assert_eq!(last, Step { reward: 0.94, terminated: true, truncated: false }, "at time 4");
        assert_eq!(state[..5], [0.0, 0.0, 1.0, 0.0, 1.0]);
        assert!(matches!(grid.step(&[1], &mut state), Err(EnvError::NoEpisode)));
    }

    #[test]
    fn episode_is_truncated_without_reward_at_the_limit() {
        let (mut grid, mut state) = hall();
        let steps: Vec<Step> =
            std::iter::repeat_with(|| grid.step(&[3], &mut state)).map_while(Result::ok).collect();
        assert_eq!(steps.len(), 50);
        assert_eq!(steps[49], Step { reward: 0.0, terminated: false, truncated: true });
    }

    #[test]
    fn states_decode_to_cell_and_goal() {
        let (mut grid, mut state) = (GridEnv::default(), [0.0; 20]);
        for seed in 0..60 {
            grid.reset(Stream::new(seed).rng(), &mut state).unwrap();
            assert_eq!(decode(&state, [8, 6]), [grid.cell(), grid.goal]);
        }
    }

    #[test]
    fn starts_and_goals_vary_and_never_coincide() {
        let (mut grid, mut state) = (GridEnv::default(), [0.0; 20]);
        let mut goals = std::collections::HashSet::new();
        let mut starts = goals.clone();
        for seed in 0..60 {
            grid.reset(Stream::new(seed).rng(), &mut state).unwrap();
            assert_ne!(grid.goal, grid.cell());
            goals.insert(grid.goal);
            starts.insert(grid.cell());
        }
        assert_eq!(goals.len(), 4);
        assert!(starts.len() > 20, "{}", starts.len());
    }
}
