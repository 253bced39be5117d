//! Find the way to a goal in a maze.

mod maze;

use std::sync::Arc;

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step, Stream};
use tutelage_draw::render::{Drawing, Ink, Mark, Picture, Rectangle, Render};

use self::maze::{Cell, Maze};
use crate::worlds::clock::{EpisodeClock, check_index};
use crate::worlds::{ScriptedExpert, World};

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
    maze: Arc<Maze>,
    goal: Cell,
    /// The cells visited so far, in order.
    trail: Vec<Cell>,
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
fn state_width([columns, rows]: [usize; 2]) -> usize {
    columns + rows + OTHERS
}

/// Returns the agent's cell and the goal of a state.
///
/// Takes the largest number of columns and rows, so that it also works for approximate states.
fn decode(state: &[f32], size: [usize; 2]) -> [Cell; 2] {
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

impl Render for GridEnv {
    /// Draws each cell as a unit square; the first one spans (0, 0) to (1, 1).
    fn render(&self) -> Drawing {
        let [width, height] = self.maze.size.map(|count| count as f64);
        let floor = Rectangle { low: [0.0; 2], high: [width, height] };
        let mut marks = vec![Mark::Polygon { points: floor.corners().to_vec(), ink: Ink::Paper }];
        marks.extend(self.goal_flag());
        let trail: Vec<[f64; 2]> = self.trail.iter().map(|cell| middle(*cell)).collect();
        marks.push(Mark::Line { points: trail, width: 0.12, ink: Ink::Faint });
        let line = |points: &[[f64; 2]]| Mark::Line {
            points: points.to_vec(),
            width: 0.1,
            ink: Ink::Slate,
        };
        let corners = floor.corners();
        marks.push(line(&[corners[0], corners[1], corners[2], corners[3], corners[0]]));
        marks.extend(self.maze.inner_walls().map(|(cell, way)| line(&wall(cell, way))));
        let center = middle(self.cell());
        marks.push(Mark::Circle { center, radius: 0.28, ink: Ink::Blue });
        let view = Rectangle { low: [-0.4; 2], high: [width + 0.4, height + 0.4] };
        Picture { view, background: Ink::Field, marks }.into()
    }
}

impl GridEnv {
    /// Draws a light square with a flag.
    fn goal_flag(&self) -> [Mark; 3] {
        let [x, y] = self.goal.map(|index| index as f64);
        let square = Rectangle { low: [x, y], high: [x + 1.0, y + 1.0] };
        let flag = vec![[x + 0.35, y + 0.85], [x + 0.8, y + 0.67], [x + 0.35, y + 0.5]];
        let pole = vec![[x + 0.35, y + 0.15], [x + 0.35, y + 0.85]];
        [
            Mark::Polygon { points: square.corners().to_vec(), ink: Ink::Field },
            Mark::Polygon { points: flag, ink: Ink::Green },
            Mark::Line { points: pole, width: 0.06, ink: Ink::Dark },
        ]
    }
}

fn middle(cell: Cell) -> [f64; 2] {
    cell.map(|index| index as f64 + 0.5)
}

/// Returns the ends of the wall above a cell (direction 0) or right of it (direction 1).
fn wall(cell: Cell, way: usize) -> [[f64; 2]; 2] {
    let [x, y] = cell.map(|index| index as f64);
    if way == 0 { [[x, y + 1.0], [x + 1.0, y + 1.0]] } else { [[x + 1.0, y], [x + 1.0, y + 1.0]] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worlds::play::play;

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

    fn lines(picture: &Picture, ink: Ink) -> Vec<Vec<[f64; 2]>> {
        let marks = picture.marks.iter().filter(|mark| mark.ink() == ink);
        marks.map(|mark| mark.points().to_vec()).collect()
    }

    #[test]
    fn walls_are_drawn_and_trails_do_not_cross_them() {
        let mut grid = GridEnv::default();
        for seed in 0..20 {
            play(&mut grid, Stream::new(seed));
            let picture = grid.render().into_picture().unwrap();
            let walls = lines(&picture, Ink::Slate);
            assert_eq!(walls.len(), 1 + grid.maze.inner_walls().count(), "and the outer wall");
            let trail = &lines(&picture, Ink::Faint)[0];
            for step in trail.windows(2) {
                let half_way = [0, 1].map(|axis| 0.5 * (step[0][axis] + step[1][axis]));
                let is_wall = |wall: &Vec<[f64; 2]>| {
                    [0, 1].map(|axis| 0.5 * (wall[0][axis] + wall[1][axis])) == half_way
                };
                assert!(!walls[1..].iter().any(is_wall), "seed {seed}, at {half_way:?}");
            }
        }
    }
}
