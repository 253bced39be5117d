//! Walking in a maze.

use std::sync::Arc;

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step, Stream};

use super::maze::{Cell, Maze};
use crate::ParameterError;
use crate::check::{check_each, check_index, check_width};
use crate::clock::Clock;

/// Place, walls and goal.
pub(super) const STATES: usize = 8;

/// The largest maze, along a side.
const LARGEST: usize = 64;

/// A maze that stays the same, with a start anywhere and a goal in one of its corners.
///
/// The state is the walker's place (x, y), then 1 or −1 for each of the ways up, right, down and left that is open or not, then
/// the goal's place; places are from −1 to 1 across the maze. Actions 0 to 3 step up, right, down and left; a step into a wall
/// leads nowhere. Arriving at time t ≤ H terminates the episode and earns (H + 1 − t) / H; nothing else earns anything.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    pub(crate) parameters: GridParameters,
    pub(crate) maze: Arc<Maze>,
    pub(crate) goal: Cell,
    /// Where the walker has been, from the start to where it is.
    pub(crate) trail: Vec<Cell>,
    clock: Clock,
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
        Self { columns: 8, rows: 6, loops: 6, seed: 1, horizon: 100 }
    }
}

impl Default for Grid {
    fn default() -> Self {
        Self::unchecked(GridParameters::default())
    }
}

impl Grid {
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
        Self { parameters, maze: Arc::new(maze), goal, trail, clock: Clock::default() }
    }

    /// The walker's cell.
    pub(crate) fn cell(&self) -> Cell {
        self.trail.last().copied().unwrap_or_default()
    }

    fn observe(&self, state: &mut [f32]) {
        let (cell, size) = (self.cell(), self.maze.size);
        let [x, y] = place(cell, size);
        let [up, right, down, left] =
            [0, 1, 2, 3].map(|way| if self.maze.is_open(cell, way) { 1.0 } else { -1.0 });
        let [goal_x, goal_y] = place(self.goal, size);
        state.copy_from_slice(&[x, y, up, right, down, left, goal_x, goal_y]);
    }
}

/// A cell's place from −1 to 1 along either side.
fn place(cell: Cell, size: [usize; 2]) -> [f32; 2] {
    [0, 1].map(|axis| (2.0 * cell[axis] as f64 / (size[axis] - 1) as f64 - 1.0) as f32)
}

/// The cell nearest to a place.
pub(super) fn cell_at(place: [f32; 2], size: [usize; 2]) -> Cell {
    [0, 1].map(|axis| {
        let last = (size[axis] - 1) as f64;
        (0.5 * (f64::from(place[axis]) + 1.0) * last).round().clamp(0.0, last) as usize
    })
}

impl Env for Grid {
    type State = f32;
    type Action = u32;

    fn spaces(&self) -> Spaces {
        Spaces { states: STATES, actions: 4 }
    }

    fn horizon(&self) -> usize {
        self.parameters.horizon
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        check_width("state", state.len(), STATES)?;
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
        check_width("state", state.len(), STATES)?;
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
    fn hall() -> (Grid, [f32; STATES]) {
        let parameters = GridParameters { columns: 3, rows: 2, loops: 99, ..Default::default() };
        let (mut grid, mut state) = (Grid::new(parameters).unwrap(), [0.0; STATES]);
        grid.reset(Stream::new(1).rng(), &mut state).unwrap();
        (grid.goal, grid.trail) = ([2, 1], vec![[0, 0]]);
        (grid, state)
    }

    #[test]
    fn it_keeps_the_contract_of_environments() {
        check_env(Grid::default, Stream::new(1)).unwrap();
    }

    #[test]
    fn steps_are_as_walked_by_hand() {
        let (mut grid, mut state) = hall();
        assert_eq!(grid.step(&[3], &mut state).unwrap(), Step::default(), "into the wall");
        assert_eq!(state, [-1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0]);
        grid.step(&[1], &mut state).unwrap();
        assert_eq!(state, [0.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0]);
        grid.step(&[0], &mut state).unwrap();
        let last = grid.step(&[1], &mut state).unwrap();
        assert_eq!(last, Step { reward: 0.97, terminated: true, truncated: false }, "at time 4");
        assert_eq!(state[..2], state[6..]);
        assert!(matches!(grid.step(&[1], &mut state), Err(EnvError::NoEpisode)));
    }

    #[test]
    fn who_never_arrives_is_cut_and_earns_nothing() {
        let (mut grid, mut state) = hall();
        let steps: Vec<Step> =
            std::iter::repeat_with(|| grid.step(&[3], &mut state)).map_while(Result::ok).collect();
        assert_eq!(steps.len(), 100);
        assert_eq!(steps[99], Step { reward: 0.0, terminated: false, truncated: true });
        let arriving_last = Grid { trail: vec![[1, 1]], ..grid };
        assert_eq!(arriving_last.goal, [2, 1]);
    }

    #[test]
    fn cells_are_found_again_from_their_places() {
        for size in [[2, 2], [8, 6], [64, 64]] {
            for cell in [[0, 0], [1, 1], [size[0] - 1, size[1] - 1], [size[0] / 2, size[1] / 3]] {
                assert_eq!(cell_at(place(cell, size), size), cell);
            }
        }
        assert_eq!(cell_at([-9.0, 9.0], [8, 6]), [0, 5], "outside is the nearest inside");
    }

    #[test]
    fn starts_and_goals_differ_by_seed_and_a_start_is_no_goal() {
        let (mut grid, mut state) = (Grid::default(), [0.0; STATES]);
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
        let mut fresh = Grid::default();
        assert!(matches!(fresh.step(&[0], &mut [0.0; STATES]), Err(EnvError::NoEpisode)));
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
            assert!(Grid::new(parameters).is_err());
        }
        let parameters = GridParameters { horizon: 0, ..GridParameters::default() };
        assert_eq!(Grid::new(parameters).unwrap_err().field, "horizon");
    }
}
