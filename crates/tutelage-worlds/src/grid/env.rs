//! Walking in a maze.

use std::sync::Arc;

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step, Stream};

use super::maze::{Cell, Maze};
use crate::ParameterError;
use crate::check::{check_each, check_index, check_width};
use crate::clock::EpisodeClock;

/// Numbers of a state besides those for columns and rows: four walls and the goal.
const OTHERS: usize = 6;

/// The largest maze, along a side.
const LARGEST: usize = 64;

/// A maze that stays the same, with a start anywhere and a goal in one of its corners.
///
/// The state has a number for each column and one for each row: 1 for the walker's own, 0 for the others. Then come 1 or −1 for
/// each of the ways up, right, down and left, open or not, and ±1 for the goal's side, left or right and below or above.
/// Actions 0 to 3 step up, right, down and left; a step into a wall leads nowhere. Arriving at time t ≤ H terminates the
/// episode and earns (H + 1 − t) / H; nothing else earns anything.
#[derive(Clone, Debug, PartialEq)]
pub struct GridEnv {
    pub(crate) parameters: GridParameters,
    pub(crate) maze: Arc<Maze>,
    pub(crate) goal: Cell,
    /// Where the walker has been, from the start to where it is.
    pub(crate) trail: Vec<Cell>,
    clock: EpisodeClock,
}

/// What a maze is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridParameters {
    /// Cells across, from 2 to 64.
    pub columns: usize,
    /// Cells up, from 2 to 64.
    pub rows: usize,
    /// How many ways there are round in a circle: openings beyond those that connect all cells.
    pub loops: usize,
    /// Which of all such mazes it is.
    pub seed: u64,
    /// The time limit H.
    pub horizon: usize,
}

impl Default for GridParameters {
    fn default() -> Self {
        Self { columns: 8, rows: 6, loops: 6, seed: 1, horizon: 50 }
    }
}

impl Default for GridEnv {
    fn default() -> Self {
        Self::unchecked(GridParameters::default())
    }
}

impl GridEnv {
    /// A maze of these parameters.
    pub fn new(parameters: GridParameters) -> Result<Self, ParameterError> {
        let GridParameters { columns, rows, horizon, .. } = parameters;
        let sides = [("columns", columns as f64), ("rows", rows as f64)];
        check_each(&sides, "from 2 to 64", |side| (2.0..=LARGEST as f64).contains(&side))?;
        check_each(&[("horizon", horizon as f64)], "at least 1", |horizon| horizon >= 1.0)?;
        Ok(Self::unchecked(parameters))
    }

    fn unchecked(parameters: GridParameters) -> Self {
        let GridParameters { columns, rows, loops, seed, .. } = parameters;
        let maze = Maze::new([columns, rows], loops, &mut Stream::new(seed).fork("maze", 0).rng());
        let (goal, trail) = (maze.corners()[2], vec![maze.corners()[0]]);
        Self { parameters, maze: Arc::new(maze), goal, trail, clock: EpisodeClock::default() }
    }

    /// The walker's cell.
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

/// The numbers of a state of a maze of this size.
pub(super) fn state_width([columns, rows]: [usize; 2]) -> usize {
    columns + rows + OTHERS
}

/// The walker's cell and the goal that a state tells of: the largest numbers, and the corner on the goal's side.
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
        self.parameters.horizon
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        check_width("state", state.len(), state_width(self.maze.size))?;
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
        check_width("state", state.len(), state_width(self.maze.size))?;
        let way = check_index(action, 4, "0 up, 1 right, 2 down, 3 left")?;
        self.trail.push(self.maze.step(self.cell(), way as usize));
        self.observe(state);
        let (horizon, arrived) = (self.parameters.horizon, self.cell() == self.goal);
        let reward = if arrived { (horizon - earlier) as f64 / horizon as f64 } else { 0.0 };
        Ok(self.clock.tick(reward, arrived, horizon))
    }
}

#[cfg(test)]
mod tests {
    use tutelage::check_env;

    use super::*;

    /// A walker in the lower left corner of a hall without walls, the goal in the upper right.
    fn hall() -> (GridEnv, [f32; 11]) {
        let parameters = GridParameters { columns: 3, rows: 2, loops: 99, ..Default::default() };
        let (mut grid, mut state) = (GridEnv::new(parameters).unwrap(), [0.0; 11]);
        grid.reset(Stream::new(1).rng(), &mut state).unwrap();
        (grid.goal, grid.trail) = ([2, 1], vec![[0, 0]]);
        (grid, state)
    }

    #[test]
    fn it_keeps_the_contract_of_environments() {
        check_env(GridEnv::default, Stream::new(1)).unwrap();
    }

    #[test]
    fn steps_are_as_walked_by_hand() {
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
    fn who_never_arrives_is_cut_and_earns_nothing() {
        let (mut grid, mut state) = hall();
        let steps: Vec<Step> =
            std::iter::repeat_with(|| grid.step(&[3], &mut state)).map_while(Result::ok).collect();
        assert_eq!(steps.len(), 50);
        assert_eq!(steps[49], Step { reward: 0.0, terminated: false, truncated: true });
    }

    #[test]
    fn cell_and_goal_are_found_again_from_the_state() {
        let (mut grid, mut state) = (GridEnv::default(), [0.0; 20]);
        for seed in 0..60 {
            grid.reset(Stream::new(seed).rng(), &mut state).unwrap();
            assert_eq!(decode(&state, [8, 6]), [grid.cell(), grid.goal]);
        }
    }

    #[test]
    fn starts_and_goals_differ_by_seed_and_a_start_is_no_goal() {
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

    #[test]
    fn bad_input_is_named_and_changes_nothing() {
        let mut fresh = GridEnv::default();
        assert!(matches!(fresh.step(&[0], &mut [0.0; 20]), Err(EnvError::NoEpisode)));
        assert!(fresh.reset(Stream::new(1).rng(), &mut [0.0; 2]).is_err());
        let (mut grid, mut state) = hall();
        let before = grid.clone();
        let error = grid.step(&[4], &mut state).unwrap_err().to_string();
        assert_eq!(error, "action[0] is 4, which is not allowed (0 up, 1 right, 2 down, 3 left)");
        assert!(matches!(grid.step(&[0, 0], &mut state), Err(EnvError::Width { .. })));
        assert!(matches!(grid.step(&[0], &mut [0.0; 9]), Err(EnvError::Width { .. })));
        assert_eq!(grid, before);
        for (columns, rows) in [(1, 6), (8, 65), (usize::MAX, 2)] {
            let parameters = GridParameters { columns, rows, ..GridParameters::default() };
            assert!(GridEnv::new(parameters).is_err());
        }
        let parameters = GridParameters { horizon: 0, ..GridParameters::default() };
        assert_eq!(GridEnv::new(parameters).unwrap_err().field, "horizon");
    }
}
