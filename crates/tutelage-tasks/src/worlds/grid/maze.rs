//! The walls of a maze.

use std::collections::VecDeque;

use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use tutelage::Rng;

/// Column and row of a cell, counted from the lower left.
pub(crate) type Cell = [usize; 2];

/// The four directions as changes of column and row: up, right, down, left.
const DIRECTIONS: [[isize; 2]; 4] = [[0, 1], [1, 0], [0, -1], [-1, 0]];

/// A rectangle of cells with walls between some of them and all around.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Maze {
    pub(crate) size: [usize; 2],
    /// For each cell, row by row, which of the four directions are open.
    open: Vec<[bool; 4]>,
}

impl Maze {
    /// Creates a random maze in which every cell can be reached, plus `loops` extra openings.
    pub(crate) fn new(size: [usize; 2], loops: usize, rng: &mut Rng) -> Self {
        let mut maze = Self { size, open: vec![[false; 4]; size[0] * size[1]] };
        maze.carve(rng);
        let mut walls: Vec<(Cell, usize)> = maze.inner_walls().collect();
        walls.shuffle(rng);
        walls.into_iter().take(loops).for_each(|(cell, direction)| maze.open_wall(cell, direction));
        maze
    }

    /// Carves a spanning tree by randomized depth-first search.
    fn carve(&mut self, rng: &mut Rng) {
        let mut path = vec![[0, 1].map(|axis| rng.random_range(0..self.size[axis]))];
        while let Some(&cell) = path.last() {
            let is_new = |next: Cell| self.open[self.index(next)] == [false; 4];
            let fresh: Vec<usize> = (0..4)
                .filter(|&direction| self.neighbor(cell, direction).is_some_and(is_new))
                .collect();
            match fresh
                .choose(rng)
                .and_then(|&direction| Some((direction, self.neighbor(cell, direction)?)))
            {
                Some((direction, next)) => {
                    self.open_wall(cell, direction);
                    path.push(next);
                }
                None => drop(path.pop()),
            }
        }
    }

    /// Returns the adjacent cell in a direction, if it is inside; ignores walls.
    fn neighbor(&self, cell: Cell, direction: usize) -> Option<Cell> {
        let [column, row] =
            [0, 1].map(|axis| cell[axis].checked_add_signed(DIRECTIONS[direction][axis]));
        let next = [column?, row?];
        (next[0] < self.size[0] && next[1] < self.size[1]).then_some(next)
    }

    fn open_wall(&mut self, cell: Cell, direction: usize) {
        if let Some(next) = self.neighbor(cell, direction) {
            let (here, there) = (self.index(cell), self.index(next));
            self.open[here][direction] = true;
            self.open[there][(direction + 2) % 4] = true;
        }
    }

    /// Returns each wall between two cells once, as the cell left of it or below it and a direction.
    pub(crate) fn inner_walls(&self) -> impl Iterator<Item = (Cell, usize)> + '_ {
        self.cells().flat_map(|cell| [(cell, 0), (cell, 1)]).filter(|&(cell, direction)| {
            self.neighbor(cell, direction).is_some() && !self.open[self.index(cell)][direction]
        })
    }

    fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let [columns, rows] = self.size;
        (0..rows).flat_map(move |row| (0..columns).map(move |column| [column, row]))
    }

    fn index(&self, [column, row]: Cell) -> usize {
        row * self.size[0] + column
    }

    /// Returns the cell after a step; the same cell if there is a wall.
    pub(crate) fn step(&self, cell: Cell, direction: usize) -> Cell {
        if self.is_open(cell, direction) {
            self.neighbor(cell, direction).unwrap_or(cell)
        } else {
            cell
        }
    }

    /// Returns whether a direction is open.
    pub(crate) fn is_open(&self, cell: Cell, direction: usize) -> bool {
        self.open[self.index(cell)][direction]
    }

    /// Returns the four corner cells.
    pub(crate) fn corners(&self) -> [Cell; 4] {
        let [right, top] = self.size.map(|count| count - 1);
        [[0, 0], [right, 0], [right, top], [0, top]]
    }

    /// Returns the distance of each cell, row by row, from `goal`, by breadth-first search.
    pub(crate) fn steps_to(&self, goal: Cell) -> Vec<usize> {
        let mut steps = vec![usize::MAX; self.open.len()];
        let mut waiting = VecDeque::from([goal]);
        steps[self.index(goal)] = 0;
        while let Some(cell) = waiting.pop_front() {
            for direction in 0..4 {
                let (here, next) = (self.index(cell), self.step(cell, direction));
                if steps[self.index(next)] == usize::MAX {
                    steps[self.index(next)] = steps[here] + 1;
                    waiting.push_back(next);
                }
            }
        }
        steps
    }

    /// Returns the direction of a shortest path to the goal; the first one on ties.
    pub(crate) fn direction_to(&self, goal: Cell, cell: Cell) -> usize {
        let steps = self.steps_to(goal);
        (0..4).min_by_key(|&direction| steps[self.index(self.step(cell, direction))]).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;

    fn maze(seed: u64, loops: usize) -> Maze {
        Maze::new([7, 5], loops, &mut Stream::new(seed).rng())
    }

    #[test]
    fn mazes_without_loops_are_spanning_trees() {
        for seed in 0..20 {
            let maze = maze(seed, 0);
            assert!(maze.steps_to([0, 0]).iter().all(|&steps| steps < 35), "seed {seed}");
            let inner = 7 * 4 + 6 * 5;
            assert_eq!(
                inner - maze.inner_walls().count(),
                34,
                "a tree has one edge fewer than nodes"
            );
        }
    }

    #[test]
    fn loops_remove_that_many_walls() {
        assert_eq!(maze(3, 0).inner_walls().count() - maze(3, 5).inner_walls().count(), 5);
        assert_eq!(maze(3, 1000).inner_walls().count(), 0);
    }

    #[test]
    fn walls_block_from_both_sides() {
        let maze = maze(1, 3);
        for (cell, direction) in maze.inner_walls() {
            let beyond = maze.neighbor(cell, direction).unwrap();
            assert_eq!(
                (maze.step(cell, direction), maze.step(beyond, direction + 2)),
                (cell, beyond)
            );
        }
        assert_eq!(maze.step([0, 0], 3), [0, 0]);
        assert_eq!(maze.step([6, 4], 0), [6, 4]);
    }

    #[test]
    fn without_walls_distances_are_manhattan() {
        let hall = maze(1, 1000);
        let steps = hall.steps_to([6, 0]);
        for [column, row] in hall.cells() {
            assert_eq!(steps[hall.index([column, row])], 6 - column + row);
        }
        assert_eq!(hall.direction_to([6, 0], [2, 0]), 1, "right");
        assert_eq!(hall.direction_to([6, 0], [6, 3]), 2, "down");
        assert_eq!(hall.direction_to([6, 0], [2, 3]), 1, "the first of two");
    }
}
